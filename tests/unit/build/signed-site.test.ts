import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportVerification } from '../../../src/cli/commands/verify.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { lineageFilePath, PATHS } from '../../../src/schemas/paths.ts';
import { PRINTED_SECRETS, type SignedSite, sampleContent, TODAY, withCapsules, writeSite } from '../../support/signed-site.ts';
import { type StaticServer, serveFolder } from '../../support/static-server.ts';

const CAPSULE = 'ucp-permalink';

interface ServedSite extends SignedSite, Pick<StaticServer, 'origin'> {}

const served: { site: SignedSite; server: StaticServer }[] = [];
const now = new Date().toISOString().slice(0, 10);
let content: AuthoredContent;
let signed: ServedSite;

beforeAll(async () => {
  content = withCapsules(await sampleContent(), [CAPSULE, 'ucp-profile', 'mcp-initialize-required', 'mcp-2026-stateless', 'bm25', 'bm25f']);
  signed = await serve(await writeSite(content, PRINTED_SECRETS[0], now));
});

afterAll(async () => {
  for (const { site, server } of served) {
    await server.stop();
    await site.remove();
  }
});

async function serve(site: SignedSite): Promise<ServedSite> {
  const server = await serveFolder(site.folder);
  served.push({ site, server });
  return { ...site, origin: server.origin };
}

async function verify(target: string, trust?: string): Promise<{ readonly exit: number; readonly output: string }> {
  const { exit, lines } = await reportVerification(target, { trust });
  return { exit, output: lines.join('\n') };
}

const parse = (site: SignedSite, path: string): { versions: unknown; head: { statement: Record<string, unknown> } } =>
  JSON.parse(site.files.get(path) ?? '');

describe('a signed site', () => {
  test('verifies with its keys and with its identity', async () => {
    for (const trust of [PATHS.jwks, PATHS.did]) {
      const { exit, output } = await verify(signed.origin, signed.origin + trust);
      expect([exit, output]).toEqual([0, expect.stringContaining(`signed by ${content.publisher.issuer}`)]);
    }
    const unasked = await verify(signed.origin);
    expect([unasked.exit, unasked.output]).toEqual([0, expect.stringContaining('issuer not checked')]);
  });
});

describe('renewed signatures', () => {
  test('changes no byte within a month, and in the next the manifest and the heads that are due', async () => {
    const first = await writeSite(content, PRINTED_SECRETS[0], TODAY);
    const changed = async (today: string): Promise<{ site: SignedSite; paths: string[]; lineages: string[] }> => {
      const site = await writeSite(content, PRINTED_SECRETS[0], today);
      const paths = [...first.files].flatMap(([path, body]) => (site.files.get(path) === body ? [] : [path]));
      return { site, paths, lineages: paths.filter((path) => path.startsWith(PATHS.capsules)) };
    };
    const later = await changed('2026-11-30');
    expect(later.paths).toEqual([]);
    const lineages = content.capsules.map(({ id }) => lineageFilePath(id)).sort();
    // With 180 days, a head is renewed in one of three months.
    const months = [await changed('2026-12-01'), await changed('2027-01-31'), await changed('2027-02-01')];
    expect(months.map((month) => month.paths.includes(PATHS.mirrorManifest))).toEqual([true, true, true]);
    expect(months[0]?.lineages.length).toBeLessThan(lineages.length);
    expect(months[1]?.lineages).toEqual(expect.arrayContaining(months[0]?.lineages ?? []));
    expect(months[2]?.lineages.sort()).toEqual(lineages);
    for (const { site, lineages: renewed } of months)
      for (const path of renewed) expect(parse(site, path).versions).toEqual(parse(first, path).versions);
    const datesOf = ({ site }: { readonly site: SignedSite }): unknown[] =>
      lineages.map((path) => parse(site, path).head.statement).map(({ issued, validUntil }) => `${issued} ${validUntil}`);
    expect(new Set(datesOf({ site: first }))).toContain('2026-11-21T00:00:00Z 2027-05-20T00:00:00Z');
    const due = ['2026-12-01', '2027-01-01', '2027-02-01'].map((day, at) => {
      const end = ['2027-05-30', '2027-06-30', '2027-07-31'][at];
      return `${day}T00:00:00Z ${end}T00:00:00Z`;
    });
    for (const dates of datesOf(months[2] ?? later)) expect(due).toContain(dates);
    await Promise.all([first, later.site, ...months.map(({ site }) => site)].map((site) => site.remove()));
  });

  test('with another key leaves old copies good for as long as the old key is listed as retired', async () => {
    const [oldSecret, newSecret] = PRINTED_SECRETS;
    const lineage = join(signed.folder, lineageFilePath(CAPSULE));
    const oldKeys = JSON.parse(signed.files.get(PATHS.jwks) ?? '') as { keys: object[] };
    const renewed = await serve(await writeSite(content, newSecret, now));
    const newKeys = JSON.parse(renewed.files.get(PATHS.jwks) ?? '') as { keys: object[] };
    const trust = join(renewed.folder, 'both.json');
    const issued = Date.parse(String(parse(signed, lineageFilePath(CAPSULE)).head.statement['issued'])) / 1_000;
    const retired = (exp: number) => oldKeys.keys.map((key) => ({ ...key, exp }));
    await writeFile(trust, JSON.stringify({ ...newKeys, keys: [...newKeys.keys, ...retired(issued)] }));
    expect(oldSecret).not.toBe(newSecret);
    expect((await verify(lineage, trust)).exit).toBe(0);
    expect((await verify(renewed.origin, trust)).exit).toBe(0);
    await writeFile(trust, JSON.stringify({ ...newKeys, keys: [...newKeys.keys, ...retired(issued - 1)] }));
    expect((await verify(lineage, trust)).exit).toBe(2);
    expect((await verify(lineage, join(renewed.folder, PATHS.jwks))).exit).toBe(2);
  });
});

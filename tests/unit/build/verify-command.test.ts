import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreLogOfSite } from '../../../src/build/kv/restore-generations.ts';
import { reportVerification, verifySite } from '../../../src/cli/commands/verify.ts';
import { capsuleFilePath, lineageApiPath, lineageFilePath, PATHS } from '../../../src/schemas/paths.ts';
import { listen } from '../../support/listen.ts';
import { attacker, issuer } from '../../support/proof-vectors/parties.ts';
import { at, didDocument, JWKS, JWKS_OF_ATTACKER, makeLineage, textsOf } from '../../support/proof-vectors/sample.ts';
import { capsuleOf, makeBundle, sampleLineages } from '../../support/proof-vectors/sample-bundle.ts';
import { type CommandOutcome, runAkg } from '../../support/run-akg.ts';
import { type SignedSite, sampleContent, TODAY, withCapsules, writeSite } from '../../support/signed-site.ts';
import { type StaticServer, serveFolder, servePlainly } from '../../support/static-server.ts';
import { sharedFolder } from '../publication/content-world.ts';

interface Site {
  readonly origin: string;
  readonly asked: string[];
  readonly pages: Map<string, string>;
  readonly server: Server;
}

async function startSite(): Promise<Site> {
  const [asked, pages]: [string[], Map<string, string>] = [[], new Map()];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const body = pages.get(url);
    if (body?.startsWith('->')) response.writeHead(302, { Location: body.slice(2) });
    else if (body === undefined) response.statusCode = 404;
    response.end(body);
  });
  return { origin: await listen(server), asked, pages, server };
}

const run = (...args: string[]): Promise<CommandOutcome> => runAkg(['verify', ...args]);
const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';
async function report(target: string, settings: Parameters<typeof reportVerification>[1] = {}): Promise<CommandOutcome> {
  const { exit, lines } = await reportVerification(target, settings);
  return { exit, output: lines.join('\n') };
}
async function outcome(target: string, settings: Parameters<typeof reportVerification>[1] = {}): Promise<[number | null, string]> {
  const { exit, output } = await report(target, settings);
  return [exit, lastLine(output)];
}

describe.concurrent('npm run verify', () => {
  const folder = sharedFolder();
  let site: Site;
  let elsewhere: Site;
  const file = (name: string): string => join(folder, name);

  beforeAll(async () => {
    [site, elsewhere] = [await startSite(), await startSite()];
    const lineages = await sampleLineages(issuer);
    const bundle = await makeBundle(lineages, issuer);
    const one = at(lineages, 0);
    const retired = at(lineages, 1);
    const did = `did:web:127.0.0.1%3A${new URL(site.origin).port}`;
    const pages: Record<string, string> = {
      [PATHS.mirrorManifest]: JSON.stringify(bundle.manifest),
      [PATHS.jwks]: JWKS,
      [PATHS.did]: didDocument(issuer, did),
      [lineageApiPath(one.id)]: JSON.stringify(one),
      '/moved': `->${lineageFilePath(one.id)}`,
      '/moved-away': `->${elsewhere.origin}/lineage.json`,
      [lineageFilePath('empty')]: '{"results":[]}',
      [lineageFilePath('far-texts')]: JSON.stringify(
        await makeLineage({
          id: 'far-texts',
          change: (record) => {
            record.canonical = `//127.0.0.1:${new URL(elsewhere.origin).port}/1.0.0.md`;
          },
        }),
      ),
      [lineageFilePath('no-texts')]: JSON.stringify(await makeLineage({ id: 'no-texts' })),
      [capsuleFilePath('far-lineage')]: JSON.stringify({
        capsule_id: 'far-lineage',
        links: { lineage: `${elsewhere.origin}/lineage.json` },
      }),
    };
    for (const lineage of lineages) {
      const [path, capsule] = [lineageFilePath(lineage.id), capsuleFilePath(lineage.id)];
      Object.assign(pages, { [path]: JSON.stringify(lineage), [capsule]: JSON.stringify(capsuleOf(lineage)) }, textsOf(lineage));
    }
    for (const [index, { uri }] of bundle.manifest.statement.bundle.parts.entries()) pages[uri] = at(bundle.parts, index);
    for (const [path, body] of Object.entries(pages)) site.pages.set(path, body);
    elsewhere.pages.set('/lineage.json', JSON.stringify(one));

    const unsigned = await makeLineage();
    const two = await makeLineage({ by: issuer, count: 2 });
    const answer = {
      results: [
        {
          capsule_id: retired.id,
          version: '1.0.0',
          content_sha256: at(retired.versions, 0).record.digest['sha-256'],
          lineage_url: site.origin + lineageFilePath(retired.id),
          quote: { start: 0, end: 7, text: '# About' },
        },
      ],
    };
    const files: Record<string, string> = {
      'jwks.json': JWKS,
      'attacker.json': JWKS_OF_ATTACKER,
      'known.json': JSON.stringify(at(await sampleLineages(issuer), 0)),
      'unsigned/lineage.json': JSON.stringify(unsigned),
      'unsigned/1.0.0.md': Object.values(textsOf(unsigned))[0] ?? '',
      'edited/lineage.json': JSON.stringify(unsigned),
      'edited/1.0.0.md': 'edited',
      'forged.json': JSON.stringify(await makeLineage({ by: attacker })),
      'answer.json': JSON.stringify(answer),
      'two-sites.json': JSON.stringify({
        results: [...answer.results, { capsule_id: one.id, lineage_url: `${elsewhere.origin}/lineage.json` }],
      }),
      'garbage.json': '{gar\u001b[31mbage',
      'other.json': '{"items":[]}',
      'alone/manifest.json': JSON.stringify(bundle.manifest),
      'part/lineage.json': JSON.stringify(two),
      'part/1.0.0.md': Object.values(textsOf(two))[0] ?? '',
      'mirror/manifest.json': JSON.stringify(bundle.manifest),
      'mirror/corpus-0.ndjson': at(bundle.parts, 0),
      'mirror/corpus-1.ndjson': at(bundle.parts, 1),
      'cut/manifest.json': JSON.stringify(bundle.manifest),
      'cut/corpus-0.ndjson': at(bundle.parts, 0).slice(0, -9),
      'cut/corpus-1.ndjson': at(bundle.parts, 1),
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(file(name), '..'), { recursive: true });
      await writeFile(file(name), text);
    }
  });
  afterAll(async () => {
    // Whatever was asked for: no document sends the command to another site.
    expect(elsewhere.asked).toEqual([]);
    site.server.close();
    elsewhere.server.close();
  });

  it('reports an unsigned file as unsigned', async () => {
    const { exit, output } = await run(file('unsigned/lineage.json'));
    expect(output).toMatch(/^ok {4}text {6}/m);
    expect(output).toMatch(/^- {5}signature not checked: /m);
    expect([exit, lastLine(output)]).toEqual([0, 'all checks pass; unsigned']);
  });

  it('exits with 1 for an edited text, and with 2 for another key', async () => {
    expect(await outcome(file('edited/lineage.json'))).toEqual([1, 'failed: text']);
    expect(await outcome(file('forged.json'), { trust: file('jwks.json') })).toEqual([
      2,
      expect.stringContaining('not signed by a trusted key'),
    ]);
  });

  it('exits with 3 for unreadable documents and wrong arguments', async () => {
    for (const trust of [file('missing.json'), 'did:web:%ff', 'http://keys.example/jwks.json'])
      expect((await outcome(file('forged.json'), { trust }))[0]).toBe(3);
    await writeFile(file('text.md'), '---\ntitle: A text\n---\n');
    expect(await run(file('text.md'))).toEqual({
      exit: 3,
      output: `Cannot read ${file('text.md')}: is not the JSON of a lineage, a capsule, a response to a query or a manifest\n`,
    });
    expect(await run(file('missing.json'))).toEqual({ exit: 3, output: `Cannot read ${file('missing.json')}: no such file\n` });
    for (const args of [[file('forged.json'), '--wrong'], []]) expect((await run(...args)).exit).toBe(3);
    expect((await run('--help')).exit).toBe(0);
  });

  it('escapes terminal control characters', async () => {
    const { exit, output } = await report(file('garbage.json'));
    expect(exit).toBe(1);
    expect(output).not.toContain('\u001b');
  });

  it('reads the texts of a lineage from its site, and names the signer', async () => {
    const address = site.origin + lineageFilePath('a-first');
    expect(await outcome(address)).toEqual([0, 'all checks pass; issuer not checked (give --trust)']);
    expect(await outcome(site.origin + lineageApiPath('a-first'), { trust: site.origin + PATHS.jwks })).toEqual([
      0,
      'all checks pass; signed by a trusted key, as did:web:signpost.example',
    ]);
    const { exit, output } = await run(address, '--trust', file('jwks.json'), '--known', file('known.json'), '--json');
    expect([exit, JSON.parse(output)]).toEqual([0, expect.objectContaining({ kind: 'lineage', exit: 0, unread: [] })]);
    expect(JSON.parse(output).checks).toContainEqual({ check: 'known', ok: true, detail: expect.any(String) });
  });

  it('resolves a did:web, and compares its identity with the statements', async () => {
    const did = `did:web:127.0.0.1%3A${new URL(site.origin).port}`;
    expect(await outcome(site.origin + lineageFilePath('a-first'), { trust: did })).toEqual([2, expect.any(String)]);
    expect((await outcome(site.origin + lineageFilePath('a-first'), { trust: `${did}:other` }))[0]).toBe(3);
    for (const [name, path] of [
      [`${did}:one?two`, '/one?two/did.json'],
      [`${did}:one:..:two`, '/two/did.json'],
    ] as const) {
      site.pages.set(path, didDocument(issuer, name));
      expect(await outcome(site.origin + lineageFilePath('a-first'), { trust: name })).toEqual([
        3,
        expect.stringContaining('is not a did:web'),
      ]);
    }
  });

  it('rejects a document of another kind as a lineage', async () => {
    expect(await outcome(site.origin + lineageFilePath('empty'))).toEqual([1, 'failed: form']);
  });

  it('follows redirects only within the site', async () => {
    expect((await outcome(`${site.origin}/moved`))[0]).toBe(0);
    expect((await outcome(`${site.origin}/moved-away`))[0]).toBe(3);
  });

  it('requests nothing from another site that a document names', async () => {
    expect((await outcome(site.origin + lineageFilePath('far-texts')))[0]).toBe(3);
    expect((await outcome(site.origin + capsuleFilePath('far-lineage')))[0]).toBe(3);
    expect((await outcome(file('two-sites.json')))[0]).toBe(3);
    expect((await outcome(site.origin + lineageFilePath('no-texts')))[0]).toBe(3);
  });

  it('checks a saved response with the documents of its site', async () => {
    const { exit, output } = await report(file('answer.json'));
    expect(output).toMatch(/^ok {4}quote/m);
    expect([exit, lastLine(output)]).toEqual([1, 'failed: fields']);
  });

  it('checks a bundle on disk, given its manifest or a part', async () => {
    const trust = file('jwks.json');
    expect((await outcome(file('mirror/manifest.json'), { trust }))[0]).toBe(0);
    expect((await outcome(file('mirror/corpus-1.ndjson'), { trust }))[0]).toBe(0);
    expect((await outcome(file('mirror/corpus-1.ndjson'), { trust: file('attacker.json') }))[0]).toBe(2);
    expect(await outcome(file('cut/corpus-0.ndjson'), { trust })).toEqual([1, expect.stringContaining('parts')]);
    expect((await outcome(file('cut/corpus-1.ndjson'), { manifest: site.origin + PATHS.mirrorManifest }))[0]).toBe(1);
  });

  it('reports missing parts of an incomplete copy', async () => {
    for (const path of ['alone/manifest.json', 'part/lineage.json'])
      expect([path, ...(await outcome(file(path), { trust: file('jwks.json') }))]).toEqual([path, 3, 'not everything could be read']);
    expect((await outcome(file('other.json')))[0]).toBe(3);
  });

  it('checks a whole site with its lineages, texts and capsules, and says that it has no API', async () => {
    const { exit, output } = await report(site.origin, { trust: file('jwks.json') });
    expect(output).toMatch(/^- {5}not compared: .*there is no API$/m);
    expect(output).toMatch(/^ok {4}served {4}3 capsules: lineage, exact texts and capsule\.json of each$/m);
    expect(exit).toBe(0);
  });
});

let site: SignedSite;
let server: StaticServer;

beforeAll(async () => {
  site = await writeSite(withCapsules(await sampleContent(), ['http-freshness', 'bm25']), undefined, TODAY);
  server = await serveFolder(site.folder);
});
afterAll(async () => {
  await server.stop();
  await site.remove();
});

const SETTINGS = { now: `${TODAY}T12:00:00Z`, key: undefined, sampleMax: Infinity };

it('compares the files of a frontend-only site, and names missing ones', async () => {
  const { verdict, unread, omitted } = await verifySite(server.origin, SETTINGS);
  expect([verdict.exit, unread]).toEqual([0, []]);
  const { detail = '' } = verdict.checks.find(({ check }) => check === 'api') ?? {};
  for (const name of ['capabilities', 'status', 'browse', 'changes']) expect(detail).toContain(`${PATHS.data}/${name}.json`);
  expect(omitted).toEqual([expect.stringContaining('there is no API')]);
});

it('verifies a site below a path, and its documents, by their addresses', async () => {
  // The home page, to which a server leads from the address without a slash.
  await writeFile(join(site.folder, 'index.html'), '<!doctype html>');
  const below = await servePlainly(site.folder, '/notes/v1');
  const address = `${below.origin}/notes/v1`;
  const exitOf = async (target: string): Promise<number> => (await reportVerification(target, {})).exit;
  expect((await verifySite(address, SETTINGS)).verdict.exit).toBe(0);
  const part = (await readdir(join(site.folder, PATHS.mirror))).find((name) => name.endsWith('.ndjson'));
  for (const path of [
    '',
    '/',
    '/capsules/bm25/lineage.json',
    '/capsules/bm25/capsule.json',
    PATHS.mirrorManifest,
    `${PATHS.mirror}/${part}`,
  ])
    expect([path, await exitOf(address + path)]).toEqual([path, 0]);
  // Another site than that of the document has nothing to do with it.
  expect(await exitOf(`${below.origin}/notes`)).toBe(3);
  await below.stop();
});

it.each(['capabilities', 'status', 'browse', 'changes'])('finds the file %s of another corpus', async (name) => {
  const file = join(site.folder, PATHS.data, `${name}.json`);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/"(corpus_digest|content_sha256)":"[0-9a-f]{64}"/, `"$1":"${'0'.repeat(64)}"`));
  const { verdict } = await verifySite(server.origin, SETTINGS);
  await writeFile(file, text);
  expect(verdict.exit).toBe(1);
  expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([
    { check: 'api', ok: false, detail: expect.stringContaining(`${name}.json`) as string },
  ]);
});

it('restores the change log only from unambiguous JSON', async () => {
  const file = join(site.folder, PATHS.data, 'changes.json');
  const text = await readFile(file, 'utf8');
  expect(await restoreLogOfSite(server.origin)).toHaveLength((JSON.parse(text) as { total: number }).total);
  await writeFile(file, text.replace('{', '{"changes":[],'));
  await expect(restoreLogOfSite(server.origin)).rejects.toThrow('did not respond with a change log');
  await writeFile(file, text);
});

import { isDeepStrictEqual } from 'node:util';
import { capsuleFilePath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { type Check, type Proof, type Verdict, verify } from '../../provenance/verify/verify.ts';
import { type GatheredProof, gatherProof, readFreeText } from './gather-proof.ts';
import { type Loose, looseObject, readLoosely, recordsOf } from './loose-json.ts';
import { forEachAtATime, SiteReader, UnreadableError } from './site-reader.ts';

/** What a site serves capsule by capsule came to, beside what is in its bundle. */
export interface SiteVerdict extends Omit<Verdict, 'checks'> {
  readonly checks: readonly (Check | (Omit<Check, 'check'> & { readonly check: 'served' }))[];
}

/** A whole site, checked. */
export interface SiteOutcome {
  readonly verdict: SiteVerdict;
  readonly gathered: GatheredProof;
  readonly unread: readonly string[];
}

/** Checks the bundle of a site, and that every capsule, exact text and lineage that it serves holds, and is what the bundle has. */
export async function verifySite(origin: string, settings: Pick<Proof, 'trust' | 'known' | 'now'>): Promise<SiteOutcome> {
  const site = new SiteReader(origin);
  const gathered = await gatherProof(`${origin}${PATHS.mirrorManifest}`, undefined);
  const bundled = await verify({ ...gathered.proof, ...settings });
  const unread = [...gathered.unread];
  const { trust, now } = settings;
  const served = await forEachAtATime(lineagesOf(gathered), async ([id, lineage]) => {
    try {
      const document = await site.read(lineageFilePath(id));
      const loose = readLoosely(document);
      const texts = await readTexts(site, recordsOf(loose));
      const { exit, checks } = await verify({
        document: await site.read(capsuleFilePath(id)),
        kind: 'capsule',
        id,
        lineages: { [id]: document },
        texts,
        now,
        ...(trust === undefined ? {} : { trust }),
      });
      const { versions, head } = loose;
      const isSame = exit !== 1 && isDeepStrictEqual([versions, head], [lineage['versions'], lineage['head']]);
      return { id, isSame, exit, failed: checks.find(({ ok }) => ok === false) };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      unread.push(error.message);
      return undefined;
    }
  });
  const read = served.filter((one) => one !== undefined);
  const differing = read.find(({ isSame }) => !isSame);
  const detail = differing
    ? `${differing.id}: ${differing.exit === 1 ? `${differing.failed?.check} ${differing.failed?.detail}` : 'is not what the bundle has'}`
    : `${read.length} capsules: lineage, exact texts and capsule.json of each`;
  const signature = read.find(({ exit }) => exit === 2);
  const checks = [
    ...bundled.checks.map((check) =>
      check.check === 'signature' && check.ok && signature
        ? { ...check, ok: false, detail: `${signature.id}: ${signature.failed?.detail}` }
        : check,
    ),
    ...(read.length === 0 ? [] : [{ check: 'served' as const, ok: differing === undefined, detail }]),
  ];
  const exit = bundled.exit === 1 || differing ? 1 : bundled.exit === 2 || signature ? 2 : 0;
  return { verdict: { kind: bundled.kind, checks, exit }, gathered, unread };
}

/** The exact texts that records name and that are free to read, by their addresses. */
async function readTexts(site: SiteReader, records: readonly Loose[]): Promise<Record<string, Uint8Array>> {
  const texts: Record<string, Uint8Array> = {};
  for (const record of records) {
    const text = await readFreeText(site, record);
    if (text !== undefined) texts[String(record['canonical'])] = text;
  }
  return texts;
}

/** Lineages in the lines of a bundle, by id. */
function lineagesOf({ proof }: GatheredProof): [string, ReturnType<typeof looseObject>][] {
  const lines = (proof.parts ?? []).flatMap((part) => (typeof part === 'string' ? part : new TextDecoder().decode(part)).split('\n'));
  return lines
    .filter((line) => line !== '')
    .map((line) => looseObject(readLoosely(new TextEncoder().encode(line))['lineage']))
    .filter(({ id }) => typeof id === 'string' && /^[a-z0-9-]{1,64}$/.test(id))
    .map((lineage) => [String(lineage['id']), lineage]);
}

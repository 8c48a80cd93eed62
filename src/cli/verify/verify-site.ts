import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readJson, type VerifiedManifest } from '../../provenance/verify/signed-documents.ts';
import { type Check, type Proof, type Verdict, verify } from '../../provenance/verify/verify.ts';
import { capsuleFilePath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { UnreadableError } from '../fetch-within-origin.ts';
import { type ApiComparison, compareApi } from './compare-api.ts';
import { type BundledCapsules, gatherProof, readFreeText } from './gather-proof.ts';
import { forEachConcurrently, type Loose, readLoosely, recordsOf, SiteReader } from './site-reader.ts';

export type SiteCheckName = 'served' | 'api';

export interface SiteVerdict extends Omit<Verdict, 'checks'> {
  readonly checks: readonly (Check | (Omit<Check, 'check'> & { readonly check: SiteCheckName }))[];
}

interface SiteSettings extends Pick<Proof, 'trust' | 'known' | 'now'> {
  readonly key: string | undefined;
  /** Most capsules to compare one by one; a larger corpus is sampled at random. */
  readonly sampleMax: number;
}

/** Default sample size: five minutes of about five requests a capsule, below 600 a minute. It is random, so that no site can prepare for it. */
export const SAMPLE_MAX_DEFAULT = 500;

/**
 * Checks the bundle of a site, and compares it with the files of its capsules, or of a sample of them, and with its API.
 *
 * @param address Address of the site, without a slash at the end.
 */
export async function verifySite(address: string, settings: SiteSettings) {
  const site = new SiteReader(address);
  const { trust, known, now, key, sampleMax } = settings;
  const gathered = await gatherProof(`${address}${PATHS.mirrorManifest}`, undefined);
  const { document, parts } = gathered.proof;
  const bundled = await verify({ ...gathered.proof, now, trust, known });
  if (bundled.exit === 1 || gathered.unread.length > 0 || parts === undefined)
    return {
      verdict: bundled,
      gathered,
      unread: gathered.unread,
      omitted: ['files and API: the bundle to compare them with is incomplete, or fails its checks'],
    };
  const capsules = await parts.capsules();
  const sample = sampleOf([...capsules.keys()], sampleMax);
  const served = await compareFiles(site, capsules, sample, { now, trust });
  const manifest = readJson(document) as VerifiedManifest;
  const api = await compareApi(site, { manifest, capsules }, { sample, key, now });
  const unread = [...served.unread, ...api.unread];
  if (!Buffer.from(await site.read(PATHS.mirrorManifest)).equals(document as Uint8Array))
    unread.push(`${address}: was published during the check; run the command again`);
  const isSigned = served.unsigned === undefined;
  const checks: SiteVerdict['checks'] = [
    ...bundled.checks.map((check) =>
      check.check === 'signature' && check.ok && !isSigned ? { ...check, ok: false, detail: served.unsigned ?? '' } : check,
    ),
    ...filesCheck(served, capsules.size),
    ...apiCheck(api),
  ];
  const differs = served.difference !== undefined || api.differences.length > 0;
  const verdict: SiteVerdict = { kind: bundled.kind, checks, exit: differs ? 1 : isSigned ? bundled.exit : 2 };
  return { verdict, gathered, unread, omitted: api.omitted };
}

const counted = (count: number, all: number): string =>
  count === all ? `${count} ${count === 1 ? 'capsule' : 'capsules'}` : `${count} of ${all} capsules`;

function filesCheck({ count, difference }: Awaited<ReturnType<typeof compareFiles>>, all: number): SiteVerdict['checks'] {
  if (count === 0) return [];
  const passed = `${counted(count, all)}: lineage, exact texts and capsule.json of each`;
  return [{ check: 'served', ok: difference === undefined, detail: difference ?? passed }];
}

function apiCheck({ compared, differences }: ApiComparison): SiteVerdict['checks'] {
  if (compared.length + differences.length === 0) return [];
  return [{ check: 'api', ok: differences.length === 0, detail: (differences.length > 0 ? differences : compared).join('; ') }];
}

function sampleOf<T>(items: readonly T[], size: number): T[] {
  const left = [...items];
  return items.length <= size ? left : Array.from({ length: size }, () => left.splice(randomInt(left.length), 1)).flat();
}

async function compareFiles(site: SiteReader, capsules: BundledCapsules, ids: readonly string[], settings: Pick<Proof, 'trust' | 'now'>) {
  const unread: string[] = [];
  const outcomes = await forEachConcurrently(ids, async (id) => {
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
        ...settings,
      });
      const failed = checks.find(({ ok }) => !ok);
      const lineage = capsules.get(id)?.().lineage;
      const isSame = isDeepStrictEqual([loose['versions'], loose['head']], [lineage?.versions, lineage?.head]);
      return {
        difference: exit === 1 ? `${id}: ${failed?.check} ${failed?.detail}` : isSame ? undefined : `${id}: differs from the bundle`,
        unsigned: exit === 2 ? `${id}: ${failed?.detail}` : undefined,
      };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      unread.push(error.message);
      return undefined;
    }
  });
  const read = outcomes.filter((outcome) => outcome !== undefined);
  const first = (name: 'difference' | 'unsigned'): string | undefined => read.find((outcome) => outcome[name] !== undefined)?.[name];
  return { count: read.length, unread, difference: first('difference'), unsigned: first('unsigned') };
}

async function readTexts(site: SiteReader, records: readonly Loose[]): Promise<Record<string, Uint8Array>> {
  const texts: Record<string, Uint8Array> = {};
  for (const record of records) {
    const text = await readFreeText(site, record);
    if (text !== undefined) texts[String(record['canonical'])] = text;
  }
  return texts;
}

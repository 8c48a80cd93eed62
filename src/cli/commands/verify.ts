import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { checksOf, readJson, type VerifiedManifest } from '../../provenance/verify/verification-types.ts';
import { type Check, type Proof, type Verdict, verify } from '../../provenance/verify/verify.ts';
import { capsuleFilePath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { terminalLine } from '../../text/terminal-safe-text.ts';
import { defineCommand, describeFailure, examples } from '../define-command.ts';
import { httpAddress, UnreadableError } from '../fetch-within-origin.ts';
import { compareApi } from '../verify/compare-api.ts';
import { type BundledCapsules, gatherProof, identityOf, readFreeTexts, readNamed, readTrustNamed, siteAt } from '../verify/gather-proof.ts';
import {
  forEachConcurrently,
  isLoopback,
  type Loose,
  looseObject,
  looseObjects,
  readLoosely,
  readOrNote,
  recordsOf,
  SiteReader,
} from '../verify/site-reader.ts';

/** Default sample size: five minutes of about five requests a capsule, below 600 a minute. It is random, so that no site can prepare for it. */
const SAMPLE_MAX_DEFAULT = 500;

const EXIT_UNREAD = 3;

const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const MARKS = ['versions', 'capsule_id', 'results', 'statement'];

function isKnownKind(document: Uint8Array): boolean {
  const text = new TextDecoder().decode(document);
  try {
    const value: unknown = JSON.parse(text);
    return MARKS.some((mark) => mark in looseObject(value));
  } catch {
    return /^\s*\{/.test(text);
  }
}

function isPage(document: Uint8Array): boolean {
  return /^\s*<(!doctype|html)/i.test(new TextDecoder().decode(document.subarray(0, 100)));
}

/** The API key of the environment, sent only to an https or local address. */
function keyFor(site: URL): string | undefined {
  const key = process.env['AGENT_API_KEY'] || undefined;
  if (key !== undefined && site.protocol === 'http:' && !isLoopback(site.hostname))
    throw new UnreadableError(`${site.origin}: an API key is sent only over https`);
  return key;
}

interface Settings {
  readonly trust?: string | undefined;
  readonly known?: string | undefined;
  readonly manifest?: string | undefined;
  readonly all?: true | undefined;
}

async function check(target: string, settings: Settings): Promise<Outcome> {
  const trust = settings.trust === undefined ? undefined : await readTrustNamed(settings.trust);
  const known = settings.known === undefined ? undefined : await readNamed(settings.known);
  const context = { now, trust, known };
  const url = httpAddress(target);
  const site = url && siteAt(url);
  const ofSite = async (origin: URL, address: string): Promise<Outcome> => {
    const key = keyFor(origin);
    const sampleMax = settings.all ? Infinity : SAMPLE_MAX_DEFAULT;
    return { ...(await verifySite(address, { ...context, sampleMax, key })), trust };
  };
  if (url?.pathname.endsWith('/') && site !== undefined) return ofSite(url, site);
  if (settings.manifest !== undefined && !(url?.pathname ?? target).endsWith('.ndjson'))
    throw new UnreadableError('--manifest: needs a part of a bundle, which ends with .ndjson');
  const { proof, unread } = await gatherProof(target, settings.manifest);
  // A site below a path without the slash of its home page, which a server leads to.
  if (url !== undefined && site !== undefined && isPage(proof.document)) return ofSite(url, site);
  if (proof.kind === undefined && !isKnownKind(proof.document))
    throw new UnreadableError(`${target}: is not the JSON of a lineage, a capsule, a response to a query or a manifest`);
  const verdict = await verify({ ...proof, ...context });
  if (known !== undefined && !checksOf(verdict.kind).includes('known'))
    throw new UnreadableError(`--known: needs a copy of a lineage or manifest; the document is a ${verdict.kind}`);
  return { verdict, proof, trust, unread, omitted: [] };
}

function unreadMessage(error: unknown): string {
  if (!(error instanceof UnreadableError)) return describeFailure(error);
  return error.message.startsWith('--') ? error.message : `Cannot read ${error.message}`;
}

export async function reportVerification(target: string, { json, ...settings }: Settings & { readonly json?: true }) {
  try {
    const outcome = await check(target, settings);
    const exit = exitOf(outcome);
    if (!json) return { exit, lines: describeVerdict(outcome) };
    const { verdict, unread, omitted } = outcome;
    return { exit, lines: [JSON.stringify({ ...verdict, exit, unread, omitted, summary: verdictSummary(outcome) }, null, 2)] };
  } catch (error) {
    return { exit: EXIT_UNREAD, lines: [unreadMessage(error)], isError: true };
  }
}

/** The command, which a site serves as `akg-verify.mjs` too. @param invocation How its user starts it, for the examples of its help. */
export const verifyCommand = (invocation: string): CommandUnknownOpts =>
  defineCommand()
    .description(
      `Verify a lineage, a capsule, a saved response to a query, a manifest, a part of a bundle (.ndjson), or a whole site.

Environment: AGENT_API_KEY (an API key; with it, responses to queries of a site are compared too; it is sent only to that site).

Exit codes: 0 all checks pass, 1 a check fails, 2 only the signature fails, 3 something cannot be read.`,
    )
    .argument('<target>', 'address or file, or the address of a site')
    .option('--trust <keys>', 'trusted keys: a JWK Set or a DID document (file or https address), or did:web:<host>')
    .option('--known <copy>', 'an older copy of the lineage or manifest, which the newer one must continue')
    .option('--manifest <manifest>', 'manifest of a part, if it is not manifest.json in the same folder')
    .option('--all', `compare every capsule of a site, even if it has more than ${SAMPLE_MAX_DEFAULT}`)
    .option('--json', 'print the verdict as JSON')
    .addHelpText(
      'after',
      examples(
        `${invocation} https://site.example`,
        `${invocation} lineage.json --trust did:web:site.example`,
        `${invocation} part-1.ndjson --manifest manifest.json`,
      ),
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_UNREAD))
    .action(async (target, settings) => {
      const { exit, lines, isError } = await reportVerification(target, settings);
      for (const line of lines) (isError ? console.error : console.log)(line);
      process.exitCode = exit;
    });

export const command = verifyCommand('npm run verify --');

export interface Outcome {
  readonly verdict: SiteVerdict;
  readonly proof: Awaited<ReturnType<typeof gatherProof>>['proof'];
  readonly trust: Uint8Array | undefined;
  readonly unread: readonly string[];
  readonly omitted: readonly string[];
}

const SITE_CHECKS: readonly string[] = ['served', 'api'] satisfies SiteCheckName[];

const NOT_MADE: Readonly<Record<string, string>> = {
  json: 'nothing was read',
  fresh: 'no expiry is stated',
  known: 'no older copy was given',
  text: 'there is no exact text, or it is sold',
  quote: 'no exact text was given',
  parts: 'no part of the bundle was given',
  corpus: 'the bundle is incomplete',
  signature: 'no trusted keys were given',
};

/** Untrusted text for the terminal, of at most 500 characters. */
const visible = (text: string): string => terminalLine(text).slice(0, 500);

/** Signed heads and manifest: statements about what is newest. */
function newestOf({ document, lineages = {} }: Outcome['proof']): Loose[] {
  const all = [document, ...Object.values(lineages)].map(readLoosely);
  return all.map((document) => ('head' in document ? looseObject(document['head']) : document)).filter((signed) => 'statement' in signed);
}

const namesOf = ({ kind, checks }: SiteVerdict): SiteVerdict['checks'][number]['check'][] => [
  ...checksOf(kind),
  ...checks.map(({ check }) => check).filter((check) => SITE_CHECKS.includes(check)),
];

/** Exit code: 3 if something could not be read, otherwise the result of the checks. */
export const exitOf = ({ verdict, unread }: Outcome): 0 | 1 | 2 | 3 => (unread.length > 0 ? 3 : verdict.exit);

export function verdictSummary(outcome: Outcome): string {
  const { verdict, trust, proof } = outcome;
  const failed = namesOf(verdict).filter((name) => verdict.checks.some(({ check, ok }) => check === name && !ok));
  const code = exitOf(outcome);
  if (code === 3) return failed.length > 0 ? `not everything could be read; ${failed.join(', ')} failed` : 'not everything could be read';
  if (code === 1) return `failed: ${failed.join(', ')}`;
  if (code === 2) return 'consistent, but not signed by a trusted key';
  const newest = newestOf(proof);
  if (trust === undefined)
    return newest.some(({ signatures }) => looseObjects(signatures).length > 0)
      ? 'all checks pass; issuer not checked (give --trust)'
      : 'all checks pass; unsigned';
  const issuers = [...new Set(newest.map(({ statement }) => String(looseObject(looseObject(statement)['issuer'])['id'])))];
  if (issuers.length === 0) return 'all checks pass; nothing in it can be signed';
  return `all checks pass; signed by ${identityOf(trust) ?? `a trusted key, as ${issuers.map(visible).join(', ')}`}`;
}

function whyNot(name: string, { verdict, trust }: Outcome): string {
  const ended = verdict.checks.some(({ check, ok }) => (check === 'json' || check === 'form') && !ok);
  if (ended || (name === 'signature' && trust !== undefined)) return 'the checks ended before it';
  return NOT_MADE[name] ?? 'its input was not given';
}

export function describeVerdict(outcome: Outcome): string[] {
  const { verdict, unread, omitted } = outcome;
  // For several documents, the detail of a passed check names only the last one.
  const isOfOne = verdict.kind === 'lineage' || verdict.kind === 'capsule';
  const lines = namesOf(verdict).map((name) => {
    const made = verdict.checks.find(({ check }) => check === name);
    return made
      ? `${made.ok ? 'ok   ' : 'FAIL '} ${name.padEnd(9)} ${made.ok && !isOfOne && !SITE_CHECKS.includes(name) ? '' : visible(made.detail)}`.trimEnd()
      : `-     ${name} not checked: ${whyNot(name, outcome)}`;
  });
  return [
    ...lines,
    ...omitted.map((what) => `-     not compared: ${visible(what)}`),
    ...unread.map((problem) => `-     not read: ${visible(problem)}`),
    verdictSummary(outcome),
  ];
}

export type SiteCheckName = 'served' | 'api';

export interface SiteVerdict extends Omit<Verdict, 'checks'> {
  readonly checks: readonly (Check | (Omit<Check, 'check'> & { readonly check: SiteCheckName }))[];
}

interface SiteSettings extends Pick<Proof, 'trust' | 'known' | 'now'> {
  readonly key: string | undefined;
  /** Most capsules to compare one by one; a larger corpus is sampled at random. */
  readonly sampleMax: number;
}

/**
 * Checks the bundle of a site, and compares it with the files of its capsules, or of a sample of them, and with its API.
 *
 * @param address Address of the site, without a slash at the end.
 */
export async function verifySite(address: string, { trust, known, now, key, sampleMax }: SiteSettings) {
  const site = new SiteReader(address);
  const { proof, unread: missing } = await gatherProof(`${address}${PATHS.mirrorManifest}`, undefined);
  const { document, parts } = proof;
  const bundled = await verify({ ...proof, now, trust, known });
  if (bundled.exit === 1 || missing.length > 0 || parts === undefined) {
    const omitted = ['files and API: the bundle to compare them with is incomplete, or fails its checks'];
    return { verdict: bundled, proof, unread: missing, omitted };
  }
  const capsules = await parts.capsules();
  const sample = sampleOf([...capsules.keys()], sampleMax);
  const served = await compareFiles(site, capsules, sample, { now, trust });
  const api = await compareApi(site, { manifest: readJson(document) as VerifiedManifest, capsules }, { sample, key, now });
  const unread = [...served.unread, ...api.unread];
  if (!Buffer.from(await site.read(PATHS.mirrorManifest)).equals(document))
    unread.push(`${address}: was published during the check; run the command again`);
  const isSigned = served.unsigned === undefined;
  const passed = `${served.count === capsules.size ? '' : `${served.count} of `}${capsules.size} ${capsules.size === 1 ? 'capsule' : 'capsules'}: lineage, exact texts and capsule.json of each`;
  const shown = api.differences.length > 0 ? api.differences : api.compared;
  const checks: SiteVerdict['checks'] = [
    ...bundled.checks.map((check) =>
      check.check === 'signature' && check.ok && !isSigned ? { ...check, ok: false, detail: served.unsigned ?? '' } : check,
    ),
    ...(served.count === 0 ? [] : [{ check: 'served', ok: served.difference === undefined, detail: served.difference ?? passed } as const]),
    ...(shown.length === 0 ? [] : [{ check: 'api', ok: api.differences.length === 0, detail: shown.join('; ') } as const]),
  ];
  const differs = served.difference !== undefined || api.differences.length > 0;
  const verdict: SiteVerdict = { kind: bundled.kind, checks, exit: differs ? 1 : isSigned ? bundled.exit : 2 };
  return { verdict, proof, unread, omitted: api.omitted };
}

function sampleOf<T>(items: readonly T[], size: number): T[] {
  const left = [...items];
  return items.length <= size ? left : Array.from({ length: size }, () => left.splice(randomInt(left.length), 1)).flat();
}

async function compareFiles(site: SiteReader, capsules: BundledCapsules, ids: readonly string[], settings: Pick<Proof, 'trust' | 'now'>) {
  const unread: string[] = [];
  const outcomes = await forEachConcurrently(ids, (id) =>
    readOrNote(unread, async () => {
      const document = await site.read(lineageFilePath(id));
      const loose = readLoosely(document);
      const texts = await readFreeTexts(site, recordsOf(loose));
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
    }),
  );
  const read = outcomes.filter((outcome) => outcome !== undefined);
  const first = (name: 'difference' | 'unsigned'): string | undefined => read.find((outcome) => outcome[name] !== undefined)?.[name];
  return { count: read.length, unread, difference: first('difference'), unsigned: first('unsigned') };
}

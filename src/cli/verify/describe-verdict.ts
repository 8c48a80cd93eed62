import { checksOf } from '../../provenance/verify/checks.ts';
import type { Proof } from '../../provenance/verify/verify.ts';
import { terminalLine } from '../terminal-text.ts';
import { identityOf } from './gather-proof.ts';
import { type Loose, looseObject, looseObjects, readLoosely } from './site-reader.ts';
import type { SiteCheckName, SiteVerdict } from './verify-site.ts';

/** Everything that is reported about a proof. */
export interface Outcome {
  readonly verdict: SiteVerdict;
  readonly proof: Pick<Proof, 'document' | 'lineages' | 'parts'>;
  readonly trust: Uint8Array | undefined;
  /** Documents that could not be read. */
  readonly unread: readonly string[];
  /** What could not be compared, and why. */
  readonly omitted: readonly string[];
}

/** Checks of a site, in addition to those of its bundle. */
const SITE_CHECKS: readonly string[] = ['served', 'api'] satisfies SiteCheckName[];

/** Why a check is missing, unless the checks ended early. */
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

const bytesOf = (source: string | Uint8Array): Uint8Array => (typeof source === 'string' ? new TextEncoder().encode(source) : source);

/** Signed heads and manifest: statements about what is newest. */
function newestOf({ document, lineages = {} }: Outcome['proof']): Loose[] {
  const loose = readLoosely(bytesOf(document));
  const all = [loose, ...Object.values(lineages).map((lineage) => readLoosely(bytesOf(lineage)))];
  return all.map((document) => ('head' in document ? looseObject(document['head']) : document)).filter((signed) => 'statement' in signed);
}

/** The checks of a kind and of a site, in the order of the report. */
const namesOf = ({ kind, checks }: SiteVerdict): SiteVerdict['checks'][number]['check'][] => [
  ...checksOf(kind),
  ...checks.map(({ check }) => check).filter((check) => SITE_CHECKS.includes(check)),
];

/** Exit code: 3 if something could not be read, otherwise the result of the checks. */
export const exitOf = ({ verdict, unread }: Outcome): 0 | 1 | 2 | 3 => (unread.length > 0 ? 3 : verdict.exit);

/** The outcome in a few words. */
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

/** Why a check was not made. */
function whyNot(name: string, { verdict, trust }: Outcome): string {
  const ended = verdict.checks.some(({ check, ok }) => (check === 'json' || check === 'form') && !ok);
  if (ended || (name === 'signature' && trust !== undefined)) return 'the checks ended before it';
  return NOT_MADE[name] ?? 'its input was not given';
}

/** One line for each check, and the outcome. */
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

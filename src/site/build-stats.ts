/** A fact about the build, for the status page. */
export interface BuildFact {
  readonly name: string;
  readonly value: string;
  /** Whether the value is a digest or an id, to be compared letter by letter. */
  readonly isExact?: boolean;
}

/** Key id of the key that signed the records of this build, or nothing if they are unsigned. */
export const SIGNING_KEY_ID: string = process.env['AKG_KEY_ID'] ?? '';

/** What the build says about itself, from the environment it runs in; facts that are not known are left out. */
export function buildFacts(): BuildFact[] {
  const known: [string, string | undefined][] = [
    ['Corpus digest', process.env['AKG_CORPUS_DIGEST']],
    ['Corpus version', process.env['AKG_CORPUS_VERSION']],
    ['Signing key', SIGNING_KEY_ID],
    ['Source commit', process.env['CF_PAGES_COMMIT_SHA']],
  ];
  const facts = known.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value, isExact: true }]));
  return SIGNING_KEY_ID === '' ? [...facts, { name: 'Signing key', value: 'none: records are unsigned' }] : facts;
}

/** A fact about the build, for the status page. */
export interface BuildFact {
  readonly name: string;
  readonly value: string;
}

/** Key id of the key that signed the records of this build, or nothing if they are unsigned. */
export const SIGNING_KEY_ID: string = process.env['AKG_KEY_ID'] ?? '';

/** What the build says about itself, from the environment it runs in; facts that are not known are left out. */
export function buildFacts(): BuildFact[] {
  const known: [string, string | undefined][] = [
    ['Corpus version', process.env['AKG_CORPUS_VERSION']],
    ['Signing key', SIGNING_KEY_ID || 'none: records are unsigned'],
    ['Source commit', process.env['CF_PAGES_COMMIT_SHA']],
  ];
  return known.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value }]));
}

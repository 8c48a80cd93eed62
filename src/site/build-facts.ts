/** A fact about the build, for the status page. */
export interface BuildFact {
  readonly name: string;
  readonly value: string;
}

/** What the build says about itself, from the environment it runs in; facts that are not known are left out. */
export function buildFacts(): BuildFact[] {
  const known: [string, string | undefined][] = [
    ['Corpus version', process.env['AKG_CORPUS_VERSION']],
    ['Source commit', process.env['CF_PAGES_COMMIT_SHA']],
  ];
  return known.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value }]));
}

/** The list of capsules, and the pages of capsules. */
export const capsules = {
  noneYet: 'No capsule is published yet.',
  basis: '{capsules} based on {sources}.',
  basisWithExceptions: '{capsules} based on {sources}; {exceptions}, marked and still readable.',
  countedCapsules: { one: '{count} capsule', other: '{count} capsules' },
  countedSources: { one: '{count} source', other: '{count} sources' },
  countedWords: { one: '{count} word', other: '{count} words' },
  countedSuperseded: '{count} superseded',
  countedRetracted: '{count} retracted',

  status: 'Status',
  evidence: 'Evidence',
  text: 'Text',
  type: 'Type',
  sources: 'Sources',
  version: 'Version',
  tags: 'Tags',
  versionAndDay: '<version>{version}</version>, <date>{date}</date>',

  retractedMeaning: 'This capsule is retracted; do not rely on it.',
  supersededMeaning: 'A newer capsule replaces this one.',
  statusOfCapsule: 'Status of this capsule',
  readInstead: 'Read instead: <capsule>{title}</capsule>',

  sourceBackToText: 'Source {number}: back to the text',
  retrievedSource: '{publisher} · {kind} · read on <date>{date}</date> · <host>{host}</host>',
  permanentSource: '{publisher} · {kind} · permanent address · <host>{host}</host>',

  verify: 'Verify',
  colophon: 'Colophon',
  citeThis: 'Cite this',
  relatedCapsules: 'Related capsules',
  exactText: 'Exact text of version {version}',
  lineageAsJson: 'Lineage as JSON',
  plainText: 'Plain text',
  citation: '{publisher}. “{title}.” Version {version}, {date}. {url} (SHA-256 {digest}…).',
} as const;

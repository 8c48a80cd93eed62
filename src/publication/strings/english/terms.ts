/** Terms of capsules: their status, type and evidence, kinds of sources, and relations. */
export const terms = {
  status_current: 'Current',
  status_superseded: 'Superseded',
  status_retracted: 'Retracted',

  type_concept: 'Concept',
  type_protocol: 'Protocol',
  type_practice: 'Practice',
  type_comparison: 'Comparison',
  type_measurement: 'Measurement',
  type_reference: 'Reference',

  evidence_opinion: 'opinion',
  evidence_reported: 'reported',
  evidence_documented: 'documented',
  evidence_specified: 'specified',
  evidence_measured: 'measured',
  meaning_opinion: 'a judgement of the publisher',
  meaning_reported: 'reported by the publisher or a secondary source',
  meaning_reported_own: 'reported by the author, who names no source',
  meaning_documented: 'documented by the party responsible for it',
  meaning_specified: 'stated by a published specification or standard',
  meaning_measured: 'checked by running or computing it',

  kind_standard: 'standard',
  kind_specification: 'specification',
  kind_documentation: 'documentation',
  kind_source_code: 'source code',
  kind_paper: 'paper',
  kind_article: 'article',

  derived_from: 'is derived from',
  cites: 'cites',
  supersedes: 'replaces',
  derived_from_reverse: 'is the basis of',
  cites_reverse: 'is cited by',
  supersedes_reverse: 'is replaced by',
} as const;

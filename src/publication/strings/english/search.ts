/** The page of the search. */
export const search = {
  lead: 'Finds what this site says about a question or some words.',
  question: 'Question or words',
  submit: 'Search',
  results: 'Results',
  countedResults: { one: '{count} result', other: '{count} results' },
  nothing: 'Nothing here has these words. Try others, or look through the lists.',
  onlyNear: 'Nothing here fits all of it. This comes nearest.',
  otherWords: 'Perhaps you mean <query>{query}</query>.',
  lists: 'Lists',
  more: 'More results',
  capsule: 'Capsule',
  guide: 'Documentation',
  offer: 'Offer',
  error: 'Error of the API',
  needsScript: 'Here, the search needs JavaScript.',
} as const;

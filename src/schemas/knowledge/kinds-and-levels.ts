/** Words and numbers of queries and their results. Searches in browsers use them, so this module imports nothing. */

export const SITE_KINDS = ['guide', 'operation', 'offer', 'error'] as const;

export const RESULT_KINDS = ['capsule', ...SITE_KINDS] as const;

/** Strength of the best evidence for the main claim, weakest first. */
export const EVIDENCE_LEVELS = ['opinion', 'reported', 'documented', 'specified', 'measured'] as const;

export const MATCH_LEVELS = ['strong', 'partial', 'weak'] as const;

export const FACET_NAMES = ['type', 'tags', 'language', 'license', 'evidence', 'status'] as const;

/** The members that say whether a capsule still holds: every answer about a capsule has them. */
export const STATE_MEMBERS = { status: true, status_reason: true, status_date: true, superseded_by: true } as const;

/** Members that every result keeps, so that it can be verified. */
export const VERIFYING_MEMBERS = ['kind', 'capsule_id', 'version', 'id', 'content_sha256'] as const;

/** Format versions of a generation's blocks. The second one has lists of pages, or the head of the index, in blocks. */
export const GENERATION_FORMATS = { inline: 3, withLists: 4 } as const;

export function isKnownFormat(format: number): boolean {
  return Object.values<number>(GENERATION_FORMATS).includes(format);
}

/** The kinds that people tell apart, by the name of their heading; operations and error codes are both about the interface. */
export const SEARCH_GROUPS = [
  { name: 'groupCapsules', kinds: ['capsule'] },
  { name: 'groupGuides', kinds: ['guide'] },
  { name: 'groupOffers', kinds: ['offer'] },
  { name: 'groupInterface', kinds: ['operation', 'error'] },
] as const satisfies readonly { readonly name: string; readonly kinds: readonly (typeof RESULT_KINDS)[number][] }[];

export const SEARCH_PAGE_SIZE = 10;

/** Last page of results for people. Page n ranks the results of all pages before it, so its cost grows with n. */
export const SEARCH_PAGES_MAX = 100;

/** The kinds that a valid parameter names; all without it. */
export function kindsOf(parameter: string | undefined): (typeof RESULT_KINDS)[number][] {
  const names = parameter?.split(',');
  return RESULT_KINDS.filter((known) => names?.includes(known) ?? true);
}

/** What searches find of a text that is sold, as markdown: its preview and its headings. */
export function searchedText(preview: { markdown?: string | undefined; headings?: readonly string[] | undefined } = {}): string {
  const { markdown = '', headings = [] } = preview;
  return [markdown, ...headings.map((heading) => `## ${heading}`)].join('\n\n').trim();
}

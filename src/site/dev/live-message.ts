/** What browsers learn when the content was read again. */
export interface LiveMessage {
  /** Errors and warnings of the content check. */
  readonly errors: number;
  readonly warnings: number;
  /** The first error, with its file and line. */
  readonly first?: string;
  /** Ids of the capsules that changed, or that more than capsules changed. */
  readonly reload: readonly string[] | 'all';
}

/** Numbers of problems. */
export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** What a browser asks for when it opens a page. */
export interface LiveStatus extends Omit<LiveMessage, 'reload'> {
  /** Problems of each text that has some, by the address of its page. */
  readonly texts: Readonly<Record<string, ProblemCounts>>;
  /** Addresses of drafts. */
  readonly drafts: readonly string[];
}

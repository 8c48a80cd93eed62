/** What browsers learn when the content was read again. */
export interface LiveMessage {
  /** Errors and warnings of the content check. */
  readonly errors: number;
  readonly warnings: number;
  /** The first error, with its file and line. */
  readonly first?: string;
  /** Whether pages show something else now. */
  readonly isNew: boolean;
}

/** Numbers of problems. */
export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** What a browser asks for when it opens a page. */
export interface LiveStatus extends Omit<LiveMessage, 'isNew'> {
  /** Problems of each text that has some, by the address of its page. */
  readonly texts: Readonly<Record<string, ProblemCounts>>;
  /** Addresses of drafts. */
  readonly drafts: readonly string[];
}

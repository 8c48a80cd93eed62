/** A change of the code that no test can notice, looked at by a person. */
export interface Equivalent {
  readonly file: string;
  /** The line on which the change begins, without the white space around it. */
  readonly line: string;
  /** The text that is changed, and what it is changed to, each with its white space as single spaces. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

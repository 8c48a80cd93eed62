/** The database gave something that is no answer of its kind: a part of it was lost, or another came in its place. */
class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
}

/**
 * What a statement gave, if it has the form that D1 promises. Adapters may then read it without a doubt: what is missing there means
 * that it is not stored, and never that it was lost on the way.
 *
 * @param operation `first`, `all`, `run` or `raw`.
 * @param values What the operation was called with.
 * @throws {UnreadableAnswerError} If it has not.
 */
export function requireAnswer(operation: string, answer: unknown, values: readonly unknown[]): unknown {
  if (operation === 'first') {
    // With the name of a column it gives the value alone.
    if (answer === null || isRow(answer) || typeof values[0] === 'string') return answer;
  } else if (operation === 'raw' ? Array.isArray(answer) : hasRows(answer)) return answer;
  throw new UnreadableAnswerError(`the answer of "${operation}" has not the form of one`);
}

/**
 * What a batch gave, if it is one answer for each statement.
 *
 * @throws {UnreadableAnswerError} If it is not.
 */
export function requireAnswers(answers: unknown, statements: number): unknown {
  if (Array.isArray(answers) && answers.length === statements && answers.every(hasRows)) return answers;
  throw new UnreadableAnswerError('a batch has not one answer for each statement');
}

function hasRows(answer: unknown): boolean {
  const rows = typeof answer === 'object' && answer !== null && 'results' in answer ? answer.results : undefined;
  return Array.isArray(rows) && rows.every(isRow);
}

function isRow(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.keys(row).length > 0;
}

import type { Problem } from '../schemas/problem.ts';
import { preferredType } from './negotiate.ts';

/** Forms of a problem, the preferred one of equals first. */
const FORMS = ['application/problem+json', 'application/json', 'text/markdown'];

/** Whether a problem goes to a caller as markdown: the Accept header names that, and prefers it to JSON. */
export function prefersMarkdownProblem(accept: string | null): boolean {
  return accept !== null && /\btext\/markdown\b/i.test(accept) && preferredType(accept, FORMS) === 'text/markdown';
}

/** A problem document as markdown, for a language model that asked for nothing else: what happened, what was wrong, and what to do next. */
export function problemMarkdown({
  title,
  status,
  code,
  request_id,
  detail,
  errors = [],
  next_actions,
  retry_after_seconds,
}: Problem): string {
  const faults = errors.map(({ pointer, message, did_you_mean }) => {
    const meant = did_you_mean === undefined ? '' : ` (did you mean \`${JSON.stringify(did_you_mean)}\`?)`;
    return `- \`${pointer}\` ${message}${meant}`;
  });
  const steps = next_actions.map(({ description, method = 'GET', href }) => {
    if (href === undefined) return `- ${description}`;
    return method === 'GET' ? `- [${description}](${href})` : `- ${description} ${method} ${href}`;
  });
  const parts = [
    `---\nstatus: ${status}\ncode: ${code}\nrequest_id: ${request_id}\n---`,
    `# ${title}`,
    detail,
    ...(faults.length === 0 ? [] : [faults.join('\n')]),
    ...(retry_after_seconds === undefined ? [] : [`Retry after ${retry_after_seconds} seconds.`]),
    ...(steps.length === 0 ? [] : [`## What to do next\n\n${steps.join('\n')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

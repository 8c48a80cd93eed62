import type { CallToolResult } from '@modelcontextprotocol/server';
import { errorEntry } from '../../gateway/errors.ts';
import type { NextStep } from '../../gateway/next-steps.ts';
import type { Refusal } from '../../gateway/result.ts';
import { publishedFault, retryAfterOf } from '../../http/render-problem.ts';
import { capsuleApiPath, PATHS, problemPath } from '../../schemas/paths.ts';

/**
 * The result of a call of a tool: JSON text alone, which every client reads, so that nothing is sent twice. Clients of SDK 1 would compare
 * structured content with the schema of the output even of a call that failed, and lose its message.
 */
export function toolResult(value: object, isError = false): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError };
}

/** A refusal as a model reads it: the members of a problem document that help, with next steps as calls of tools. */
export function toolRefusal(refusal: Refusal): CallToolResult {
  const { code, detail, errors, nextActions } = refusal;
  const { title, nextActions: usual } = errorEntry(code);
  const retryAfterSeconds = retryAfterOf(refusal);
  return toolResult(
    {
      code,
      title,
      detail,
      ...(errors === undefined ? {} : { errors: errors.map(publishedFault) }),
      next_actions: [
        ...(nextActions ?? usual).flatMap(toolStep),
        { description: 'Read about this error.', ...call('fetch', { id: problemPath(code) }) },
      ],
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
    },
    true,
  );
}

const call = (tool: string, args: object) => ({ tool, arguments: args });

/** Calls of tools instead of requests, by their paths. What no tool does is left out. */
const STEPS: Readonly<Record<string, (description: string) => object>> = {
  [`${PATHS.publicCapsules}/browse`]: (description) => ({ description, ...call('browse', {}) }),
  [PATHS.offersJson]: (description) => ({ description, ...call('offers', {}) }),
  [`${PATHS.gateway}/search`]: (description) => ({ description, tool: 'search' }),
  [PATHS.openApi]: () => ({ description: 'Read the arguments of the tool in tools/list.' }),
};

function toolStep({ description, path }: NextStep): object[] {
  if (path === undefined) return [{ description }];
  const [id, part] = path.startsWith(capsuleApiPath('')) ? path.slice(capsuleApiPath('').length).split('/') : [];
  if (id !== undefined && (part === undefined || part === 'lineage'))
    return [{ description, ...call('fetch', { id, ...(part === undefined ? {} : { include: [part] }) }) }];
  const step = STEPS[path];
  return step === undefined ? [] : [step(description)];
}

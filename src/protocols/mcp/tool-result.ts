import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Refusal } from '../../gateway/result.ts';
import { problemDocument } from '../../http/render-problem.ts';
import { PATHS } from '../../schemas/paths.ts';

/**
 * The result of a call of a tool.
 *
 * @param text JSON text of an object; clients without structured content read it as text.
 */
export function toolResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text), isError };
}

/** A refusal as a model reads it: the problem document that HTTP would send. */
export function toolRefusal(refusal: Refusal, baseUrl: string): CallToolResult {
  const { request_id: _request, instance: _instance, ...problem } = problemDocument(refusal, { baseUrl, requestId: '', path: PATHS.mcp });
  return toolResult(JSON.stringify(problem), true);
}

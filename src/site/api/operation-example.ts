import type { ApiDocument, MediaView, PlacedOperation } from './api-document.ts';

/** Lines of an example answer that a page shows; the whole example is in the OpenAPI document. */
const MAX_LINES = 60;

/** A request of an operation that can be pasted into a shell. */
export function curlOf(operation: PlacedOperation, document: ApiDocument): string {
  const base = document.servers[0]?.url ?? '';
  let path = operation.path;
  const query: string[] = [];
  const headers: string[] = [];
  for (const { name, in: place, required, example } of operation.parameters ?? []) {
    if (example === undefined) continue;
    if (place === 'path') path = path.replace(`{${name}}`, String(example));
    if (place === 'header' && required === true) headers.push(`  -H '${name}: ${String(example)}'`);
    if (place === 'query') query.push(`${name}=${encodeURIComponent(String(example))}`);
  }
  const lines = [`curl -s '${base}${path}${query.length === 0 ? '' : `?${query.join('&')}`}'`];
  if (operation.security.length > 0) lines.push(`  -H "Authorization: Bearer $API_KEY"`);
  lines.push(...headers);
  const body = operation.requestBody?.content['application/json'];
  if (body) {
    const [example] = examplesOf(body);
    const data = example === undefined ? '--data-binary @body.json' : `-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`;
    lines.push(`  -H 'Content-Type: application/json'`, `  ${data}`);
  }
  return lines.join(' \\\n');
}

/** Examples of a body, the one first whose answer is shown. */
export function examplesOf({ example, examples }: MediaView): unknown[] {
  return example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
}

/** The example answer, cut to a readable length. */
export function answerOf(operation: PlacedOperation): { language: string; code: string; status: string } | undefined {
  for (const [status, response] of Object.entries(operation.responses)) {
    const example = response.content?.['application/json']?.example;
    if (example === undefined || !status.startsWith('2')) continue;
    const lines = JSON.stringify(shorten(example), null, 2).split('\n');
    return { status, language: 'json', code: lines.length > MAX_LINES ? `${lines.slice(0, MAX_LINES).join('\n')}\n…` : lines.join('\n') };
  }
  return undefined;
}

/** Long texts inside an example, cut so that its shape can be seen. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 160 ? `${value.slice(0, 157)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 3).map(shorten);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
  return value;
}

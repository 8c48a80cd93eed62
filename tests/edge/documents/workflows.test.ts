import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { builtOpenApi, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';

const document = JSON.parse(await readFile(join(PUBLICATION, 'dist', PATHS.arazzo), 'utf8')) as ArazzoDocument;
const api = JSON.parse(await builtOpenApi()) as DescribedApi;

describe('the document of workflows', () => {
  const service = useSharedGateway({ files: 'built' });

  test('refers to the description of the API', () => {
    expect(document.arazzo).toBe('1.0.1');
    expect(document.sourceDescriptions).toEqual([{ name: 'api', url: TEST_BASE_URL + PATHS.openApi, type: 'openapi' }]);
    expect(document.workflows.map(({ workflowId }) => workflowId)).toEqual(['ask', 'checkout']);
  });

  test('asks a question and ends with the quoted text and its lineage', async () => {
    const [ask] = document.workflows;
    if (ask === undefined) throw new Error('there is no workflow');
    const { quote, markdown, head } = await runWorkflow(ask, api, service);
    expect(markdown).toContain(quote);
    expect(head).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test('opens a checkout session and cancels it', async () => {
    const checkout = document.workflows[1];
    if (checkout === undefined) throw new Error('there is no workflow');
    expect(await runWorkflow(checkout, api, service)).toEqual({ session_id: expect.stringMatching(/^cs_/) });
  });
});

test('a site of files has no workflows', async () => {
  await expect(readFile(join(PUBLICATION, 'dist-static', PATHS.arazzo))).rejects.toMatchObject({ code: 'ENOENT' });
});

interface ArazzoDocument {
  readonly arazzo: string;
  readonly sourceDescriptions: readonly { readonly name: string; readonly url: string; readonly type: string }[];
  readonly workflows: readonly Workflow[];
}

interface Workflow {
  readonly workflowId: string;
  readonly inputs: { readonly required: readonly string[]; readonly properties: Readonly<Record<string, { readonly default?: string }>> };
  readonly steps: readonly {
    readonly stepId: string;
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string; readonly in: string; readonly value: unknown }[];
    readonly requestBody?: { readonly contentType: string; readonly payload: unknown };
    readonly successCriteria: readonly { readonly condition: string }[];
    readonly outputs?: Readonly<Record<string, string>>;
  }[];
  readonly outputs: Readonly<Record<string, string>>;
}

interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

interface Context {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly steps: Record<string, Record<string, unknown>>;
  readonly response?: { readonly status: number; readonly body: unknown };
}

/**
 * Runs a workflow with its default inputs, and checks every success criterion.
 *
 * @returns Its outputs.
 * @throws If a criterion is not met, or an expression has no value.
 */
async function runWorkflow(workflow: Workflow, api: DescribedApi, service: Requests): Promise<Record<string, unknown>> {
  const defaults = Object.entries(workflow.inputs.properties).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value]],
  );
  const inputs: Record<string, unknown> = Object.fromEntries(defaults);
  for (const name of workflow.inputs.required) if (!(name in inputs)) throw new Error(`the input ${name} is missing`);
  const context: Context = { inputs, steps: {} };
  for (const { stepId, operationId, parameters = [], requestBody, successCriteria, outputs = {} } of workflow.steps) {
    let [method, address] = operationOf(api, operationId);
    const headers = new Headers(requestBody && { 'Content-Type': requestBody.contentType });
    const query = new URLSearchParams();
    for (const { name, in: place, value } of parameters) {
      const text = String(filled(value, context));
      if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(text));
      else if (place === 'query') query.set(name, text);
      else headers.set(name, text);
    }
    const body = requestBody && JSON.stringify(filled(requestBody.payload, context));
    const response = await service.fetch(`${address}${query.size > 0 ? `?${query}` : ''}`, {
      method: method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const answered: Context = { ...context, response: { status: response.status, body: await response.json() } };
    for (const { condition } of successCriteria)
      if (!holds(condition, answered)) throw new Error(`${stepId}: ${condition} does not hold: ${JSON.stringify(answered.response)}`);
    context.steps[stepId] = Object.fromEntries(Object.entries(outputs).map(([name, expression]) => [name, evaluate(expression, answered)]));
  }
  return Object.fromEntries(Object.entries(workflow.outputs).map(([name, expression]) => [name, evaluate(expression, context)]));
}

function operationOf({ paths }: DescribedApi, operationId: string): [method: string, path: string] {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) if (operation.operationId === operationId) return [method, path];
  throw new Error(`the API has no operation ${operationId}`);
}

/** A value with its expressions evaluated, alone or within braces (section "Runtime Expressions"). */
function filled(value: unknown, context: Context): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, context));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, context)]));
  if (typeof value !== 'string') return value;
  if (value.startsWith('$')) return evaluate(value, context);
  return value.replace(/\{(\$[^}]+)\}/g, (_braces, expression: string) => String(evaluate(expression, context)));
}

/** Whether a simple condition holds: two expressions or literals with an operator between them. */
function holds(condition: string, context: Context): boolean {
  const [, left = '', operator, right = ''] = /^(\S+) (==|>) (\S+)$/.exec(condition) ?? [];
  const literal = (text: string): unknown => (text.startsWith('$') ? evaluate(text, context) : JSON.parse(text.replaceAll("'", '"')));
  if (operator === undefined) throw new Error(`unknown condition: ${condition}`);
  return operator === '==' ? literal(left) === literal(right) : Number(literal(left)) > Number(literal(right));
}

function evaluate(expression: string, { inputs, steps, response }: Context): unknown {
  const [, input] = /^\$inputs\.(\w+)$/.exec(expression) ?? [];
  const [, step = '', output = ''] = /^\$steps\.(\w+)\.outputs\.(\w+)$/.exec(expression) ?? [];
  const [, pointer] = /^\$response\.body#(\/.+)$/.exec(expression) ?? [];
  const value =
    expression === '$statusCode'
      ? response?.status
      : input !== undefined
        ? inputs[input]
        : pointer !== undefined
          ? pointer
              .slice(1)
              .split('/')
              .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], response?.body)
          : steps[step]?.[output];
  if (value === undefined) throw new Error(`${expression} has no value`);
  return value;
}

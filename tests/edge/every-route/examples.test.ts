import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { ACP_SESSIONS, acpHeaders } from '../../support/acp.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtOpenApi, useSharedGateway } from '../../support/edge-gateway.ts';
import { FUNCTION_ROUTES } from '../../support/function-routes.ts';

type Json = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown; readonly examples?: Json }>> };
}
interface Example {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: unknown;
  /** Who sends it: one example revokes the keys of its agent. */
  readonly agent: string;
}

const { paths } = JSON.parse(await builtOpenApi()) as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
const EXAMPLES = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: id, parameters = [], requestBody }]) => {
      const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ example, examples = {} }) => [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map((named) => (named as Json)['value']),
      ]);
      return (bodies.length === 0 ? [undefined] : bodies).map((body) => ({ id, method: method.toUpperCase(), path, parameters, body }));
    }),
  )
  .map((example, at): Example => ({ ...example, agent: `e7${String(at).padStart(14, '0')}` }));

/** What no example can have: a processor that charges its card, a signature of now, or a receipt of this service. */
const REFUSED: Readonly<Record<string, number>> = {
  completeCheckoutSession: 400,
  takeProcessorMessage: 400,
  getProposal: 404,
  getOrder: 404,
  getDelivery: 404,
  openCheckout: 404,
};

const gateway = useSharedGateway({ files: 'built' });
/** The id of a session, which is what examples of operations on one are sent for. */
async function newSession(path: string, agent: string): Promise<string> {
  const create = EXAMPLES.find((example) => example.method === 'POST' && `${example.path}/` === path.slice(0, path.indexOf('{')));
  const headers = path.startsWith(ACP_SESSIONS) ? await acpHeaders({ agent }) : headersOf(create?.parameters ?? []);
  const { id } = (await (await gateway.post(create?.path ?? '', create?.body, headers)).json()) as { id: string };
  return id;
}

/** Headers with their examples; a challenge is not needed. */
function headersOf(parameters: readonly Parameter[]): Record<string, string> {
  const sent = parameters.filter(({ in: place, name, example }) => place === 'header' && example && name !== 'Challenge-Solution');
  return Object.fromEntries(sent.map(({ name, example = '' }) => [name, example]));
}

test.each(EXAMPLES)('the example of $id is accepted', async ({ id, method, path, parameters, body, agent }) => {
  const route = FUNCTION_ROUTES.find((each) => each.id === id);
  if (route === undefined) return;
  const query = new URLSearchParams(
    parameters.flatMap(({ in: place, name, example }) => (place === 'query' && example ? [[name, example]] : [])),
  );
  const exampleOf = (name: string): string => parameters.find((each) => each.name === name)?.example ?? 'evidence-review';
  const session = /\/checkout[-_]sessions\/\{/.test(path) ? await newSession(path, agent) : undefined;
  const address = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => session ?? encodeURIComponent(exampleOf(name)));
  const key = bearer(await makeKey({ agent, scopes: ['read', 'submit', 'buy', 'metrics'] }));
  const response = await gateway.fetch(`${address}${query.size === 0 ? '' : `?${query}`}`, {
    method,
    headers: { ...key, ...headersOf(parameters), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = `${response.status} ${(await response.text()).slice(0, LIMITS.shortTextMaxLength * 3)}`;
  if (REFUSED[id] === undefined) expect(response.status, answer).toBeLessThan(400);
  else expect(response.status, answer).toBe(REFUSED[id]);
});

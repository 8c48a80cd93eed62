import type * as z from 'zod';
import { platformProfile, profileOfHeader } from './platform-profile.ts';
import { lookUpCatalog, productOf, searchCatalog, type UcpCatalog } from './catalog.ts';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  readUcpCheckout,
  type UcpChange,
  ucpKeyScope,
  type UcpRequest,
  updateUcpCheckout,
} from './checkouts.ts';
import { ucpError } from './messages.ts';
import { bindRefusedKey } from '../../gateway/idempotency/bind-key.ts';
import type { SessionResponse } from '../../gateway/commerce/sessions/change-session.ts';
import type { CheckoutDependencies } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { UCP_TOOL_ARGUMENTS, UcpToolMeta, type UcpToolName } from './schemas/tools.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import type { RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { validateInput } from '../../http/validate-input.ts';
import { ucpCatalog } from './answers.ts';

/** What a tool needs of the request that it is called by. */
export type ToolCaller = Pick<
  RouteInput<unknown, unknown, unknown>,
  'headers' | 'network' | 'idempotencyKey' | 'defer' | 'useChallengeSolution'
>;

/** What a tool of UCP answers to its arguments, as JSON text: the same as the operation over HTTP. */
export async function runTool(
  name: unknown,
  args: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
  deps: GatewayDependencies,
): Promise<Result<string>> {
  if (!isTool(name)) return refuse('invalid_request', 'There is no such tool; tools/list names them all.');
  const request = requestOf(args, caller);
  return request.ok ? TOOLS[name](args, request.value, caller, deps) : request;
}

type Tool = (
  args: Readonly<Record<string, unknown>>,
  request: UcpRequest,
  caller: ToolCaller,
  deps: GatewayDependencies,
) => Promise<Result<string>>;

const ARGUMENTS = UCP_TOOL_ARGUMENTS;
const TOOLS: Readonly<Record<UcpToolName, Tool>> = {
  search_catalog: catalogTool(ARGUMENTS.search_catalog, ({ catalog }, offers) => searchCatalog(catalog, offers)),
  lookup_catalog: catalogTool(ARGUMENTS.lookup_catalog, async ({ catalog }, offers) => lookUpCatalog(catalog, offers)),
  get_product: catalogTool(ARGUMENTS.get_product, async ({ catalog }, offers) => ok(productOf(catalog, offers))),
  create_checkout: checkoutTool('create', ARGUMENTS.create_checkout, ({ checkout }, request, deps) =>
    createUcpCheckout(checkout, request, deps),
  ),
  get_checkout: checkoutTool(undefined, ARGUMENTS.get_checkout, ({ id }, _request, deps) => readUcpCheckout(id, deps)),
  update_checkout: checkoutTool('update', ARGUMENTS.update_checkout, ({ id, checkout }, request, deps) =>
    updateUcpCheckout(id, checkout, request, deps),
  ),
  complete_checkout: checkoutTool('complete', ARGUMENTS.complete_checkout, ({ id }, request, deps) =>
    completeUcpCheckout(id, request, deps),
  ),
  cancel_checkout: checkoutTool('cancel', ARGUMENTS.cancel_checkout, ({ id }, request, deps) => cancelUcpCheckout(id, request, deps)),
};

function catalogTool<T>(schema: z.ZodType<T>, run: (args: T, catalog: UcpCatalog) => Promise<Result<unknown>>): Tool {
  return async (args, _request, _caller, deps) => {
    const read = validateInput(schema, args, 'body');
    if (!read.ok) return read;
    const answer = await run(read.value, ucpCatalog(deps));
    return answer.ok ? ok(JSON.stringify(answer.value)) : answer;
  };
}

/** @param change What the tool changes; without one it reads, and takes no idempotency key. */
function checkoutTool<T>(
  change: UcpChange | undefined,
  schema: z.ZodType<T>,
  run: (args: T, request: UcpRequest, deps: CheckoutDependencies) => Promise<Result<SessionResponse>>,
): Tool {
  const answer = async (...[args, request, caller, deps]: Parameters<Tool>): Promise<Result<SessionResponse>> => {
    const read = validateInput(schema, args, 'body');
    if (!read.ok) return read;
    const checkout = checkoutDependencies(deps, caller);
    return checkout.ok ? run(read.value, request, checkout.value) : checkout;
  };
  return async (args, request, caller, deps) => {
    const answered = await answer(args, request, caller, deps);
    const under = change === undefined ? answered : await underKey(answered, change, args['id'], request, deps);
    if (under.ok) return ok(under.value.body);
    // Over MCP the status 409 is kept for idempotency keys: that a session is closed is an outcome like others.
    if (under.refusal.code !== 'session_closed') return under;
    return ok(JSON.stringify(ucpError(under.refusal, deps.deployment.baseUrl, 'checkout')));
  };
}

/** The answer under the idempotency key of a tool call, which may stand in its arguments. */
async function underKey(
  answered: Result<SessionResponse>,
  change: UcpChange,
  id: unknown,
  { profile, idempotencyKey, sentBody }: UcpRequest,
  { keys, clock }: GatewayDependencies,
): Promise<Result<SessionResponse>> {
  const scope = await ucpKeyScope(change, typeof id === 'string' ? id : undefined, profile);
  const refusal = answered.ok ? answered.value.refusal : answered.refusal;
  return bindRefusedKey(answered, refusal, { ...scope, idempotencyKey, sentBody }, { keys, nowMs: clock.nowMs() });
}

function isTool(name: unknown): name is UcpToolName {
  return typeof name === 'string' && Object.hasOwn(UCP_TOOL_ARGUMENTS, name);
}

/** Who asks: by the arguments, or by the headers that UCP has over HTTP. */
function requestOf(
  args: Readonly<Record<string, unknown>>,
  { headers, idempotencyKey, useChallengeSolution }: ToolCaller,
): Result<UcpRequest> {
  const { meta: sentMeta, ...sentBody } = args;
  const agent = (sentMeta as { readonly 'ucp-agent'?: unknown } | null | undefined)?.['ucp-agent'];
  const profile = agent === undefined ? profileOfHeader(headers['ucp-agent']) : platformProfile(profileIn(agent));
  if (!profile.ok) return profile;
  const meta = validateInput(UcpToolMeta.partial(), sentMeta ?? {}, 'body');
  if (!meta.ok) return meta;
  const { 'challenge-solution': solution } = meta.value;
  if (solution !== undefined) useChallengeSolution(solution);
  return ok({ profile: profile.value, idempotencyKey: meta.value['idempotency-key'] ?? idempotencyKey, sentBody });
}

function profileIn(agent: unknown): string | undefined {
  const profile = (agent as { readonly profile?: unknown } | null)?.profile;
  return typeof profile === 'string' ? profile : undefined;
}

import type { KeyDetails, ProtectedResource } from '../../schemas/agents.ts';
import type { Scope } from '../../schemas/api-keys.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { Features } from '../../schemas/feature-switches.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { get, type NextStep, post } from '../error-next-actions.ts';
import { REGISTER, REPEAT_ROTATION } from '../errors.ts';
import type { Clock } from '../platform-ports.ts';
import { ok, type Refused, type Result, reached, refuse } from '../result.ts';
import type { AgentRecord, AgentStore, KeyPayload } from './agent-ports.ts';
import { agentIdOf, isoSeconds, keyIdOf, type VerifiedKey } from './api-key.ts';
import { REPLACED_AT_ONCE_MS, type RevocationList, revokes } from './revocation-list.ts';

interface OfferedScope {
  readonly scope: Scope;
  readonly granted: 'by_default' | 'on_request' | 'by_publisher';
  readonly description: string;
}

const READ: OfferedScope = { scope: 'read', granted: 'by_default', description: 'Query the index.' };
const BUY: OfferedScope = { scope: 'buy', granted: 'on_request', description: 'Open checkout sessions, and pay from credit.' };
const METRICS: OfferedScope = { scope: 'metrics', granted: 'by_publisher', description: "Read the publisher's usage figures." };
const SUBMIT: Readonly<Record<'on_request' | 'by_publisher', string>> = {
  on_request: 'Propose capsules and corrections; needs a solved challenge.',
  by_publisher: 'Propose capsules and corrections; granted by the publisher to named agents.',
};

export function offeredScopes(intake: IntakePolicy, features: Pick<Features, 'intake' | 'checkoutSessions'>): readonly OfferedScope[] {
  const granted = intake === 'open' ? 'on_request' : 'by_publisher';
  return [
    READ,
    ...(features.checkoutSessions ? [BUY] : []),
    ...(features.intake ? [{ scope: 'submit', granted, description: SUBMIT[granted] } as const] : []),
    METRICS,
  ];
}

function stepsTo(scope: Scope, intake: IntakePolicy, features: Pick<Features, 'intake' | 'checkoutSessions'>): readonly NextStep[] {
  const offered = offeredScopes(intake, features).find((one) => one.scope === scope);
  if (offered?.granted === 'by_publisher')
    return [
      get(
        'Write to the contact and name the id of your agent: the publisher grants the scope by name, and your key then has it.',
        PATHS.contact,
      ),
    ];
  const scopes = scope === 'read' ? ['read'] : ['read', scope];
  const body = `{"agent_name": "<name>", "scopes": ${JSON.stringify(scopes).replaceAll(',', ', ')}${scope === 'submit' ? ', "challenge": {"token": "<token>", "solution": "<solution>"}' : ''}}`;
  return [
    ...(scope === 'submit' ? [get('Request a challenge, and solve it.', `${PATHS.gateway}/challenge`)] : []),
    post(`Register for a key with the scope: send ${body}.`, `${PATHS.gateway}/register`),
  ];
}

export function howToGetScope(...of: Parameters<typeof stepsTo>): string {
  return stepsTo(...of)
    .map(({ description, method, path }) => `${description.slice(0, -1)} (${method} ${path}).`)
    .join(' ');
}

export function refuseWithoutScope(detail: string, ...of: Parameters<typeof stepsTo>): Refused {
  const nextActions = [...stepsTo(...of), get('Read how each scope is granted.', `${PATHS.gateway}/capabilities`)];
  return refuse('insufficient_scope', `${detail} ${howToGetScope(...of)}`, { nextActions });
}

/** The protected resource (RFC 9728) that keys open, at a path. Keys are not OAuth tokens: it names no authorization server (section 2). */
export function protectedResource(
  path: string,
  { baseUrl, intake, name }: Pick<Deployment, 'baseUrl' | 'intake' | 'name'>,
  features: Features,
): ProtectedResource {
  return {
    resource: baseUrl + path,
    resource_name: name,
    scopes_supported: offeredScopes(intake, features).map(({ scope }) => scope),
    bearer_methods_supported: ['header'],
    resource_documentation: baseUrl + PATHS.authMd,
  };
}

/** Scopes of the key and those granted to its agent. The policy `granted` takes back the scope submit that a key got on request. */
export function joinedScopes(ofKey: readonly Scope[], granted: readonly Scope[], intake: IntakePolicy): Scope[] {
  const own = intake === 'granted' ? ofKey.filter((scope) => scope !== 'submit') : ofKey;
  return [...new Set([...own, ...granted])];
}

/** Whether the publisher knows an agent: its key was sold, or it was granted a scope. Known agents have a budget share of their own. */
export function isKnownAgent({ payload }: VerifiedKey, scopes: readonly Scope[]): boolean {
  return payload.isRaised === true || scopes.some((scope) => !payload.scopes.includes(scope));
}

export interface KeyStatusDependencies {
  readonly agents: AgentStore | undefined;
  readonly revocations: RevocationList;
}

/** Confirms a verified key with this isolate's revocation list, for operations that only read: they continue without the database. */
export async function confirmByList(
  payload: KeyPayload,
  nowMs: number,
  { revocations }: KeyStatusDependencies,
  { degrade, defer }: { readonly degrade: (what: 'revocations') => void; readonly defer: (work: Promise<unknown>) => void },
): Promise<Result<readonly Scope[]>> {
  const judgement = await revocations.judge(payload, nowMs, defer);
  if (judgement === 'revoked') return keyRevoked(payload, revocations);
  if (judgement === 'unknown') degrade('revocations');
  return ok(payload.scopes);
}

/** Confirms a verified key with the database, for operations that change something. */
export async function confirmByDatabase(
  payload: KeyPayload,
  nowMs: number,
  intake: IntakePolicy,
  { agents, revocations }: KeyStatusDependencies,
): Promise<Result<readonly Scope[]>> {
  if (revocations.names(payload, nowMs)) return keyRevoked(payload, revocations);
  if (agents === undefined)
    return refuse('not_configured', 'No database is bound, so revocations cannot be checked and nothing can be stored.');
  const status = await reached(agents.status(payload), 'Revocations cannot be checked at the moment, so nothing was done.');
  if (!status.ok) return status;
  revocations.add(status.value.revocations, nowMs);
  if (status.value.revocations.some((revocation) => revokes(revocation, payload, nowMs))) return keyRevoked(payload, revocations);
  return ok(joinedScopes(payload.scopes, status.value.record?.granted ?? [], intake));
}

export function keyRevoked(payload: KeyPayload, revocations: Pick<RevocationList, 'endOf'>): Result<never> {
  const isReplaced = (revocations.endOf(payload) ?? 0) >= REPLACED_AT_ONCE_MS;
  if (!isReplaced) return refuse('api_key_revoked', `The key ${keyIdOf(payload)} was revoked.`);
  const nextActions = [{ description: 'Use the key that the rotation returned.' }, REPEAT_ROTATION, REGISTER];
  return refuse('api_key_revoked', `The key ${keyIdOf(payload)} was replaced by a rotation.`, { nextActions });
}

interface ReadKeyDependencies {
  readonly agents: Pick<AgentStore, 'status'> | undefined;
  readonly clock: Clock;
  readonly deployment: { readonly intake: IntakePolicy };
  readonly revocations: Pick<RevocationList, 'add' | 'endOf' | 'names'>;
}

/** Details of a key, never the key itself. Registry data is omitted if it cannot be read. */
export async function readKey(
  { payload, expiresAtMs }: VerifiedKey,
  { agents, clock, deployment, revocations }: ReadKeyDependencies,
  degrade: (what: 'registry') => void,
): Promise<Result<KeyDetails>> {
  const status = await agents?.status(payload).catch(() => undefined);
  if (status === undefined) degrade('registry');
  const nowMs = clock.nowMs();
  revocations.add(status?.revocations ?? [], nowMs);
  if (revocations.names(payload, nowMs)) return keyRevoked(payload, revocations);
  const record = status?.record;
  return ok({
    agent_id: agentIdOf(payload),
    key_id: keyIdOf(payload),
    scopes: joinedScopes(payload.scopes, record?.granted ?? [], deployment.intake),
    issued_at: isoSeconds(payload.issuedMinute * 60_000),
    expires_at: isoSeconds(Math.min(expiresAtMs, revocations.endOf(payload) ?? expiresAtMs)),
    agent: record ? describeAgent(record) : null,
  });
}

function describeAgent({ name, platform, contact, createdAtMs, rotatedAtMs }: AgentRecord): NonNullable<KeyDetails['agent']> {
  return {
    name,
    ...(platform === undefined ? {} : { platform }),
    ...(contact === undefined ? {} : { contact }),
    registered_at: isoSeconds(createdAtMs),
    ...(rotatedAtMs === undefined ? {} : { rotated_at: isoSeconds(rotatedAtMs) }),
  };
}

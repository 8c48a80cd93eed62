import type { ProtectedResource, Scope } from '../../schemas/agents.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { Features } from '../../schemas/features.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { get, type NextStep, post } from '../next-steps.ts';
import { type Refusal, refuse } from '../result.ts';
import type { VerifiedKey } from './api-key.ts';

interface OfferedScope {
  readonly scope: Scope;
  readonly granted: 'by_default' | 'on_request' | 'by_publisher';
  readonly description: string;
}

const READ: OfferedScope = { scope: 'read', granted: 'by_default', description: 'Query the index.' };
const BUY: OfferedScope = {
  scope: 'buy',
  granted: 'on_request',
  description: 'Open checkout sessions.',
};
const METRICS: OfferedScope = { scope: 'metrics', granted: 'by_publisher', description: "Read the publisher's usage figures." };
const SUBMIT_ON_REQUEST: OfferedScope = {
  scope: 'submit',
  granted: 'on_request',
  description: 'Propose capsules and corrections; granted for a solved challenge.',
};
const SUBMIT_BY_NAME: OfferedScope = {
  scope: 'submit',
  granted: 'by_publisher',
  description: 'Propose capsules and corrections; granted by the publisher to named agents.',
};

/** Scopes of what is switched on, with how a deployment grants them. */
export function offeredScopes(intake: IntakePolicy, features: Pick<Features, 'intake' | 'checkoutSessions'>): readonly OfferedScope[] {
  return [
    READ,
    ...(features.checkoutSessions ? [BUY] : []),
    ...(features.intake ? [intake === 'open' ? SUBMIT_ON_REQUEST : SUBMIT_BY_NAME] : []),
    METRICS,
  ];
}

/** How an agent gets a scope: the requests to send, and their body in one sentence. */
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

/** How an agent gets a scope, as one text. */
export function howToGetScope(...of: Parameters<typeof stepsTo>): string {
  return stepsTo(...of)
    .map(({ description, method, path }) => `${description.slice(0, -1)} (${method} ${path}).`)
    .join(' ');
}

/** The refusal of a key without a scope, with the way to it. */
export function refuseWithoutScope(detail: string, ...of: Parameters<typeof stepsTo>): { readonly ok: false; readonly refusal: Refusal } {
  const nextActions = [...stepsTo(...of), get('Read how each scope is granted.', `${PATHS.gateway}/capabilities`)];
  return refuse('insufficient_scope', `${detail} ${howToGetScope(...of)}`, { nextActions });
}

/**
 * What uses keys, as a protected resource (RFC 9728). Keys are not OAuth tokens, so it names no authorization server, which section 2 allows.
 *
 * @param path Path of the resource; empty for the whole site.
 */
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

/**
 * Scopes in force: those of the key and those granted to its agent. Under the policy `granted`, a key does not keep the scope submit that
 * it got on request.
 */
export function joinedScopes(ofKey: readonly Scope[], granted: readonly Scope[], intake: IntakePolicy): Scope[] {
  const own = intake === 'granted' ? ofKey.filter((scope) => scope !== 'submit') : ofKey;
  return [...new Set([...own, ...granted])];
}

/**
 * Whether the publisher knows an agent: its key was sold with an offer, or it was granted a scope. Registration is open, so other keys
 * identify nobody. Known agents have a budget share of their own.
 */
export function isKnownAgent({ payload }: VerifiedKey, scopes: readonly Scope[]): boolean {
  return payload.isRaised === true || scopes.some((scope) => !payload.scopes.includes(scope));
}

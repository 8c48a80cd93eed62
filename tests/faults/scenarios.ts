import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import { capsuleApiPath, lineageApiPath, PATHS, relatedApiPath } from '../../src/schemas/paths.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { capsuleProposal } from '../support/proposals.ts';

/** When every scenario begins: a whole minute, so that a few seconds more change no minute of issue. */
export const BEGINNING_MS = Date.UTC(2026, 10, 21, 12);

/** A request that can be sent more than once. */
export interface PlainRequest {
  readonly path: string;
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer that was read. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Stands for a body whose connection broke. */
export const BROKEN_OFF = '(the body broke off)';

/** Something that a caller does, and what may come of it. */
export interface Scenario {
  readonly name: string;
  /** Operation that answers. */
  readonly operation: string;
  readonly request: PlainRequest;
  /** What was done before, in another isolate on the same stores; gives the request in the place of `request`. */
  readonly before?: (send: (request: PlainRequest) => Promise<PlainAnswer>) => Promise<PlainRequest>;
  /** Whether the isolate has answered the same request before. */
  readonly isWarm?: true;
  /** Where blocks are; KV by default. */
  readonly storage?: 'assets';
  /** Queries that count what is stored; each has to count 1 in the end. */
  readonly effects?: readonly string[];
  /**
   * What a repetition gets after an acknowledged request: the same bytes, an answer of its own, or `api_key_revoked`. The same bytes by
   * default.
   */
  readonly repeated?: 'same' | 'other' | 'revoked';
  /** Text of a degraded answer, where it is not that of a whole one. */
  readonly degradedRequest?: PlainRequest;
}

/** An offer of the sample publication. */
const OFFER = { id: 'evidence-review', alias: 'page-review' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const IDEMPOTENCY_KEY = { 'Idempotency-Key': 'one-key-for-one-request-and-its-repetitions' };
const QUERY = `${PATHS.gateway}/query`;
const REGISTER = `${PATHS.gateway}/register`;
const ROTATE = `${PATHS.agentKeys}/rotate`;
const REVOKE = `${PATHS.agentKeys}/revoke`;
const INTAKE = `${PATHS.publicCapsules}/intake`;

/** Keys of yesterday, so that clocks may differ. */
const issuedMinute = minuteOf(BEGINNING_MS) - 1_440;
const reader = bearer(await makeKey({ agent: '00000000000000a1', issuedMinute }));
const proposer = bearer(await makeKey({ agent: '00000000000000a2', issuedMinute, scopes: ['read', 'submit'] }));

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): PlainRequest => ({
  path,
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
});
const question = (body: object = {}): PlainRequest => post(QUERY, { query: 'how long may a cached answer be reused', ...body }, reader);
const propose = post(INTAKE, capsuleProposal(), { ...proposer, ...IDEMPOTENCY_KEY });
const REGISTRATION = { agent_name: 'matrix', contact: 'https://agents.example/matrix' };
const ONE_PROPOSAL = ['SELECT count(*) AS n FROM proposals', 'SELECT count(*) AS n FROM receipts', 'SELECT count(*) AS n FROM idempotency'];

/** Capsules that are asked for: one of both generations, and one that only the newest has. */
const KNOWN = 'http-freshness';

/** Every scenario. Those whose operation a deployment lacks are left out by the matrix. */
export function makeScenarios(newCapsule: string, versions: readonly [newest: string, earlier: string]): readonly Scenario[] {
  const read = (name: string, operation: string, path: string): Scenario => ({ name, operation, request: { path } });
  return [
    { name: 'register', operation: 'registerAgent', request: post(REGISTER, REGISTRATION), repeated: 'other' },
    {
      name: 'register with an Idempotency-Key',
      operation: 'registerAgent',
      request: post(REGISTER, REGISTRATION, IDEMPOTENCY_KEY),
      effects: ['SELECT count(*) AS n FROM registrations'],
    },
    {
      name: 'register again under an Idempotency-Key',
      operation: 'registerAgent',
      request: post(REGISTER, REGISTRATION, IDEMPOTENCY_KEY),
      before: async (send) => {
        await send(post(REGISTER, REGISTRATION, IDEMPOTENCY_KEY));
        return post(REGISTER, REGISTRATION, IDEMPOTENCY_KEY);
      },
      effects: ['SELECT count(*) AS n FROM registrations'],
    },
    { ...read('challenge', 'getChallenge', `${PATHS.gateway}/challenge`), repeated: 'other' },
    { name: 'key facts', operation: 'getKey', request: { path: `${PATHS.agentKeys}/self`, headers: reader } },
    {
      name: 'rotate with an Idempotency-Key',
      operation: 'rotateKey',
      request: post(ROTATE, {}, { ...reader, ...IDEMPOTENCY_KEY }),
      effects: ['SELECT count(*) AS n FROM revocations', 'SELECT count(*) AS n FROM idempotency'],
    },
    {
      name: 'revoke',
      operation: 'revokeKey',
      request: post(REVOKE, {}, reader),
      effects: ['SELECT count(*) AS n FROM revocations'],
      repeated: 'revoked',
    },
    { name: 'propose', operation: 'submitProposal', request: propose, effects: ONE_PROPOSAL },
    {
      name: 'propose again',
      operation: 'submitProposal',
      request: propose,
      before: async (send) => {
        await send(propose);
        return propose;
      },
      effects: ONE_PROPOSAL,
    },
    {
      name: 'propose with a revoked key',
      operation: 'submitProposal',
      request: propose,
      before: async (send) => {
        await send(post(REVOKE, {}, proposer));
        return propose;
      },
    },
    {
      name: 'state of a proposal',
      operation: 'getProposal',
      request: propose,
      before: async (send) => {
        const { receipt } = JSON.parse((await send(propose)).text) as { receipt: string };
        return { path: `${INTAKE}/${receipt}`, headers: proposer };
      },
    },
    { name: 'query', operation: 'queryKnowledge', request: question() },
    {
      name: 'query with filters and facets',
      operation: 'queryKnowledge',
      request: question({ filters: { status: 'current' }, facets: ['type'] }),
    },
    { name: 'query of a misspelt word', operation: 'queryKnowledge', request: question({ query: 'cachd ansver', max_results: 3 }) },
    { name: 'query, warm', operation: 'queryKnowledge', request: question(), isWarm: true },
    read('search without a key', 'searchKnowledge', `${PATHS.gateway}/search?q=refund+policy`),
    { name: 'query among files', operation: 'queryKnowledge', request: question(), storage: 'assets' },
    { name: 'query pinned to the newest', operation: 'queryKnowledge', request: question({ corpus_version: versions[0] }) },
    { name: 'query pinned to the generation before', operation: 'queryKnowledge', request: question({ corpus_version: versions[1] }) },
    {
      name: 'query with a revoked key',
      operation: 'queryKnowledge',
      request: question(),
      before: async (send) => {
        await send(post(REVOKE, {}, reader));
        return question();
      },
      degradedRequest: post(QUERY, question().body, proposer),
    },
    read('capsule', 'getCapsule', capsuleApiPath(KNOWN)),
    read('capsule that is new', 'getCapsule', capsuleApiPath(newCapsule)),
    read('capsule that is not there', 'getCapsule', capsuleApiPath('no-such-capsule')),
    { ...read('capsule among files', 'getCapsule', capsuleApiPath(KNOWN)), storage: 'assets' },
    { name: 'text of a capsule', operation: 'getCapsule', request: { path: capsuleApiPath(KNOWN), headers: { Accept: 'text/markdown' } } },
    read('lineage', 'getCapsuleLineage', lineageApiPath(KNOWN)),
    {
      name: 'lineage as PROV',
      operation: 'getCapsuleLineage',
      request: { path: lineageApiPath(KNOWN), headers: { Accept: 'application/ld+json' } },
    },
    read('related', 'getRelatedCapsules', relatedApiPath(KNOWN)),
    read('related to what is new', 'getRelatedCapsules', relatedApiPath(newCapsule)),
    read('browse', 'browseCapsules', `${PATHS.publicCapsules}/browse?limit=${LIMITS.browseLimitMax}`),
    { ...read('browse, warm', 'browseCapsules', `${PATHS.publicCapsules}/browse`), isWarm: true },
    {
      name: 'fetch',
      operation: 'fetchCapsules',
      request: post(`${PATHS.capsulesApi}/fetch`, { ids: [KNOWN, newCapsule, 'no-such-capsule'] }),
    },
    read('changes', 'listChanges', `${PATHS.publicCapsules}/changes`),
    read('status', 'getStatus', `${PATHS.publicCapsules}/status`),
    { ...read('status among files', 'getStatus', `${PATHS.publicCapsules}/status`), storage: 'assets' },
    read('page of an offer', 'buyOffer', `/buy/${OFFER.id}`),
    read('way to the checkout', 'buyOffer', `/buy/${OFFER.id}?go`),
    read('alias of an offer', 'buyOffer', `/buy/${OFFER.alias}`),
  ];
}

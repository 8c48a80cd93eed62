import type * as z from 'zod';
import { isoSeconds, issuedKey } from '../gateway/agents/api-key.ts';
import { issueChallenge } from '../gateway/agents/proof-of-work.ts';
import { AgentRegistry, registerAgent } from '../gateway/agents/register-agent.ts';
import type { Order } from '../gateway/commerce/cart/checkout-ports.ts';
import { describeInvoiceRequest, describeOrder } from '../gateway/commerce/orders/describe-order.ts';
import { orderKeyPayload } from '../gateway/commerce/orders/order-deliveries.ts';
import type { InvoiceRequestRecord, InvoiceStore } from '../gateway/commerce/orders/order-ports.ts';
import { completionStep } from '../gateway/commerce/orders/order-transitions.ts';
import { requestInvoice } from '../gateway/commerce/orders/request-invoice.ts';
import { mintReceipt, proposalReceipt } from '../gateway/intake/submit-proposal.ts';
import { browseCapsules } from '../gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../gateway/knowledge/fetch-capsules.ts';
import { MARKDOWN_ANSWER } from '../gateway/knowledge/query-answer-formats.ts';
import { queryAllKinds, queryKnowledge, queryKnowledgeText } from '../gateway/knowledge/query-knowledge.ts';
import { readCapsule, similarCapsules } from '../gateway/knowledge/read-capsule.ts';
import { readChanges } from '../gateway/knowledge/read-changes.ts';
import { readLineage, readProvLineage } from '../gateway/knowledge/read-lineage.ts';
import { corpusStats } from '../gateway/knowledge/report-status.ts';
import { verifyQuote } from '../gateway/knowledge/verify-quote.ts';
import { LIFTED_QUOTAS, publishedBudgets } from '../gateway/limits/quotas.ts';
import type { SigningSecrets } from '../gateway/platform-ports.ts';
import { expectValue, ok } from '../gateway/result.ts';
import { exampleSession, type OperationExamples } from '../protocols/protocol-module.ts';
import { canonicalDigest } from '../provenance/canonical-json.ts';
import type { KeyDetails, Registration, RevokedKeys, RotatedKey } from '../schemas/agents.ts';
import type { Offer } from '../schemas/commerce/offers.ts';
import { InvoiceRequestBody } from '../schemas/commerce/orders.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { deployedFeatures } from '../schemas/feature-switches.ts';
import { type CapsuleProposal, IntakeRequest, type SubmissionStatus } from '../schemas/intake/proposals.ts';
import type { CapsuleSummary } from '../schemas/knowledge/capsule.ts';
import { type CorpusManifest, FetchRequest, type StatusResponse } from '../schemas/knowledge/corpus-responses.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import { queryOfSearch } from '../schemas/knowledge/search.ts';
import { LIMITS } from '../schemas/limits.ts';
import { DAY_MS } from '../schemas/time.ts';
import type { OperationExample } from '../text/publication-model.ts';

/** By operation id; none for a corpus without a free capsule. Documents are their own examples, and protocols have theirs. */
export async function routeExamples(published: ExampleCorpus): Promise<Map<string, OperationExample>> {
  const { capsules, deployment } = published;
  const capsule = capsules
    .filter(({ status, access }) => status === 'current' && access === 'public')
    .sort((a, b) => a.tokens - b.tokens)[0];
  if (capsule === undefined) return new Map();
  return new Map(
    Object.entries({
      ...(await agentExamples(deployment)),
      ...(await knowledgeExamples(published, capsule)),
      ...(deployment.mode === 'edge' ? await orderExamples(deployment) : {}),
      ...(await proposalExamples(capsule, published)),
    }),
  );
}

interface ExampleCorpus {
  readonly corpus: Corpus;
  readonly capsules: readonly CapsuleSummary[];
  readonly deployment: Deployment;
  readonly manifest: CorpusManifest;
}

async function knowledgeExamples(
  { corpus, deployment, manifest }: ExampleCorpus,
  { capsule_id, title }: CapsuleSummary,
): Promise<OperationExamples> {
  const { baseUrl } = deployment;
  const parameters = { capsule_id };
  const query = { query: title, max_results: 2, passages: 1 };
  const question = QueryRequest.parse(query);
  const inMarkdown = expectValue(await queryKnowledgeText(question, corpus, deployment, undefined, MARKDOWN_ANSWER));
  const search = { q: title, kind: 'capsule,guide', max_results: '2' };
  const several = { ids: [capsule_id, { capsule_id, version: '0.0.0' }], token_budget: 4_000 };
  const lineage = expectValue(await readLineage({ id: capsule_id, hasCursors: true }, corpus));
  const capsule = expectValue(await readCapsule(capsule_id, undefined, corpus, baseUrl));
  const quote = openingOf(capsule.markdown) ?? capsule.title;
  const prov = expectValue(await readProvLineage(capsule_id, corpus, baseUrl));
  return {
    queryKnowledge: {
      request: query,
      response: expectValue(await queryKnowledge(question, corpus, baseUrl)),
      otherForms: { 'text/markdown': inMarkdown },
    },
    searchKnowledge: {
      parameters: search,
      response: expectValue(await queryAllKinds(queryOfSearch({ ...search, max_results: 2 }), corpus, deployment)),
    },
    getCapsule: { parameters, response: capsule },
    verifyQuote: {
      parameters: { ...parameters, text: quote },
      response: expectValue(await verifyQuote({ capsuleId: capsule_id, quote }, corpus, baseUrl, () => undefined)),
    },
    getCapsuleLineage: {
      parameters,
      response: JSON.parse(lineage) as unknown,
      otherForms: { 'application/ld+json': JSON.parse(prov) as unknown },
    },
    getRelatedCapsules: { parameters, response: expectValue(await similarCapsules(capsule_id, corpus, baseUrl)) },
    fetchCapsules: { request: several, response: expectValue(await fetchCapsules(FetchRequest.parse(several), corpus, baseUrl)) },
    listChanges: { parameters: { limit: '2' }, response: expectValue(await readChanges({ limit: 2 }, corpus, { manifest, baseUrl })) },
    browseCapsules: { parameters: { limit: '2' }, response: expectValue(await browseCapsules({ limit: 2 }, corpus, baseUrl)) },
    getHealth: { response: 'ok' },
    getStatus: { response: statusExample(corpus, deployment, capsule_id) },
  };
}

function statusExample(corpus: Corpus, deployment: Deployment, capsuleId: string): StatusResponse {
  return {
    status: 'ok',
    deployment: 'live',
    corpus: corpusStats(corpus.version, corpus.manifest),
    checks: [{ name: 'query', ok: true, detail: `the title of "${capsuleId}" found it among the first three` }],
    budgets: publishedBudgets(deployedFeatures(deployment)).map(({ name }) => ({ name, level: 'open' })),
  };
}

const EXAMPLE_AGENT_ID = '1122334455667788';

/** The beginning of a text up to the end of a sentence or word, in at most 200 characters. */
function openingOf(markdown: string): string | undefined {
  return /^[^\n.]{1,200}(?=[\s.])/.exec(markdown)?.[0];
}

async function proposalExamples(capsule: CapsuleSummary, { corpus, deployment }: ExampleCorpus): Promise<OperationExamples> {
  const { baseUrl } = deployment;
  const { markdown } = expectValue(await readCapsule(capsule.capsule_id, undefined, corpus, baseUrl));
  const quote = openingOf(markdown) ?? capsule.title;
  const request = {
    kind: 'correction',
    capsule_id: capsule.capsule_id,
    version: capsule.version,
    quote,
    replacement: `${quote}, by the newest edition`,
    reason: 'The newest edition of the source states this.',
  };
  const newCapsule = {
    kind: 'capsule',
    capsule_id: 'conditional-requests',
    metadata: {
      title: 'A conditional request avoids sending unchanged content',
      summary: 'A client that sends its entity tag in If-None-Match gets 304 without a body while the representation is the same.',
      type: 'protocol',
      tags: ['http', 'caching'],
      evidence: 'specified',
      license: capsule.license,
      sources: [
        {
          key: 'rfc9110',
          title: 'RFC 9110: HTTP Semantics',
          url: 'https://www.rfc-editor.org/rfc/rfc9110',
          publisher: 'IETF',
          kind: 'standard',
        },
      ],
    },
    markdown: PROPOSED_TEXT,
  } satisfies z.input<typeof CapsuleProposal>;
  const sha256 = (await canonicalDigest(IntakeRequest.parse(request))).slice('sha256:'.length);
  const [secret] = await exampleSecrets();
  const receipt = await mintReceipt({ agent: EXAMPLE_AGENT_ID, sha256, receivedAtMs: EXAMPLE_TIME_MS }, secret);
  const stored = { sha256, state: 'pending', nowMs: EXAMPLE_TIME_MS, kind: 'correction' } as const;
  const taken = proposalReceipt(receipt, stored, EXAMPLE_AGENT_ID, baseUrl);
  const status: SubmissionStatus = {
    receipt,
    kind: taken.kind,
    capsule_id: capsule.capsule_id,
    proposal_sha256: sha256,
    state: 'accepted',
    received_at: taken.received_at,
    decided_at: new Date(EXAMPLE_TIME_MS + DAY_MS).toISOString(),
  };
  return {
    submitProposal: { request, otherRequests: { capsule: newCapsule }, response: taken },
    getProposal: { parameters: { receipt }, response: status },
  };
}

/** As long as a text has to be. */
const PROPOSED_TEXT = `A client that has a representation already need not receive it again. It sends the entity tag of what it has in \`If-None-Match\`, and the server compares that tag with the tag of the current representation. If they are the same, the response is 304 (Not Modified) without content. Otherwise it is 200 with the new representation and its own entity tag, which the client keeps for the next request.[^rfc9110]

A strong entity tag stands for exactly these bytes. A weak one, which begins with \`W/\`, stands for representations that the server takes as equivalent. \`If-None-Match\` uses the weak comparison, so both kinds save the transfer; \`If-Match\` uses the strong one, because it protects a change. A client that sends both a tag and a date, in \`If-Modified-Since\`, is answered by the tag: a recipient ignores the date where \`If-None-Match\` is present.[^rfc9110]

Two mistakes are common. A server that makes the tag of the time of the request never answers 304, because no tag is seen twice; a digest of the content has no such fault. A client that asks again without the tag, for instance after it was started again, pays for the whole transfer although nothing has changed. Keep the tag beside the stored response, and send it with each request for the same address.[^rfc9110]`;

const AGENT = { agent_name: 'Example research agent', platform: 'example.org', contact: 'https://example.org/agent' };

/** Time of all events in the examples of routes, in milliseconds since the epoch. */
const EXAMPLE_TIME_MS = Date.UTC(2026, 10, 21, 9, 30);
const RANDOMNESS = { bytes: (length: number) => Uint8Array.from({ length }, (_, index) => 17 * (index + 1)) };

export async function exampleSecrets(): Promise<SigningSecrets> {
  return [{ id: 1, key: await crypto.subtle.importKey('raw', new Uint8Array(32), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) }];
}

async function agentExamples(deployment: Shop): Promise<OperationExamples> {
  const registration = await exampleRegistration(deployment);
  const { agent_id, key_id, scopes, issued_at, expires_at } = registration;
  const { agent_name: name, platform, contact } = AGENT;
  const agent = { name, platform, contact, registered_at: issued_at };
  const details: KeyDetails = { agent_id, key_id, scopes, issued_at, expires_at, agent };
  const earlier = 'key_1122334455667788_a1b2_01c7ab35';
  const after = (seconds: number): string => isoSeconds(EXAMPLE_TIME_MS + seconds * 1_000);
  const previous_key = { key_id: earlier, works_until: after(LIMITS.keyOverlapMinutesDefault * 60) };
  const revocation = { revoked_at: after(0), refused_everywhere_at: after(LIMITS.revocationMaxSeconds) };
  const revoked: RevokedKeys = { agent_id, key_id, revoked: 'this', ...revocation };
  return {
    registerAgent: { request: AGENT, response: registration },
    getChallenge: { response: await issueChallenge(LIMITS.challengeBitsMin, await exampleSecrets(), EXAMPLE_TIME_MS, RANDOMNESS) },
    getKey: { response: details },
    rotateKey: {
      request: { overlap_minutes: LIMITS.keyOverlapMinutesDefault },
      response: { ...registration, previous_key } satisfies RotatedKey,
    },
    revokeKey: { request: { keys: 'this' }, response: revoked },
  };
}

async function exampleRegistration(deployment: Shop): Promise<Registration> {
  const registered = await registerAgent(AGENT, undefined, {
    ...deployment,
    features: deployedFeatures(deployment),
    clock: { nowMs: () => EXAMPLE_TIME_MS },
    randomness: RANDOMNESS,
    secrets: await exampleSecrets(),
    registrations: undefined,
    quotas: undefined,
    registry: new AgentRegistry(undefined, undefined),
    network: 'unknown',
    challengeBits: LIMITS.challengeBitsMin,
    bindKey: async () => ok(undefined),
    defer: () => undefined,
  });
  return withInvalidKey(expectValue(registered), deployment.keyPrefix);
}

/** The same registration with an invalid key of the right form: its checksum is wrong. */
function withInvalidKey(registration: Registration, keyPrefix: Deployment['keyPrefix']): Registration {
  const invalid = keyPrefix + '0'.repeat(60);
  return { ...registration, api_key: invalid, credential: invalid };
}

const SESSION_ID = 'cs_00112233445566778899aabbccddeeff';
const RECEIPT = 'rct_ffeeddccbbaa99887766554433221100';

type Shop = Pick<Deployment, 'baseUrl' | 'contactEmail' | 'keyPrefix' | 'intake' | 'commerce' | 'payments' | 'offers' | 'quoteOnlyOffers'>;

const SAMPLE_OFFER: Offer = {
  id: 'example-review',
  aliases: [],
  name: 'Evidence review',
  summary: 'A review of one page.',
  category: 'review',
  features: [],
  amountMinor: 12_000,
  currency: 'USD',
  cadence: 'one_time',
  preferredPath: '/buy/example-review',
  checkoutUrl: 'https://checkout.example/demo/example-review',
  demo: true,
  validUntil: '9999-12-31',
  delivery: 'A table, by e-mail, within 4 working days.',
  refund: 'Full refund until work starts.',
  delivers: [],
  updated: '2026-01-01',
};

async function orderExamples(real: Shop): Promise<OperationExamples> {
  const offer = real.offers.find(({ amountMinor }) => amountMinor > 0) ?? SAMPLE_OFFER;
  const deployment = { ...real, offers: [offer] };
  const items = `${offer.id}:2`;
  // A hosted link sells one.
  const one = `${offer.id}:1`;
  const session = { ...exampleSession(offer, { owner: 'agt_1122334455667788', channel: 'acp' }), id: SESSION_ID };
  const { order: paid } = completionStep(session, { reference: undefined, by: 'processor' }, RANDOMNESS, EXAMPLE_TIME_MS);
  const order: Order = { ...paid, id: 'ord_0123456789abcdef01234567', receipt: RECEIPT };
  const secrets = await exampleSecrets();
  const payload = await orderKeyPayload(order, 31, secrets);
  const request = InvoiceRequestBody.parse({
    items: [{ id: offer.id, quantity: 2 }],
    name: 'Ada Lovelace',
    email: 'ada@buyer.example',
    company: 'Analytical Engines Ltd',
    note: 'Purchase order 1843.',
  });
  return {
    getOrder: { parameters: { receipt: RECEIPT }, response: describeOrder(order, deployment) },
    getDelivery: {
      parameters: { receipt: RECEIPT, delivery: 'key' },
      response: withInvalidKey(await issuedKey(payload, { ...real, secrets, features: deployedFeatures(real) }), real.keyPrefix),
      otherForms: { 'text/plain': 'The text that was bought.', 'text/markdown': '# The text that was bought\n' },
    },
    takeProcessorMessage: { request: paidEvent(order), response: { received: true, outcome: 'applied' } },
    openCheckout: { parameters: { session: SESSION_ID }, response: undefined },
    viewCart: { parameters: { items }, response: undefined },
    startCheckout: { request: { items: one }, response: undefined },
    openInvoiceForm: { parameters: { items }, response: undefined },
    requestInvoice: { request, response: describeInvoiceRequest(await storedRequest(request, deployment), deployment) },
  };
}

async function storedRequest(request: InvoiceRequestBody, deployment: Shop): Promise<InvoiceRequestRecord> {
  const stored = new Map<string, InvoiceRequestRecord>();
  const invoices: InvoiceStore = {
    save: async (record) => void stored.set(record.receipt, record),
    byReceipt: async (receipt) => stored.get(receipt),
  };
  const sender = { network: 'unknown', idempotencyKey: undefined, bindKey: async () => ok(undefined) };
  const secrets = await exampleSecrets();
  const clock = { nowMs: () => EXAMPLE_TIME_MS };
  return expectValue(await requestInvoice(request, sender, { deployment, invoices, secrets, quotas: LIFTED_QUOTAS, clock }));
}

function paidEvent({ sessionId, totalMinor }: Order): object {
  return {
    id: 'evt_1A2b3C4d5E6f7G8h',
    object: 'event',
    type: 'checkout.session.completed',
    data: {
      object: {
        object: 'checkout.session',
        mode: 'payment',
        payment_status: 'paid',
        client_reference_id: sessionId,
        amount_total: totalMinor,
        currency: 'usd',
        payment_intent: 'pi_1A2b3C4d5E6f7G8h',
      },
    },
  };
}

import * as z from 'zod';
import {
  openForWallet,
  openOrPay,
  paymentChallengeFor,
  paysWithIn,
  sellCapsule,
  unpaid,
} from '../gateway/commerce/payments/capsule-paywall.ts';
import { readPayment } from '../gateway/commerce/payments/settle-payment.ts';
import { get } from '../gateway/error-next-actions.ts';
import { browseCapsules } from '../gateway/knowledge/browse-capsules.ts';
import { capsuleResponse, isPaid } from '../gateway/knowledge/capsule-response.ts';
import { withCorpus } from '../gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../gateway/knowledge/fetch-capsules.ts';
import { findCapsule, similarCapsules } from '../gateway/knowledge/read-capsule.ts';
import { readCapsulePage } from '../gateway/knowledge/read-capsule-page.ts';
import { readChanges } from '../gateway/knowledge/read-changes.ts';
import { readLineageDocument, readProvLineage } from '../gateway/knowledge/read-lineage.ts';
import { reportStatus } from '../gateway/knowledge/report-status.ts';
import { verifyQuote } from '../gateway/knowledge/verify-quote.ts';
import { remembered } from '../gateway/memory-caches.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse, type Outcome, pageResponse, type Route, type RouteInput } from '../http/define-route.ts';
import type { GatewayDependencies, PublishedDocument } from '../http/gateway-dependencies.ts';
import { PRIVATE } from '../http/security-headers.ts';
import { withOtherOperation } from '../http/validate-input.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import { CREDIT } from '../schemas/commerce/access-passes.ts';
import { Capsule, type CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import {
  BrowseParameters,
  BrowseResponse,
  ChangesParameters,
  ChangesResponse,
  CorpusManifest,
  FetchRequest,
  FetchResponse,
  RelatedResponse,
  SectionedBrowseParameters,
  StatusResponse,
} from '../schemas/knowledge/corpus-responses.ts';
import { Lineage, ProvLineage } from '../schemas/knowledge/lineage.ts';
import { QuoteCheck, quotation } from '../schemas/knowledge/quote-check.ts';
import { SearchParameters } from '../schemas/knowledge/search.ts';
import { LIMITS } from '../schemas/limits.ts';
import {
  capsuleApiPath,
  capsuleFilePath,
  capsuleVersionPath,
  lineageApiPath,
  lineageFilePath,
  openedPagePath,
  PATHS,
  quoteApiPath,
  relatedApiPath,
} from '../schemas/paths.ts';
import { Cursor, Id, Version } from '../schemas/primitives.ts';
import { dayOf } from '../schemas/time.ts';

const CapsulePathParameters = z.object({ capsule_id: Id.describe('Id of the capsule.') });

const GetCapsuleParameters = z.strictObject({ version: Version.optional().describe('Version; the current one by default.') });

const GetPaidCapsuleParameters = GetCapsuleParameters.extend({
  pass: z.string().max(LIMITS.shortTextMaxLength).optional().describe('Pass of an order, without a key.'),
});

type Input = RouteInput<z.infer<typeof CapsulePathParameters>, z.infer<typeof GetPaidCapsuleParameters>, undefined>;

const MARKDOWN = 'text/markdown';
const MARKDOWN_UTF8 = `${MARKDOWN}; charset=utf-8`;
const JSON_TYPE = 'application/json';

const FREE =
  'Metadata, text and digest of a capsule. With "Accept: text/markdown", the exact bytes of the text that content_sha256 identifies. Superseded and retracted capsules are returned too, with their status and the reason.';

const PAID =
  ' The text of a capsule with access "paid" is sold: without a payment the response is 402, with challenges of x402 version 2 (PAYMENT-REQUIRED, and the body) and MPP (WWW-Authenticate). With a payment it is the capsule with a receipt. The same payment returns it again and is charged once. A wallet that bought it reads it again by sign-in-with-x.';

/** @param payments Whether the deployment accepts payments. */
export function getCapsuleRoute(payments: 'on' | 'off'): Route {
  return defineRoute({
    id: 'getCapsule',
    path: capsuleApiPath('{capsule_id}'),
    summary: 'Get a capsule',
    description: payments === 'on' ? FREE + PAID : FREE,
    capability: 'capsules',
    access: 'open',
    edge: false,
    staticPath: capsuleFilePath('{capsule_id}'),
    pathParameters: CapsulePathParameters,
    queryParameters: payments === 'on' ? GetPaidCapsuleParameters : GetCapsuleParameters,
    ...(payments === 'on'
      ? {
          acceptsKey: 'for paid texts' as const,
          headers: [
            {
              name: 'PAYMENT-SIGNATURE',
              description: 'x402 version 2 payment in base64. An MPP credential is sent in Authorization instead.',
              minLength: 1,
              maxLength: LIMITS.paymentHeaderMaxLength,
              example: 'eyJ4NDAyVmVyc2lvbiI6Mn0=',
            },
            {
              name: 'Pay-With',
              description: '"credit" pays from the credit of the key, or with the key from that of the pass.',
              minLength: 1,
              maxLength: LIMITS.shortTextMaxLength,
              example: CREDIT,
            },
          ],
        }
      : {}),
    responses: [
      jsonResponse('The capsule.', Capsule),
      { status: 200, description: 'The text alone.', content: { type: MARKDOWN, schema: z.string() } },
    ],
    errors: [
      'capsule_not_found',
      'not_acceptable',
      'index_unavailable',
      ...(payments === 'on'
        ? ([
            'payment_required',
            'payment_invalid',
            'payment_conflict',
            'payment_settling',
            'payment_unresolved',
            'quota_exceeded',
            'not_configured',
            'facilitator_unavailable',
            'state_unavailable',
            'insufficient_scope',
            'api_key_invalid',
          ] as const)
        : []),
    ],
    onInvalid: challengeFirst,
    cache: 60,
    handle: (input, deps) => withCorpus(deps.corpus, () => respond(input, deps)),
  });
}

async function respond(input: Input, deps: GatewayDependencies): Promise<Result<Outcome>> {
  const { corpus, deployment } = deps;
  const { baseUrl } = deployment;
  const { path, query } = input;
  const found = await findCapsule(path.capsule_id, query.version, corpus.newest);
  if (!found.ok) return found;
  const { metadata, markdown, ...more } = found.value;
  if (markdown !== undefined) {
    const isText = input.preferredType === MARKDOWN;
    const asJson = (): string => JSON.stringify(capsuleResponse({ metadata, markdown, ...more }, baseUrl));
    const document = isText
      ? await corpus.documents.of(found.value, MARKDOWN, MARKDOWN_UTF8, () => markdown)
      : await corpus.documents.of(found.value, JSON_TYPE, JSON_TYPE, asJson);
    const location = { 'Content-Location': capsuleVersionPath(metadata.capsule_id, metadata.version) };
    return ok({ kind: 'document', document, headers: { Vary: 'Accept', ...(isText ? location : {}) } });
  }
  const paysWith = paysWithIn(input.isHead ? undefined : input.rawHeader('Pay-With'));
  const pays = paysWith === CREDIT;
  const { schemes, payments } = await deps.loadSales();
  const payment = input.isHead ? undefined : readPayment(input.rawHeader, schemes);
  const signsIn = !input.isHead && input.rawHeader('SIGN-IN-WITH-X') !== undefined;
  const allowance = pays || signsIn || payment !== undefined ? await input.takeRateLimit('pay') : ok(undefined);
  if (!allowance.ok) return allowance;
  const opened = await openOrPay(metadata, { identify: input.identify, pass: query.pass, pays }, corpus, deps);
  if (!opened.ok) return opened;
  const { sold, receipt, creditMinor, canBuy } = opened.value;
  if (sold) return ok(soldOutcome(capsuleResponse(sold, baseUrl), input, { ...PRIVATE, ...receipt }));
  const asked = { metadata, preview: more.preview, namedVersion: query.version };
  const accepts = input.rawHeader('Accept-Payment');
  const shop = payments === undefined || 'missing' in payments ? payments : { ...payments, network: input.network, accepts };
  const again = signsIn ? await openForWallet(asked, input.rawHeader, corpus.newest, shop, baseUrl) : ok(undefined);
  if (again.ok && again.value) return ok(soldOutcome(capsuleResponse(again.value, baseUrl), input, PRIVATE));
  // A payment in the same request is used if the wallet bought nothing.
  if (payment === undefined) return again.ok ? unpaid(asked, shop, deployment, { creditMinor, canBuy, paysWith, pass: query.pass }) : again;
  const bought = await sellCapsule(asked, payment, corpus.newest, shop, baseUrl);
  return bought.ok ? ok(soldOutcome(capsuleResponse(bought.value.sold, baseUrl), input, bought.value.headers)) : bought;
}

/** The page of a paid capsule with its text, for the holder of a pass: what its address shows then. Documents do not describe it. */
export const openedPageRoute = defineRoute({
  id: 'viewOpenedCapsule',
  path: openedPagePath('{capsule_id}'),
  summary: 'Read a paid capsule with a pass',
  description: 'The page of a capsule with its text.',
  capability: 'capsules',
  access: 'open',
  acceptsKey: 'for paid texts',
  pathParameters: CapsulePathParameters,
  queryParameters: z.looseObject({ pass: z.string().optional().describe('Pass of an order.') }),
  responses: [pageResponse()],
  errors: ['payment_required', 'capsule_not_found', 'index_unavailable', 'state_unavailable'],
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'pass', refusal }, visibility: 'secret' }),
  handle: (input, deps) =>
    withCorpus(deps.corpus, async () => {
      const { corpus, deployment } = deps;
      const found = await findCapsule(input.path.capsule_id, undefined, corpus.newest);
      if (!found.ok) return found;
      const { metadata } = found.value;
      const opened = await openOrPay(metadata, { identify: input.identify, pass: input.query.pass }, corpus, deps);
      if (!opened.ok) return opened;
      if (opened.value.sold === undefined && isPaid(metadata)) return unpaid(found.value, (await deps.loadSales()).payments, deployment);
      const page = await readCapsulePage(metadata.capsule_id, corpus, deployment.offers, () => input.degrade('index'));
      if (!page.ok) return page;
      const { sold: _sold, ...shown } = page.value;
      return ok({ kind: 'page', page: 'capsule', props: { ...shown, text: opened.value.sold?.article }, visibility: 'secret' });
    }),
});

function soldOutcome(capsule: Capsule, { preferredType }: Input, receipt: Readonly<Record<string, string>>): Outcome {
  const headers = { Vary: 'Accept', ...receipt };
  if (preferredType !== MARKDOWN) return { kind: 'json', status: 200, value: capsule, headers };
  return { kind: 'text', contentType: MARKDOWN_UTF8, body: capsule.markdown, headers };
}

/** Headers by which a caller uses what it has paid for, apart from those of payments. */
const PROOFS = ['Authorization', 'Pay-With', 'SIGN-IN-WITH-X'];

/**
 * An invalid request for a paid text gets the price first, because crawlers of paid resources send no parameters. A caller that pays or has
 * paid is told what is wrong: a payment would not bring the text.
 */
async function challengeFirst(
  rawPath: Readonly<Record<string, string>>,
  refusal: Refusal,
  { corpus, deployment, loadSales }: GatewayDependencies,
  { headers, url }: Request,
): Promise<Refusal> {
  const path = CapsulePathParameters.safeParse(rawPath);
  if (deployment.payments === undefined || !path.success) return refusal;
  const { schemes, payments } = await loadSales();
  const payment = readPayment((name) => headers.get(name) ?? undefined, schemes);
  const isPaying = payment !== undefined || PROOFS.some((name) => headers.has(name)) || new URL(url).searchParams.has('pass');
  if (isPaying) return refusal;
  const challenge = await withCorpus(corpus, async () =>
    ok(await paymentChallengeFor(path.data.capsule_id, corpus.newest, payments, deployment)),
  );
  if (!challenge.ok) return challenge.refusal;
  return challenge.value?.ok === false ? challenge.value.refusal : refusal;
}

const fetchCapsulesRoute = (payments: 'on' | 'off'): Route =>
  defineRoute({
    id: 'fetchCapsules',
    method: 'POST',
    path: `${PATHS.capsulesApi}/fetch`,
    summary: 'Fetch several capsules',
    description: `Up to ${LIMITS.fetchItemsMax} complete capsules in one request, with an outcome for each, in the order requested. Superseded and retracted capsules are returned with their status and the reason, and are never substituted. token_budget limits their total size.`,
    capability: 'capsules',
    access: 'open',
    ...(payments === 'on' ? { acceptsKey: 'for paid texts' as const } : {}),
    body: FetchRequest,
    responses: [jsonResponse('An outcome for each capsule.', FetchResponse)],
    errors: ['index_unavailable', ...(payments === 'on' ? (['state_unavailable'] as const) : [])],
    handle: async (input, deps) => {
      const { corpus, deployment } = deps;
      const open = async (metadata: CapsuleMetadata) => {
        const opened = await openOrPay(metadata, { identify: input.identify }, corpus, deps);
        return opened.ok ? ok(opened.value.sold) : opened;
      };
      return jsonOutcome(await fetchCapsules(input.body, corpus, deployment.baseUrl, deployment, open));
    },
  });

const getRelatedRoute = defineRoute({
  id: 'getRelatedCapsules',
  path: relatedApiPath('{capsule_id}'),
  summary: 'List related capsules',
  description:
    'Summaries of the capsules with the most similar text, most similar first, with a similarity score. The lineage shows which capsules build on each other; this shows which are about the same subject, whether or not they refer to each other.',
  capability: 'capsules',
  access: 'open',
  pathParameters: CapsulePathParameters,
  queryParameters: z.strictObject({}),
  responses: [jsonResponse('The related capsules.', RelatedResponse)],
  errors: ['capsule_not_found', 'index_unavailable'],
  cache: 60,
  handle: async ({ path, degrade }, { corpus, deployment }) =>
    jsonOutcome(await similarCapsules(path.capsule_id, corpus, deployment.baseUrl, () => degrade('index'))),
});

const GetLineageParameters = z.strictObject({
  cursor: Cursor.optional().describe(
    'next_cursor of the previous page of the graph. PROV has no graph: it is always the newest version, and cursors are ignored.',
  ),
});

export const getLineageRoute = defineRoute({
  id: 'getCapsuleLineage',
  path: lineageApiPath('{capsule_id}'),
  summary: "Get a capsule's lineage",
  description:
    'The chain of versions with the digest of each record and text, the head, and the graph around the capsule. The graph has the capsules that this one builds on and that build on it, each with its digest and whether its text matches. Without a cursor the bytes are those of the lineage file. Addresses are root-relative; signatures are empty if no signing key is configured. With "Accept: application/ld+json", the chain as PROV-JSONLD, unsigned, with absolute addresses.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: lineageFilePath('{capsule_id}'),
  pathParameters: CapsulePathParameters,
  queryParameters: GetLineageParameters,
  responses: [
    jsonResponse('The lineage.', Lineage),
    { status: 200, description: 'The chain of versions as PROV.', content: { type: 'application/ld+json', schema: ProvLineage } },
  ],
  errors: ['capsule_not_found', 'not_acceptable', 'invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  cache: 60,
  handle: async ({ path, query: { cursor }, preferredType }, { corpus, deployment }) => {
    const headers = { Vary: 'Accept' };
    if (preferredType === 'application/ld+json') {
      const prov = await readProvLineage(path.capsule_id, corpus, deployment.baseUrl);
      if (!prov.ok) return prov;
      return ok({ kind: 'text', contentType: preferredType, body: prov.value, headers });
    }
    const lineage = await readLineageDocument({ id: path.capsule_id, cursor, hasCursors: true }, corpus);
    return lineage.ok ? ok({ kind: 'document', document: lineage.value, headers }) : lineage;
  },
});

const QuoteParameters = z.strictObject({
  text: quotation('is missing; send the quotation in the URL: ?text=word+for+word'),
  version: Version.optional().describe('Quoted version; the newest by default.'),
});

const verifyQuoteRoute = defineRoute({
  id: 'verifyQuote',
  path: quoteApiPath('{capsule_id}'),
  summary: 'Verify a quotation',
  description:
    'Says whether a capsule contains a quotation, and where. White space and markup may differ. For agents that cannot compare texts or compute digests.',
  capability: 'capsules',
  access: 'open',
  pathParameters: CapsulePathParameters,
  queryParameters: QuoteParameters,
  responses: [jsonResponse('Whether and where the capsule has the quotation.', QuoteCheck)],
  errors: ['capsule_not_found', 'index_unavailable'],
  cache: 60,
  handle: async ({ path, query, degrade }, { corpus, deployment }) => {
    const quotation = { capsuleId: path.capsule_id, version: query.version, quote: query.text };
    return jsonOutcome(await verifyQuote(quotation, corpus, deployment.baseUrl, () => degrade('index')));
  },
});

const BROWSE = {
  id: 'browseCapsules',
  path: `${PATHS.publicCapsules}/browse`,
  summary: 'List the public capsules',
  description:
    'Summaries of the public capsules, most recently changed first, in pages. Totals are exact. A cursor keeps reading the corpus version that it came from.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/browse.json`,
  responses: [jsonResponse('One page of the list; the static file contains the whole list.', BrowseResponse)],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  cache: 60,
  handle: async (
    { query, degrade }: { readonly query: SectionedBrowseParameters } & Pick<RouteInput<undefined, undefined, undefined>, 'degrade'>,
    { corpus, deployment }: GatewayDependencies,
  ) => jsonOutcome(await browseCapsules(query, corpus, deployment.baseUrl, () => degrade('index'), deployment.sections)),
  onInvalid: async (_path: unknown, refusal: Refusal) =>
    withOtherOperation(refusal, SearchParameters, (name) => get(`Use the search, which takes "${name}".`, `${PATHS.gateway}/search`)),
} as const;

export const browseCapsulesRoute = defineRoute({ ...BROWSE, queryParameters: BrowseParameters });

const browseSectionsRoute = defineRoute({ ...BROWSE, queryParameters: SectionedBrowseParameters });

/** Parsed manifests: parsing at each request would cost more than everything else in the response. */
const manifests = new WeakMap<PublishedDocument, CorpusManifest>();

const getChangesRoute = defineRoute({
  id: 'listChanges',
  path: `${PATHS.publicCapsules}/changes`,
  summary: 'List changes',
  description:
    'What was added, revised, superseded, retracted, restored or removed, in the order of publication, with the digests of records and texts. Events are about content: heads and the manifest are also issued again every month and after a change of keys, without an event. Keep the cursor of the response and send it next time, however much later, to get everything that happened since. The manifest describes the whole corpus as it is now and where to download it as a bundle.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/changes.json`,
  queryParameters: ChangesParameters,
  responses: [jsonResponse('Events after the cursor; a file contains all of them.', ChangesResponse)],
  errors: ['feed_restarted', 'index_unavailable'],
  cache: 60,
  handle: async ({ query }, { corpus, deployment, documents }) => {
    const document = documents.corpusManifest;
    const manifest = remembered(manifests, document, () => CorpusManifest.parse(JSON.parse(document.body)));
    return jsonOutcome(await readChanges(query, corpus, { manifest, baseUrl: deployment.baseUrl }));
  },
  onInvalid: async (_path, refusal) =>
    withOtherOperation(refusal, BrowseParameters, (name) => get(`List the capsules, which takes "${name}".`, BROWSE.path)),
});

const getStatusRoute = defineRoute({
  id: 'getStatus',
  path: PATHS.statusApi,
  summary: 'Get service status',
  description:
    'Corpus version, counts and the most recent change. A live service checks its main operations while it responds: a query, a capsule, keys and the database.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/status.json`,
  responses: [jsonResponse('The status.', StatusResponse)],
  handle: async (_input, deps) => jsonOutcome(ok(await liveStatus(deps))),
});

/** The error that says what of the service does not work, by the first check that fails. */
const UNHEALTHY: Readonly<Record<StatusResponse['checks'][number]['name'], 'index_unavailable' | 'not_configured' | 'state_unavailable'>> =
  {
    query: 'index_unavailable',
    capsule: 'index_unavailable',
    index: 'index_unavailable',
    keys: 'not_configured',
    checkout: 'not_configured',
    database: 'state_unavailable',
  };

const getHealthRoute = defineRoute({
  id: 'getHealth',
  path: PATHS.healthApi,
  summary: 'Get service health',
  description:
    'The checks of getStatus as one HTTP status: 200 if all pass, 503 if one fails, with the failures as its detail. For uptime monitors.',
  capability: 'capsules',
  access: 'open',
  responses: [{ status: 200, description: 'Everything works.', content: { type: 'text/plain', schema: z.literal('ok') } }],
  errors: ['index_unavailable', 'not_configured', 'state_unavailable'],
  handle: async (_input, deps) => {
    const failures = (await liveStatus(deps)).checks.filter(({ ok }) => !ok);
    const [first] = failures;
    if (first === undefined) return ok({ kind: 'text', contentType: 'text/plain; charset=utf-8', body: 'ok' });
    return refuse(UNHEALTHY[first.name], `${failures.map(({ name, detail }) => `${name}: ${detail}`).join('; ')}.`);
  },
});

export async function liveStatus(deps: GatewayDependencies): Promise<StatusResponse> {
  const { processor } = deps.commerce;
  const keysConfigured = !('missing' in deps.secrets);
  return reportStatus(deps.corpus, { ...deps, keysConfigured, processorConfigured: processor && !('missing' in processor) });
}

/** The same for people, with the history. Where functions fail, the host serves the file of the page, which says that nothing was checked. */
export const viewStatusRoute = defineRoute({
  id: 'viewStatus',
  path: PATHS.status,
  summary: 'See the status in a browser',
  description: 'What works now, and what has worked in the last 90 days. Programs use getStatus.',
  capability: 'capsules',
  access: 'open',
  responses: [pageResponse('The page, with live checks.')],
  handle: async (_input, deps) => {
    const [status, days] = await Promise.all([liveStatus(deps), deps.statusHistory()]);
    const { baseUrl, checkoutHost = baseUrl, commerce } = deps.deployment;
    // Test checkouts are pages of this site.
    const isElsewhere = deps.features.shop && commerce.processor === 'links' && new URL(checkoutHost).host !== new URL(baseUrl).host;
    const props = { status, days, today: dayOf(deps.clock.nowMs()), checkoutHost: isElsewhere ? new URL(checkoutHost).host : undefined };
    return ok({ kind: 'page', page: 'status', props });
  },
});

export function routes(settings: ProtocolSettings): readonly Route[] {
  const payments = settings.payments === undefined ? 'off' : 'on';
  return [
    getCapsuleRoute(payments),
    getLineageRoute,
    getRelatedRoute,
    verifyQuoteRoute,
    fetchCapsulesRoute(payments),
    settings.sections === undefined ? browseCapsulesRoute : browseSectionsRoute,
    getChangesRoute,
    getStatusRoute,
    getHealthRoute,
    viewStatusRoute,
    ...(settings.payments === undefined ? [] : [openedPageRoute]),
  ];
}

import type * as z from 'zod';
import { agentIdOf } from '../../gateway/agents/api-key.ts';
import { hasId, unknownOffer } from '../../gateway/commerce/catalog/find-offer.ts';
import { openOrPay, paysWithIn, unpaid } from '../../gateway/commerce/payments/capsule-paywall.ts';
import { get } from '../../gateway/error-next-actions.ts';
import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import { isPaid } from '../../gateway/knowledge/capsule-response.ts';
import { statedTitle, stateNote, stateOf } from '../../gateway/knowledge/capsule-status-sentences.ts';
import { withCorpus } from '../../gateway/knowledge/corpus.ts';
import { capsuleFile, paidPreview } from '../../gateway/knowledge/paid-text-preview.ts';
import { queryAllKinds } from '../../gateway/knowledge/query-knowledge.ts';
import { didYouMean, findCapsule, NO_SUCH_CAPSULE, similarCapsules, suggestCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { readLineage } from '../../gateway/knowledge/read-lineage.ts';
import { offerMembers } from '../../gateway/knowledge/render-site-result.ts';
import { findQuote, verifyQuote } from '../../gateway/knowledge/verify-quote.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { renamed } from '../../http/read-body.ts';
import { readFileText } from '../../http/serve-file.ts';
import { suggestValue, validateInput } from '../../http/validate-input.ts';
import { CREDIT, PAY_WITH_META } from '../../schemas/commerce/access-passes.ts';
import { availabilityOf, hasPrice, isDeliveredAtOnce } from '../../schemas/commerce/currency-and-availability.ts';
import type { Offer, QuoteOnlyOffer } from '../../schemas/commerce/offers.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { SITE_KINDS } from '../../schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import {
  buyPath,
  capsuleApiPath,
  capsulePath,
  checkoutPath,
  HOME_PAGE_ID,
  PATHS,
  pageMarkdownPath,
  pageOfSiteText,
  siteTextPath,
} from '../../schemas/paths.ts';
import { Id, Version } from '../../schemas/primitives.ts';
import { dayOf } from '../../schemas/time.ts';
import { plainMarkdown } from '../../text/markdown/write-markup.ts';
import { createUcpCheckout, readUcpCheckout } from '../ucp/checkouts.ts';
import type { UcpCheckout } from '../ucp/ucp-schemas.ts';
import {
  BrowseArguments,
  CHECKOUT_TOOL,
  CheckoutArguments,
  FetchArguments,
  OffersArguments,
  SearchArguments,
  searchResults,
  sellsByCheckout,
  siteTextId,
  termsOf,
  VerifyQuoteArguments,
} from './knowledge-tools.ts';
import type { McpInput } from './mcp-route.ts';
import { readResource } from './resources.ts';

type Arguments = Readonly<Record<string, unknown>>;
type ToolResult = Result<object>;

/** What a model reads at once; the length is in UTF-16 code units. The tool query gives more. */
const SEARCH_RESULTS = 5;
const SEARCH_QUOTE_LENGTH = 360;

export function canCheckOut(input: McpInput, deps: GatewayDependencies): boolean {
  return sellsByCheckout(deps.deployment) && checkoutDependencies(deps, input).ok;
}

/** Calls a tool; `undefined` for an unknown name. The result is an object that is sent as JSON text. @param meta `_meta` of the call. */
export async function callTool(
  name: string,
  args: Arguments,
  meta: Arguments,
  input: McpInput,
  deps: GatewayDependencies,
): Promise<ToolResult | undefined> {
  const degraded = () => input.degrade('index');
  const { corpus, deployment } = deps;
  const search = async (request: QueryRequest, write: (response: SearchResponse) => object): Promise<ToolResult> => {
    // As over HTTP: against the limit of the key's agent, or of the network without a key.
    const allowance = await input.takeRateLimit(input.caller === undefined ? 'search' : 'query');
    const found = allowance.ok ? await queryAllKinds(request, corpus, deployment, degraded) : allowance;
    return found.ok ? ok(write(found.value)) : found;
  };
  switch (name) {
    case 'search':
      return checked(SearchArguments, args, ({ query }) => {
        const request = queryOfSearch({ q: query, max_results: SEARCH_RESULTS, quote_length: SEARCH_QUOTE_LENGTH });
        return search(request, ({ results }) => searchResults(results));
      });
    case 'fetch':
      return checked(FetchArguments, args, (fetched) => fetchText(fetched, paysWithIn(meta[PAY_WITH_META]), input, deps));
    case 'verify_quote':
      // In A2A and REST, whose quotations are of capsules, the id is `capsule_id`.
      return checked(VerifyQuoteArguments, renamed(args, 'capsule_id', 'id'), (quotation) => verifyQuoteIn(quotation, input, deps));
    case 'query':
      return checked(QueryRequest, args, (request) => search(request, (response) => queryResponse(response, request.fields !== undefined)));
    case 'browse':
      return checked(BrowseArguments, args, async (list) => {
        const found = await browseCapsules(list, corpus, deployment.baseUrl, degraded);
        return found.ok ? ok({ ...found.value, items: found.value.items.map(inBrief) }) : found;
      });
    case 'offers':
      return deps.features.shop ? checked(OffersArguments, args, async () => offers(deps)) : undefined;
    case CHECKOUT_TOOL:
      return canCheckOut(input, deps) ? checked(CheckoutArguments, args, (order) => checkout(order, input, deps)) : undefined;
    default:
      return undefined;
  }
}

/** Pointer to an argument, for that of an error that names it as REST or UCP does. */
export function sentArgument(pointer: string, args: Arguments): string {
  const named = pointer.replace(/^version$/, 'version' in args ? '/version' : '/id').replace(/^\/line_items(?=\/)/, '/items');
  return 'capsule_id' in args ? named.replace(/^\/id$/, '/capsule_id') : named;
}

async function checked<T>(schema: z.ZodType<T>, args: unknown, run: (value: T) => Promise<ToolResult>): Promise<ToolResult> {
  const valid = validateInput(schema, args, 'arguments');
  return valid.ok ? run(valid.value) : valid;
}

/** Members for programs that read over HTTP or compute digests; a query names them in `fields` to get them, `fetch` has them as details. */
const OF_PROGRAMS: readonly string[] = [
  ...['score', 'highlights', 'content_sha256', 'markdown_url', 'paid_url', 'json_url', 'lineage_url', 'related_url'],
  ...['created', 'words', 'access', 'buy_url'],
];

function inBrief(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !OF_PROGRAMS.includes(name)));
}

/** The response to a query, with ids that `fetch` takes, without what only programs read. */
function queryResponse({ results, meta, ...response }: SearchResponse, hasFields: boolean): object {
  const { applied: _applied, other_kinds: others, ...rest } = meta;
  return {
    ...response,
    results: results.map((result) => {
      const named = result.kind === 'capsule' ? result : { ...result, id: siteTextId(result) };
      return hasFields ? named : inBrief(named);
    }),
    meta: { ...rest, ...(others === undefined ? {} : { other_kinds: others.map((other) => ({ ...other, id: siteTextId(other) })) }) },
  };
}

/** The catalog of today as a model reads it: each offer once, with its terms, without routes of the site. */
function offers({ deployment, clock }: GatewayDependencies): ToolResult {
  const { offers: priced, quoteOnlyOffers = [], baseUrl, catalogUpdatedAt } = deployment;
  const today = dayOf(clock.nowMs());
  return ok({
    currency: 'USD',
    updated_at: catalogUpdatedAt,
    offers: [...priced, ...quoteOnlyOffers].map((offer) => {
      const { id, name, summary, demo } = offer;
      const { available: _, ...terms } = termsOf(offerMembers(id, deployment, baseUrl));
      const described = { id, name, description: summary, ...terms, url: baseUrl + buyPath(id) };
      if (!hasPrice(offer)) return described;
      const hosted = isDeliveredAtOnce(offer) ? baseUrl + checkoutPath(id, 'USD') : offer.checkoutUrl;
      return { ...described, availability: availabilityOf(offer, today), checkout_url: demo ? undefined : hosted };
    }),
  });
}

async function checkout(args: z.infer<typeof CheckoutArguments>, input: McpInput, deps: GatewayDependencies): Promise<ToolResult> {
  const { items = [], checkout_id: id, currency, challenge_solution: solution } = args;
  const allowance = await input.takeRateLimit('buy');
  if (!allowance.ok) return allowance;
  const dependencies = checkoutDependencies(deps, input);
  if (!dependencies.ok) return dependencies;
  if (solution !== undefined) input.useChallengeSolution(solution);
  const body = {
    line_items: items.map(({ id: offer, quantity }) => ({ item: { id: offer }, quantity })),
    ...(currency === undefined ? {} : { currency }),
  };
  const holder = input.caller && agentIdOf(input.caller.key.payload);
  const session =
    id === undefined
      ? await createUcpCheckout(body, { profile: '', idempotencyKey: undefined, sentBody: body }, dependencies.value, holder)
      : await readUcpCheckout(id, dependencies.value);
  if (!session.ok) return session;
  // A refusal that UCP reports as an outcome.
  if (session.value.refusal !== undefined) return { ok: false, refusal: session.value.refusal };
  const written = JSON.parse(session.value.body) as UcpCheckout;
  return ok({
    checkout_id: written.id,
    status: written.status,
    total_minor: written.totals.at(-1)?.amount,
    currency: written.currency,
    pay_url: written.continue_url,
    expires_at: written.expires_at,
    order_url: written.order?.permalink_url,
    notes: written.messages?.map(({ content }) => content),
  });
}

type FoundText =
  | { readonly kind: 'capsule'; readonly stored: StoredVersion }
  | { readonly kind: 'page'; readonly title: string; readonly text: string; readonly path: string };

const CAPSULE_FOLDERS = [capsulePath(''), capsuleApiPath('')];
const CAPSULE_FILE = /^([a-z0-9-]+)(?:\.md|\/(\d[\w.+-]*)\.md|\/[a-z]+(?:\.json)?)?$/;

/** Kinds of texts whose ids are the last part of the path of their page; a guide has its whole path. */
const KINDS_BY_FOLDER = [
  [PATHS.buy, 'offer'],
  [PATHS.problems, 'error'],
  [PATHS.api, 'operation'],
] as const;

const PAGE_PATH = /^(?:\/|(?:\/[A-Za-z0-9_-]+)+)$/;

/**
 * The text that an id names: of a capsule its own id, perhaps with `@version`; of a guide, an offer or an error the path of its page, or its
 * own id if no capsule has it; of anything else its address, whole or as a path.
 */
async function findText(
  asked: string,
  version: string | undefined,
  input: McpInput,
  deps: GatewayDependencies,
): Promise<Result<FoundText>> {
  const { corpus, deployment } = deps;
  const isOwn = asked === deployment.baseUrl || asked.startsWith(`${deployment.baseUrl}/`);
  const [address = ''] = (isOwn ? asked.slice(deployment.baseUrl.length) || PATHS.home : asked).split(/[?#]/);
  const folder = CAPSULE_FOLDERS.find((path) => address.startsWith(path));
  const [, addressed, addressedVersion] = (folder !== undefined && CAPSULE_FILE.exec(address.slice(folder.length))) || [];
  const [id = '', atVersion] = addressed === undefined ? address.split('@') : [addressed, addressedVersion];
  const named = version ?? atVersion;
  if (Id.safeParse(id).success && (named === undefined || Version.safeParse(named).success)) {
    const stored = await withCorpus(corpus, () => findCapsule(id, named, corpus.newest));
    if (stored.ok) return ok({ kind: 'capsule', stored: stored.value });
    if (stored.refusal.detail !== NO_SUCH_CAPSULE) return stored;
  }
  const page = address.startsWith('/') ? await findPage(address, input, deps) : await findByOwnId(address, deps);
  if (page !== undefined) return ok(page);
  const name = offerNameOf(address) ?? address;
  const offer = offersOfSite(deps).find((one) => hasId(one, name));
  const aliased = offer && (await findPage(buyPath(offer.id), input, deps));
  return aliased === undefined ? unknownId(id, atVersion, name, deps) : ok(aliased);
}

function offerNameOf(path: string): string | undefined {
  return path.startsWith(buyPath('')) ? path.slice(buyPath('').length) : undefined;
}

function offersOfSite({ deployment: { offers, quoteOnlyOffers = [] } }: GatewayDependencies): readonly (Offer | QuoteOnlyOffer)[] {
  return [...offers, ...quoteOnlyOffers];
}

async function findPage(address: string, input: McpInput, deps: GatewayDependencies): Promise<FoundText | undefined> {
  const exact = pageOfSiteText(address);
  const path = exact ?? address.replace(/\.md$/, '');
  if (exact !== undefined) return pageText(path, [address], deps);
  if (!PAGE_PATH.test(path)) {
    const resource = await readResource(deps.deployment.baseUrl + address, input, deps);
    return resource && { kind: 'page', title: address, text: resource.text, path: address };
  }
  const [, kind] = KINDS_BY_FOLDER.find(([folder]) => path.startsWith(`${folder}/`)) ?? [undefined, 'guide' as const];
  const id = kind === 'guide' ? path.slice(1) || HOME_PAGE_ID : path.slice(path.lastIndexOf('/') + 1);
  return pageText(path, [siteTextPath(kind, id), pageMarkdownPath(path)], deps);
}

async function findByOwnId(id: string, deps: GatewayDependencies): Promise<FoundText | undefined> {
  if (!PAGE_PATH.test(`/${id}`)) return undefined;
  for (const kind of SITE_KINDS) {
    const found = await pageText(siteTextId({ kind, id }), [siteTextPath(kind, id)], deps);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function pageText(path: string, files: readonly string[], deps: GatewayDependencies): Promise<FoundText | undefined> {
  for (const file of files) {
    const text = await readFileText(file, deps);
    if (text !== undefined) return { kind: 'page', title: /^# (.+)$/m.exec(text)?.[1] ?? path, text, path };
  }
  return undefined;
}

async function unknownId(id: string, sentVersion: string | undefined, name: string, deps: GatewayDependencies): Promise<Result<never>> {
  const { corpus } = deps;
  const version = suggestValue(sentVersion, Version);
  const near = await withCorpus(corpus, async () => {
    const known = await suggestCapsules(id, corpus.newest);
    const hasVersion = async (one: string): Promise<boolean> => (await findCapsule(one, String(version), corpus.newest)).ok;
    return ok(await Promise.all(known.map(async (one) => (version && (await hasVersion(one)) ? `${one}@${version}` : one))));
  });
  const { didYouMean: offer } = unknownOffer(name, '/id', offersOfSite(deps));
  const ids = [...(near.ok ? near.value : []), ...(typeof offer === 'string' ? [offer] : [])];
  const [first] = ids;
  return refuse('capsule_not_found', `No text has this id. ${didYouMean(ids)}`.trim(), {
    ...(first === undefined ? {} : { errors: [{ pointer: '/id', message: 'is unknown', didYouMean: first }] }),
    nextActions: [
      ...ids.map((known) => get(`Fetch "${known}".`, capsuleApiPath(known))),
      get('Search, and take the id of a result.', `${PATHS.gateway}/search`),
    ],
  });
}

async function fetchText(
  { id: asked, include = [], cursor }: z.infer<typeof FetchArguments>,
  paysWith: ReturnType<typeof paysWithIn>,
  input: McpInput,
  deps: GatewayDependencies,
): Promise<Result<object>> {
  const found = await findText(asked, undefined, input, deps);
  if (!found.ok) return found;
  const { corpus, deployment } = deps;
  if (found.value.kind === 'page') {
    const { title, text, path } = found.value;
    const terms = termsOf(offerMembers(offerNameOf(path) ?? '', deployment, deployment.baseUrl));
    const metadata = Object.keys(terms).length === 0 ? {} : { metadata: terms };
    return ok({ id: asked, title, text, url: deployment.baseUrl + path, ...metadata });
  }
  const { stored } = found.value;
  const { metadata } = stored;
  const opened = await openByTool(stored, paysWith, input, deps);
  if (!opened.ok) return opened;
  const { capsule_id: id, summary, evidence, license, updated, content_sha256 } = metadata;
  const note = stateNote(metadata);
  const related = include.includes('related')
    ? await similarCapsules(id, corpus, deployment.baseUrl, () => input.degrade('index'))
    : ok(undefined);
  if (!related.ok) return related;
  const lineage = include.includes('lineage') ? await readLineage({ id, cursor, hasCursors: true }, corpus) : ok(undefined);
  if (!lineage.ok) return lineage;
  const { markdown: _text, ...details } = { markdown: undefined, ...capsuleFile(stored, deployment) };
  return ok({
    id: asked,
    title: statedTitle(metadata),
    text: `${note === '' ? '' : `> ${plainMarkdown(note)}\n\n`}${stored.markdown ?? opened.value.sold?.markdown ?? paidPreview(stored, deployment)}`,
    url: deployment.baseUrl + capsulePath(id),
    metadata: { version: metadata.version, ...stateOf(metadata), evidence, license, updated, content_sha256, summary },
    payment_receipt: opened.value.receipt?.['Payment-Receipt'],
    ...(include.includes('details') ? { details } : {}),
    related: related.value?.items.map((item) => {
      const { capsule_id, summary, similarity } = item;
      return { id: capsule_id, title: statedTitle(item), summary, similarity };
    }),
    lineage: lineage.value && (JSON.parse(lineage.value) as unknown),
  });
}

/** A paid text for a pass, or paid from the credit of the key if the client asks for it; refused if it then cannot be paid. */
async function openByTool(stored: StoredVersion, paysWith: ReturnType<typeof paysWithIn>, input: McpInput, deps: GatewayDependencies) {
  const { corpus, deployment } = deps;
  const { metadata } = stored;
  const pays = paysWith === CREDIT;
  const allowance = pays ? await input.takeRateLimit('pay') : ok(undefined);
  if (!allowance.ok) return allowance;
  const opened = await withCorpus(corpus, () => openOrPay(metadata, { identify: input.identify, pays }, corpus, deps));
  if (!opened.ok || opened.value.sold || paysWith === undefined || !isPaid(metadata)) return opened;
  const { creditMinor, canBuy } = opened.value;
  return unpaid(stored, (await deps.loadSales()).payments, deployment, { creditMinor, canBuy, paysWith });
}

async function verifyQuoteIn(args: z.infer<typeof VerifyQuoteArguments>, input: McpInput, deps: GatewayDependencies): Promise<ToolResult> {
  const { id: asked, version, quote } = args;
  const found = await findText(asked, version, input, deps);
  if (!found.ok) return found;
  const { corpus, deployment } = deps;
  if (found.value.kind === 'page') {
    const { title, text, path } = found.value;
    return ok({ id: asked, title, ...findQuote(quote, { text, title }), url: deployment.baseUrl + path });
  }
  const { capsule_id: capsuleId, version: ofText } = found.value.stored.metadata;
  const check = await verifyQuote({ capsuleId, version: ofText, quote }, corpus, deployment.baseUrl, () => input.degrade('index'));
  if (!check.ok) return check;
  // Addresses and digests are for programs; fetch has those of the text.
  const forPrograms: readonly string[] = ['capsule_id', 'corpus_version', 'content_sha256', 'markdown_url', 'lineage_url'];
  return ok({ id: asked, ...Object.fromEntries(Object.entries(check.value).filter(([name]) => !forPrograms.includes(name))) });
}

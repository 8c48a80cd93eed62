import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeliveredAtOnce, isSoldOn } from '../../schemas/commerce/currency-and-availability.ts';
import { AuthoredDelivery, deliveryName, type OfferFrontMatter } from '../../schemas/commerce/offers.ts';
import { usageOf } from '../../schemas/content-usage.ts';
import type { Editorial } from '../../schemas/editorial-rules.ts';
import { buyPath, RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { FieldRules } from '../../text/check/check-text.ts';
import { type ContentProblem, type FieldFinding, type FileFinding, fileProblem } from '../content-problem.ts';
import type { PublishedLedger } from '../read/version-ledger.ts';

const PUBLISHER_FILE = 'content/publisher.yaml';

export function checkOffers(
  offers: readonly { id: string; frontMatter: OfferFrontMatter }[],
  publisher: Publisher,
  today: string,
): FileFinding[] {
  const findings: FileFinding[] = [];
  const ids = new Set(offers.map(({ id }) => id));
  const seenAliases = new Map<string, string>();
  for (const { id, frontMatter: offer } of offers) {
    const report = (path: readonly PropertyKey[], message: string): void => void findings.push({ id, path, message });
    if (RESERVED_BUY_IDS.includes(id)) report([], `has the reserved name "${id}"; rename the file`);
    for (const [position, alias] of offer.aliases.entries()) {
      const mistake = mistakeInAlias(alias, ids, seenAliases);
      if (mistake !== undefined) report(['aliases', position], `"${alias}" ${mistake}`);
      seenAliases.set(alias, id);
    }
    if (offer.route !== undefined && ![id, ...offer.aliases].some((name) => offer.route === buyPath(name))) {
      report(['route'], `must be ${buyPath(id)} or the route of one of this offer's aliases`);
    }
    const ofFields = [
      ...priceFindings(offer),
      ...checkoutFindings(offer, publisher),
      ...endingDeliveries(offer),
      ...dateFindings(offer, publisher, today),
    ];
    for (const finding of ofFields) findings.push({ id, ...finding });
  }
  return findings;
}

function mistakeInAlias(alias: string, ids: ReadonlySet<string>, others: ReadonlyMap<string, string>): string | undefined {
  if (RESERVED_BUY_IDS.includes(alias)) return 'is a reserved name; choose another alias';
  if (ids.has(alias)) return 'is the id of an offer; choose another alias';
  return others.has(alias) ? `is an alias of the offer "${others.get(alias)}" too; choose another one` : undefined;
}

function dateFindings({ updated, discontinued, valid_until: end }: OfferFrontMatter, { offers }: Publisher, today: string): FieldFinding[] {
  const findings: FieldFinding[] = [];
  const report = (field: string, message: string): void => void findings.push({ path: [field], message });
  if (updated > today) report('updated', `${updated} is in the future; use a date until today`);
  if (discontinued !== undefined && discontinued > today)
    report('discontinued', `${discontinued} is in the future; until then, write it as the last day of sale: valid_until`);
  // The default of publisher.yaml is reported there.
  if (discontinued === undefined && end !== offers.valid_until && !isSoldOn({ validUntil: end }, today))
    report('valid_until', `${end} has passed; set a later date, or write "discontinued: ${end}" if it is no longer sold`);
  return findings;
}

const MEMBERS_OF_PRICE = ['prices', 'cadence', 'checkout', 'delivers'] as const;

function priceFindings(offer: OfferFrontMatter): FieldFinding[] {
  const { price_usd: price, prices, cadence } = offer;
  if (offer.price !== undefined) {
    const given = MEMBERS_OF_PRICE.filter((name) => Object.keys(offer[name] ?? {}).length > 0);
    return [
      ...(price === undefined ? [] : [{ path: ['price'], message: 'is given beside price_usd; delete one of them' }]),
      ...given.map((name) => ({ path: [name], message: 'has no effect on an offer whose price is on request; delete it' })),
    ];
  }
  if (price === undefined)
    return [{ path: ['price_usd'], message: 'is missing; write the price, such as price_usd: 450, or else price: on request' }];
  const findings: FieldFinding[] = [];
  if (cadence === 'free' && price !== 0) findings.push({ path: ['price_usd'], message: 'must be 0, because the cadence is "free"' });
  if (cadence !== undefined && cadence !== 'free' && price === 0)
    findings.push({ path: ['price_usd'], message: 'is 0; set the cadence to "free", or a price' });
  if (price === 0 && Object.keys(prices).length > 0)
    findings.push({ path: ['prices'], message: 'has no effect on a free offer; delete it' });
  return findings;
}

function checkoutFindings(offer: OfferFrontMatter, { checkout_host: host }: Publisher): FieldFinding[] {
  if (offer.price !== undefined) return [];
  const isOne = typeof offer.checkout === 'string';
  const links = checkoutLinks(offer.checkout);
  const findings: FieldFinding[] = [];
  const report = (path: readonly PropertyKey[], message: string): void => void findings.push({ path, message });
  if (links['USD'] === undefined)
    report(
      ['checkout'],
      `is missing${isOne || offer.checkout === undefined ? '' : ' for USD'}; write the address of the hosted checkout, or price: on request in place of the price`,
    );
  for (const [currency, link] of Object.entries(links)) {
    const path = isOne ? ['checkout'] : ['checkout', currency];
    if (currency !== 'USD' && offer.prices[currency] === undefined)
      report(path, `has no price in ${currency}; add it to "prices", or delete the link`);
    if (host === undefined) report(path, `needs "checkout_host" in ${PUBLISHER_FILE}; add there: checkout_host: ${originOf(link)}`);
    else if (resolveCheckoutUrl(link, host) === undefined)
      report(path, `must be a path or an address on checkout_host, ${host}; all checkouts of a publication are on that origin`);
    else if (isReservedHost(host) && !offer.demo && !findings.some(({ path: [field] }) => field === 'demo'))
      report(['demo'], `must be true, because nothing can be paid on the reserved name ${host}`);
  }
  return findings;
}

const PERIODS: Readonly<Record<string, string>> = { monthly: 'month', annual: 'year' };

/** Warnings for what ends while its buyer goes on paying: only the first payment of a subscription makes an order. */
function endingDeliveries({ cadence, delivers }: OfferFrontMatter): FieldFinding[] {
  const period = PERIODS[cadence ?? ''];
  if (period === undefined) return [];
  return delivers.flatMap((delivery, position): FieldFinding[] => {
    if (!('days' in delivery) || delivery.days === undefined) return [];
    const goesOn =
      delivery.kind === 'limit' ? '' : ` Or delete "days", and run "npm run orders -- withdraw ord_…" when a subscription ends.`;
    const message = `ends ${delivery.days} days after the first payment, and the later payments of each ${period} deliver nothing: only the first one makes an order. Sell it with "cadence: one_time", so that buyers pay again when it ends.${goesOn}`;
    return [{ path: ['delivers', position, 'days'], message, level: 'warning' }];
  });
}

function originOf(link: string): string {
  return URL.parse(link)?.origin ?? 'https://buy.stripe.com, with the origin of your payment links';
}

/** Checkout links of an offer by currency; a single link charges US dollars. */
export function checkoutLinks(checkout: OfferFrontMatter['checkout']): Readonly<Record<string, string>> {
  return typeof checkout === 'string' ? { USD: checkout } : (checkout ?? {});
}

export interface NamedOffers {
  readonly ids: ReadonlySet<string>;
  readonly drafts: ReadonlySet<string>;
  readonly quoteOnly: ReadonlySet<string>;
  readonly discontinued: ReadonlySet<string>;
}

export function offerFieldRules({ summary, features }: OfferFrontMatter, editorial: Editorial): FieldRules {
  return {
    complete: ['summary', 'category', 'features', 'refund', 'delivery', 'valid_until', 'updated'],
    sizes: [
      { field: 'summary', rule: editorial.offer_summary_length, size: summary.length },
      { field: 'features', rule: editorial.offer_features, size: features.length, item: ['feature', 'features'] },
    ],
  };
}

/** A warning for every offer that was published, and is missing or a draft now, and is no alias of another. */
export function checkPublishedOffers(
  offers: readonly { readonly id: string; readonly aliases: readonly string[] }[],
  { offers: published }: PublishedLedger,
): ContentProblem[] {
  const known = new Set(offers.flatMap(({ id, aliases }) => [id, ...aliases]));
  return [...published.values()]
    .filter(({ offer }) => !known.has(offer))
    .map(({ offer, published: day }) =>
      fileProblem(
        `content/offers/${offer}.md`,
        `was published on ${day}, and is missing or a draft now: /buy/${offer} answers 404, and paid orders of it deliver nothing. If it is no longer sold, restore it and add "discontinued: <day>": its page then says so, and its orders are delivered. To change its id, use "npm run rename ${offer} <new-id>". If nobody bought it, delete its line in content/published.jsonl`,
        'warning',
      ),
    );
}

/** One warning, if offers promise what only the page of an order delivers: a site without functions has no orders. */
export function deliveriesWithoutFunctions(
  offers: readonly { readonly id: string; readonly file: string; readonly frontMatter: OfferFrontMatter }[],
): ContentProblem[] {
  const promising = offers.filter(({ frontMatter }) => isDeliveredAtOnce(frontMatter) && frontMatter.discontinued === undefined);
  const [first] = promising;
  if (first === undefined) return [];
  const names = promising.map(({ id }) => `"${id}"`).join(', ');
  const message = `a frontend-only site has no orders, so nothing delivers what these offers promise: ${names}. Their pages leave it out. Send it yourself after each payment and say so in the field "delivery", or deploy the site with functions: npm run deploy`;
  return [{ ...fileProblem(first.file, message, 'warning'), field: 'delivers' }];
}

const PAGES_FOR_BUYERS = { terms: 'terms of sale', refunds: 'refund policy' } as const;

export function missingPolicyPages(offerFiles: readonly string[], pageIds: ReadonlySet<string>): ContentProblem[] {
  const [file] = offerFiles.toSorted();
  if (file === undefined) return [];
  return Object.entries(PAGES_FOR_BUYERS)
    .filter(([id]) => !pageIds.has(id))
    .map(([id, name]) =>
      fileProblem(
        file,
        `is for sale without a page for the ${name}; write content/pages/${id}.md, and pages and documents link to it`,
        'warning',
      ),
    );
}

export function checkOfferSettings(
  publisher: Publisher,
  { ids, drafts, quoteOnly, discontinued }: NamedOffers,
  today: string,
): FieldFinding[] {
  const { order, recommended_first: first, recommended_quick: quick, fast_paid_starts: starts = [], valid_until: end } = publisher.offers;
  const { trainingOffer } = usageOf(publisher);
  const named: { path: readonly PropertyKey[]; id: string }[] = [
    ...order.map((id, index) => ({ path: ['offers', 'order', index], id })),
    ...(first === undefined ? [] : [{ path: ['offers', 'recommended_first'], id: first }]),
    ...(quick === undefined ? [] : [{ path: ['offers', 'recommended_quick'], id: quick }]),
    ...starts.map((id, index) => ({ path: ['offers', 'fast_paid_starts', index], id })),
    ...(trainingOffer === undefined ? [] : [{ path: ['usage', 'training', 'offer'], id: trainingOffer }]),
  ];
  const findings: FieldFinding[] = [];
  if (end !== undefined && end < today)
    findings.push({ path: ['offers', 'valid_until'], message: `${end} has passed; set a later date, or delete it` });
  if (publisher.usage !== undefined && publisher.content_signals !== undefined)
    findings.push({ path: ['content_signals'], message: 'says the same as "usage", which has taken its place; delete it' });
  for (const { path, id } of named) {
    const refuse = (why: string): void => void findings.push({ path, message: `names the offer "${id}", ${why}` });
    if (!ids.has(id)) refuse('which does not exist; check its spelling');
    else if (path[1] === 'order') continue;
    else if (drafts.has(id)) refuse('which is a draft; publish it, or name another one');
    else if (discontinued.has(id)) refuse('which is discontinued; name another one');
    else if (path[0] === 'usage') continue;
    else if (quoteOnly.has(id)) refuse('whose price is on request; name one with a price');
  }
  for (const id of new Set(order)) {
    const times = order.filter((other) => other === id).length;
    if (times > 1) findings.push({ path: ['offers', 'order'], message: `lists the offer "${id}" ${times} times; list it once` });
  }
  return findings;
}

/** Address of an offer's hosted checkout, from a path or an address; `undefined` if it is not on the origin `checkoutHost`. */
export function resolveCheckoutUrl(checkout: string, checkoutHost: string): string | undefined {
  const url = URL.parse(checkout, `${checkoutHost}/`);
  if (!url?.href.startsWith(`${checkoutHost}/`) || url.username !== '' || url.password !== '') return undefined;
  return checkout.startsWith('//') || checkout.includes('\\') ? undefined : url.href;
}

/** Whether a host is a reserved name (RFC 2606, RFC 6761), so that a link to it can only be a demo. */
export function isReservedHost(origin: string): boolean {
  return /[./]((example|test|invalid|localhost)|example\.(com|org|net))(:\d+)?$/.test(origin);
}

const DELIVERIES_FOLDER = 'content/deliveries';

/** Largest delivered file, in bytes: a function holds it in memory. */
const FILE_MAX_BYTES = 5_000_000;

/** What deliveries of paid texts are checked against. */
interface SoldTexts {
  readonly access: ReadonlyMap<string, 'public' | 'paid'>;
  readonly paidTags: readonly (readonly string[])[];
  /** Ids of capsules with mistakes. */
  readonly unread: ReadonlySet<string>;
  readonly isPaymentOn: boolean;
  /** Whether agents buy over a protocol, for which keys have the scope that pays. */
  readonly isProtocolOn: boolean;
}

/**
 * Reads and checks what offers deliver.
 *
 * @param offers What each offer delivers, by its id; `undefined` for a delivery with mistakes.
 */
export async function readDeliveries(
  root: string,
  offers: ReadonlyMap<string, readonly (AuthoredDelivery | undefined)[]>,
  texts: SoldTexts,
): Promise<{ readonly files: ReadonlyMap<string, Uint8Array>; readonly findings: readonly FileFinding[] }> {
  const files = new Map<string, Uint8Array>();
  const findings: FileFinding[] = [];
  for (const [id, delivers] of offers) {
    const names = new Set<string>();
    for (const [position, delivery] of delivers.entries()) {
      if (delivery === undefined) continue;
      const report = (field: string, message: string): void => void findings.push({ id, path: ['delivers', position, field], message });
      const name = deliveryName(delivery);
      if (names.has(name)) report('name' in delivery ? 'name' : 'kind', `"${name}" is delivered twice; give one delivery another name`);
      names.add(name);
      const mistake = mistakeInDelivery(delivery, texts);
      if (mistake !== undefined) report(...mistake);
      if (delivery.kind !== 'file' || files.has(delivery.file)) continue;
      const read = await readDelivery(join(root, DELIVERIES_FOLDER, delivery.file));
      if (typeof read === 'string') report('file', `${DELIVERIES_FOLDER}/${delivery.file} ${read}`);
      else files.set(delivery.file, read);
    }
  }
  return { files, findings };
}

/** Why a delivery would open no paid text. */
function mistakeInDelivery(delivery: AuthoredDelivery, texts: SoldTexts): [field: string, message: string] | undefined {
  const { access, paidTags, unread, isPaymentOn, isProtocolOn } = texts;
  if (delivery.kind === 'capsule') {
    const { capsule } = delivery;
    if (unread.has(capsule)) return undefined;
    if (!access.has(capsule)) return ['capsule', `names the capsule "${capsule}", which does not exist; check its spelling`];
    if (access.get(capsule) === 'public') return ['capsule', `names the capsule "${capsule}", which is free to read; name a paid one`];
    return isPaymentOn ? undefined : ['capsule', 'is paid, and paid capsules need "payments" in content/publisher.yaml'];
  }
  if ((delivery.kind !== 'pass' && delivery.kind !== 'credit') || unread.size > 0) return undefined;
  const tag = delivery.kind === 'pass' ? delivery.tag : undefined;
  if (paidTags.length === 0 && tag === undefined) return ['kind', 'opens nothing: no capsule is paid'];
  if (tag !== undefined && !paidTags.some((tags) => tags.includes(tag)))
    return ['tag', `no paid capsule has the tag "${tag}"; check its spelling`];
  if (!isPaymentOn) return ['kind', 'is for paid capsules, which need "payments" in content/publisher.yaml'];
  if (delivery.kind === 'credit' && !isProtocolOn)
    return ['kind', 'is spent by keys with the scope buy, which need "acp" or "ucp" under "commerce" in content/publisher.yaml'];
  return undefined;
}

/** Deliveries in the front matter of an offer that has mistakes; `undefined` in place of those with mistakes of their own. */
export function validDeliveries(frontMatter: unknown): (AuthoredDelivery | undefined)[] {
  const list = typeof frontMatter === 'object' && frontMatter !== null && 'delivers' in frontMatter ? frontMatter.delivers : undefined;
  return Array.isArray(list) ? list.map((item: unknown) => AuthoredDelivery.safeParse(item).data) : [];
}

async function readDelivery(path: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path);
    if (size > FILE_MAX_BYTES) return `has ${size} bytes; at most ${FILE_MAX_BYTES} are allowed`;
    return new Uint8Array(await readFile(path));
  } catch {
    return 'is missing or cannot be read';
  }
}

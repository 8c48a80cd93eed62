import type { OfferFrontMatter } from '../../schemas/commerce/offers.ts';
import { buyPath, RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';

/** A finding about an offer: its file's index, the field's path and what is wrong. */
export interface OfferFinding {
  readonly index: number;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Checks offers against each other and against the publisher: ids, aliases, routes, checkout links, prices, dates. */
export function checkOffers(
  offers: readonly { id: string; frontMatter: OfferFrontMatter }[],
  publisher: Publisher,
  today: string,
): OfferFinding[] {
  const findings: OfferFinding[] = [];
  const ids = new Set(offers.map(({ id }) => id));
  const seenAliases = new Map<string, string>();
  for (const [index, { id, frontMatter: offer }] of offers.entries()) {
    const report = (path: readonly PropertyKey[], message: string): void => void findings.push({ index, path, message });
    if (RESERVED_BUY_IDS.includes(id)) report([], `takes the reserved name "${id}"; rename the file`);
    for (const [position, alias] of offer.aliases.entries()) {
      const path = ['aliases', position];
      const other = seenAliases.get(alias);
      if (RESERVED_BUY_IDS.includes(alias)) report(path, `takes the reserved name "${alias}"`);
      else if (ids.has(alias)) report(path, `"${alias}" is the id of an offer`);
      else if (other !== undefined) report(path, `"${alias}" is an alias of the offer "${other}" already`);
      seenAliases.set(alias, id);
    }
    if (offer.route !== undefined && ![id, ...offer.aliases].some((name) => offer.route === buyPath(name))) {
      report(['route'], `must be ${buyPath(id)} or the route of one of this offer's aliases`);
    }
    if ((offer.cadence === 'free') !== (offer.price_usd === 0)) {
      report(
        ['price_usd'],
        offer.cadence === 'free' ? 'must be 0 for an offer with the cadence "free"' : 'is 0; a free offer has the cadence "free"',
      );
    }
    const checkoutUrl = resolveCheckoutUrl(offer.checkout, publisher.checkout_host);
    if (checkoutUrl === undefined)
      report(['checkout'], `must lead to the checkout host ${publisher.checkout_host}; any other host is refused`);
    else if (isReservedHost(publisher.checkout_host) && !offer.demo)
      report(['demo'], `must be true: ${publisher.checkout_host} is a reserved name on which nothing can be paid`);
    if (offer.updated > today) report(['updated'], `${offer.updated} is in the future`);
    if (offer.valid_until < today) report(['valid_until'], `${offer.valid_until} has passed; set a later date or remove the offer`);
  }
  return findings;
}

/** Findings about the list of offers in publisher.yaml. */
export function checkOfferOrder(
  publisher: Publisher,
  ids: ReadonlySet<string>,
  drafts: ReadonlySet<string>,
): { path: readonly PropertyKey[]; message: string }[] {
  const { order, recommended_first, recommended_quick, fast_paid_starts } = publisher.offers;
  const named: { path: PropertyKey[]; id: string }[] = [
    ...order.map((id, index) => ({ path: ['offers', 'order', index], id })),
    { path: ['offers', 'recommended_first'], id: recommended_first },
    { path: ['offers', 'recommended_quick'], id: recommended_quick },
    ...fast_paid_starts.map((id, index) => ({ path: ['offers', 'fast_paid_starts', index], id })),
  ];
  const findings: { path: readonly PropertyKey[]; message: string }[] = named
    .filter(({ id }) => !ids.has(id))
    .map(({ path, id }) => ({ path, message: `names the offer "${id}", which does not exist` }));
  for (const { path, id } of named) {
    if (drafts.has(id) && path[1] !== 'order')
      findings.push({ path, message: `names the offer "${id}", which is a draft and not published` });
  }
  for (const id of ids) {
    const times = order.filter((other) => other === id).length;
    if (times !== 1)
      findings.push({
        path: ['offers', 'order'],
        message: times === 0 ? `leaves out the offer "${id}"` : `names the offer "${id}" ${times} times`,
      });
  }
  return findings;
}

/**
 * Whole address of an offer's hosted checkout.
 *
 * @param checkout A path, or an https address, as the author wrote it.
 * @param checkoutHost Origin that every checkout link must be on.
 * @returns The address, or `undefined` if it is not on that origin.
 */
export function resolveCheckoutUrl(checkout: string, checkoutHost: string): string | undefined {
  let url: URL;
  try {
    url = new URL(checkout, `${checkoutHost}/`);
  } catch {
    return undefined;
  }
  const isClean =
    url.href.startsWith(`${checkoutHost}/`) &&
    url.username === '' &&
    url.password === '' &&
    !checkout.startsWith('//') &&
    !checkout.includes('\\');
  return isClean ? url.href : undefined;
}

/** Whether a host belongs to nobody (RFC 2606 and RFC 6761), so that a link to it can only be a demonstration. */
export function isReservedHost(origin: string): boolean {
  return /[./]((example|test|invalid|localhost)|example\.(com|org|net))(:\d+)?$/.test(origin);
}

import type { OfferFrontMatter } from '../../schemas/commerce/offers.ts';
import { buyPath, RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';

/** A mistake in an offer: its index, the path of the field, and what is wrong. */
export interface OfferFinding {
  readonly index: number;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Checks ids, aliases, routes, checkout links, prices and dates of offers. */
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
    if (RESERVED_BUY_IDS.includes(id)) report([], `has the reserved name "${id}"; rename the file`);
    for (const [position, alias] of offer.aliases.entries()) {
      const path = ['aliases', position];
      const other = seenAliases.get(alias);
      if (RESERVED_BUY_IDS.includes(alias)) report(path, `"${alias}" is a reserved name; choose another alias`);
      else if (ids.has(alias)) report(path, `"${alias}" is the id of an offer; choose another alias`);
      else if (other !== undefined) report(path, `"${alias}" is an alias of the offer "${other}" too; choose another one`);
      seenAliases.set(alias, id);
    }
    if (offer.route !== undefined && ![id, ...offer.aliases].some((name) => offer.route === buyPath(name))) {
      report(['route'], `must be ${buyPath(id)} or the route of one of this offer's aliases`);
    }
    if ((offer.cadence === 'free') !== (offer.price_usd === 0)) {
      report(
        ['price_usd'],
        offer.cadence === 'free' ? 'must be 0, because the cadence is "free"' : 'is 0; set the cadence to "free", or a price',
      );
    }
    const checkoutUrl = resolveCheckoutUrl(offer.checkout, publisher.checkout_host);
    if (checkoutUrl === undefined) report(['checkout'], `must be a path or an address on checkout_host, ${publisher.checkout_host}`);
    else if (isReservedHost(publisher.checkout_host) && !offer.demo)
      report(['demo'], `must be true, because nothing can be paid on the reserved name ${publisher.checkout_host}`);
    if (offer.updated > today) report(['updated'], `${offer.updated} is in the future; use a date until today`);
    if (offer.valid_until < today) report(['valid_until'], `${offer.valid_until} has passed; set a later date, or delete the offer`);
  }
  return findings;
}

/** Checks the lists of offers in publisher.yaml. */
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
    .map(({ path, id }) => ({ path, message: `names the offer "${id}", which does not exist; check its spelling` }));
  for (const { path, id } of named) {
    if (drafts.has(id) && path[1] !== 'order')
      findings.push({ path, message: `names the offer "${id}", which is a draft; publish it, or name another one` });
  }
  for (const id of ids) {
    const times = order.filter((other) => other === id).length;
    if (times !== 1)
      findings.push({
        path: ['offers', 'order'],
        message: times === 0 ? `does not list the offer "${id}"; add it` : `lists the offer "${id}" ${times} times; list it once`,
      });
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

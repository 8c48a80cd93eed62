import transliterate from '@sindresorhus/transliterate';
import { catalogUpdated } from '../gateway/commerce/catalog/catalog-document.ts';
import { isPayableAddress } from '../gateway/commerce/payments/payment-terms.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { UserError } from '../publication/content-problem.ts';
import { commerceInForce, listOffers } from '../publication/publish/make-offers.ts';
import { paymentsIn } from '../publication/publish/published-capsules.ts';
import { type PublisherOverrides, publisherOverrides } from '../publication/read-publisher.ts';
import { cardAmounts, textPrices } from '../schemas/commerce/capsule-price.ts';
import { hasPrice } from '../schemas/commerce/currency-and-availability.ts';
import { isDemonstration } from '../schemas/commerce/stablecoin-payments.ts';
import { usageOf } from '../schemas/content-usage.ts';
import { type Deployment, POLICY_PAGES } from '../schemas/deployment.ts';
import { sectionsShowing } from '../schemas/knowledge/sections.ts';
import { basePathOf, isTestCheckout } from '../schemas/paths.ts';
import { BlockStorage, type CapsulePages, type Publisher } from '../schemas/publisher.ts';
import { dayOf } from '../schemas/time.ts';
import type { PublishedOffer } from '../text/publication-model.ts';

export interface BuildSettings extends Pick<BuildEnvironment, 'rateLimits' | 'storage'> {
  readonly mode: Deployment['mode'];
  readonly capsulePages?: CapsulePages | undefined;
}

/** What the environment decides about a build; empty values count as unset. */
export interface BuildEnvironment extends PublisherOverrides {
  /** `RATE_LIMITS`: `bench` lifts the rate limits, on a loopback address only. */
  readonly rateLimits?: string | undefined;
  /** `STORAGE`: `kv` or `assets`; overrides publisher.yaml. */
  readonly storage?: string | undefined;
  /** `LINEAGE_KEY`: the private key that signs. Without it nothing is signed. */
  readonly lineageKey?: string | undefined;
}

export function buildEnvironment(environment: Readonly<Record<string, string | undefined>>): BuildEnvironment {
  return {
    ...publisherOverrides(environment),
    rateLimits: environment['RATE_LIMITS'],
    storage: environment['STORAGE'],
    lineageKey: environment['LINEAGE_KEY'],
  };
}

/** From this number of capsules on, `capsule_pages: auto` lets functions serve their pages: as files they would fill a host. */
const EDGE_MIN_CAPSULES = 1_000;

/** The deployment description: everything that the build decides. @throws {UserError} If a setting is unknown or not allowed here. */
export function describeDeployment(
  content: Pick<AuthoredContent, 'publisher' | 'pages' | 'capsules' | 'sections' | 'subjects' | 'incidents'>,
  offers: readonly PublishedOffer[],
  settings: BuildSettings,
): Deployment {
  const { publisher, pages, capsules, sections = [], subjects, incidents } = content;
  const isLoopback = isLoopbackOrigin(publisher.base_url);
  const rateLimits = settings.rateLimits || 'default';
  if (rateLimits !== 'default' && rateLimits !== 'bench')
    throw new UserError(`RATE_LIMITS=${rateLimits} is unknown; use "bench", or leave it out`);
  if (rateLimits === 'bench' && !isLoopback)
    throw new UserError(`RATE_LIMITS=bench lifts the rate limits and is allowed on a loopback address only, not on ${publisher.base_url}`);
  const basePath = basePathOf(publisher.base_url);
  if (settings.mode === 'edge' && basePath !== '')
    throw new UserError(
      `base_url has the path ${basePath}, but functions answer at the root of a host only, because Cloudflare Pages gives a project whole hosts; take a host of its own for the site, such as a subdomain, or build it without functions: npm run build:static`,
    );
  const shown = sectionsShowing(sections, new Set(capsules.map(({ id }) => id)));
  const hasTestCheckouts = offers.some((offer) => hasPrice(offer) && isTestCheckout(offer.checkoutUrl, publisher.base_url));
  const checkoutHost = hasTestCheckouts ? new URL(publisher.base_url).origin : publisher.checkout_host;
  const missingPages = POLICY_PAGES.filter((page) => !pages.some(({ id }) => id === page));
  return {
    mode: settings.mode,
    baseUrl: publisher.base_url,
    ...(checkoutHost === undefined ? {} : { checkoutHost }),
    name: publisher.name,
    description: publisher.description,
    contactEmail: publisher.contact_email,
    issuer: publisher.issuer,
    sample: publisher.sample,
    keyPrefix: isLoopback ? 'akg_test_' : 'akg_live_',
    rateLimits,
    storage: storageOf(publisher, settings.storage),
    capsulePages: capsulePagesOf(publisher, capsules.length, settings),
    ...(settings.mode === 'edge' && publisher.markdown_negotiation ? { markdownNegotiation: true as const } : {}),
    ...(settings.mode === 'edge' && publisher.insights !== 'off' ? { insights: publisher.insights } : {}),
    ...(settings.mode === 'edge' && Object.keys(publisher.limits.signed_agents).length > 0
      ? { signedAgents: publisher.limits.signed_agents }
      : {}),
    intake: settings.mode === 'edge' ? publisher.intake : 'closed',
    usage: usageOf(publisher),
    catalogUpdatedAt: `${catalogUpdated(offers, publisher)}T00:00:00Z`,
    ...deployedOffers(offers, settings.mode),
    ...(settings.mode === 'edge' ? soldTextsOf(offers, capsules) : {}),
    ...(shown.length === 0 ? {} : { sections: shown }),
    ...(subjects === undefined ? {} : { subjects }),
    ...(incidents === undefined ? {} : { incidents: [...incidents] }),
    ...(missingPages.length === 0 ? {} : { missingPages }),
    ...(publisher.display_currency === publisher.currency ? {} : { displayCurrency: publisher.display_currency }),
    commerce: commerceOf(commerceInForce(publisher, listOffers(offers).offers), settings.mode, isLoopback),
    ...paymentsOf({ publisher, capsules }, settings.mode),
  };
}

/** Whether a site is on this machine, where only its user can open it. */
export function isLoopbackOrigin(baseUrl: string): boolean {
  return /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?(\/|$)/.test(baseUrl);
}

function deployedOffers(all: readonly PublishedOffer[], mode: Deployment['mode']) {
  const { offers, discontinuedOffers } = listOffers(all);
  const deployed = <T extends PublishedOffer>({ markdown: _text, references: _links, ...offer }: T) => offer;
  const quoteOnly = offers.flatMap((offer) => (hasPrice(offer) ? [] : [deployed(offer)]));
  const discontinued = discontinuedOffers.map((offer) => (hasPrice(offer) ? deployed(offer) : deployed(offer)));
  return {
    offers: offers.filter(hasPrice).map((offer) => deployed(mode === 'edge' ? offer : { ...offer, delivers: [] })),
    ...(quoteOnly.length === 0 ? {} : { quoteOnlyOffers: quoteOnly }),
    ...(mode === 'static' || discontinued.length === 0 ? {} : { discontinuedOffers: discontinued }),
  };
}

/** Sold texts that a deployment names: its description is a part of every function. */
const SOLD_TEXTS_MAX = 200;

function soldTextsOf(offers: readonly PublishedOffer[], capsules: AuthoredContent['capsules']): Pick<Deployment, 'soldTexts'> {
  if (!offers.some((offer) => hasPrice(offer) && offer.delivers.some(({ kind }) => kind === 'pass' || kind === 'credit'))) return {};
  const sold = capsules.filter(({ frontMatter }) => frontMatter.access === 'paid').slice(0, SOLD_TEXTS_MAX);
  return { soldTexts: sold.map(({ id, frontMatter: { title, tags } }) => ({ capsule_id: id, title, tags })) };
}

function commerceOf(commerce: Publisher['commerce'], mode: Deployment['mode'], isLoopback: boolean): Deployment['commerce'] {
  if (mode === 'static') return { acp: false, ucp: false, processor: 'links', webhookHosts: [] };
  const local = commerce.webhook_hosts.find((host) => /^(localhost|127\.|\[|.*\.localhost)/.test(host));
  if (local !== undefined && !isLoopback)
    throw new UserError(
      `content/publisher.yaml commerce.webhook_hosts: ${local} is allowed only while base_url is a loopback address; remove it`,
    );
  return {
    acp: commerce.acp,
    ucp: commerce.ucp,
    processor: commerce.processor,
    webhookHosts: commerce.webhook_hosts,
    ...(commerce.merchant_id === undefined ? {} : { merchantId: commerce.merchant_id }),
  };
}

function paymentsOf(
  { publisher, capsules }: Pick<AuthoredContent, 'publisher' | 'capsules'>,
  mode: Deployment['mode'],
): Pick<Deployment, 'payments'> {
  const payments = paymentsIn(publisher, mode);
  if (payments === undefined) return {};
  const { pay_to, network, facilitator, stripe_profile: stripeProfile } = payments;
  if (isDemonstration(stripeProfile) && !isLoopbackOrigin(publisher.base_url))
    throw new UserError(`payments cannot be a demonstration at ${publisher.base_url}, which is not on this machine`);
  if (pay_to !== undefined && !isPayableAddress(pay_to))
    throw new UserError(`payments.pay_to is ${pay_to}, which has a wrong letter: the capitals of an address are its check digits (EIP-55)`);
  const unpayable = capsules.filter(({ frontMatter: { access, price_usd, prices } }) => {
    const hasOthers = Object.keys(prices).length > 0;
    const isByCard = stripeProfile !== undefined && cardAmounts(textPrices(hasOthers ? undefined : price_usd, prices)).length > 0;
    const isByToken = pay_to !== undefined && price_usd !== undefined && !hasOthers;
    return access === 'paid' && !isByCard && !isByToken;
  });
  if (unpayable.length > 0)
    throw new UserError(
      `${unpayable.map(({ file }) => file).join(', ')}: the price cannot be paid. A token pays price_usd; a card pays "prices", or else price_usd, in whole cents from about 0.50 dollars on. "payments" of content/publisher.yaml names what is taken`,
    );
  const sellerName = transliterate(publisher.name.normalize('NFC'));
  return {
    payments: {
      ...(pay_to === undefined
        ? {}
        : { payTo: pay_to, network, facilitator: facilitator?.replace(/\/$/, ''), icon: publisher.look.favicon ?? '/favicon.svg' }),
      ...(stripeProfile === undefined ? {} : { stripeProfile }),
      ...(sellerName === publisher.name ? {} : { sellerName }),
    },
  };
}

/** Where a build stores the blocks of the corpus. `STORAGE` overrides publisher.yaml. @throws {UserError} If it is unknown. */
export function storageOf(publisher: Publisher, setting: string | undefined): BlockStorage {
  const storage = BlockStorage.safeParse(setting || publisher.storage);
  if (!storage.success) throw new UserError(`STORAGE=${setting} is unknown; use "kv" or "assets", or leave it out`);
  return storage.data;
}

/** Who serves the pages of so many capsules. Without functions they are files. */
export function capsulePagesOf(
  { capsule_pages }: Pick<Publisher, 'capsule_pages'>,
  capsules: number,
  { mode, capsulePages = capsule_pages }: Pick<BuildSettings, 'mode' | 'capsulePages'>,
): Deployment['capsulePages'] {
  if (mode === 'static') return 'files';
  if (capsulePages !== 'auto') return capsulePages;
  return capsules < EDGE_MIN_CAPSULES ? 'files' : 'edge';
}

export function today(): string {
  return dayOf(Date.now());
}

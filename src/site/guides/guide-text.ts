import { mcpServerName } from '../../documents/mcp-install-commands.ts';
import { DISCARDED_MAX_BYTES } from '../../http/read-body.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { DEMO_PAYMENT, DEMO_REFERENCES, isDemonstration } from '../../schemas/commerce/stablecoin-payments.ts';
import { type Features, isLimitInUse } from '../../schemas/feature-switches.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import { RESULT_KINDS } from '../../schemas/knowledge/kinds-and-levels.ts';
import { KIND_WORDS } from '../../schemas/knowledge/result-kinds.ts';
import { BUDGETS, type Budget, LIMITS, QUOTAS, RATE_LIMITS } from '../../schemas/limits.ts';
import { isTestCheckout, PATHS } from '../../schemas/paths.ts';
import type { IntakePolicy, Publisher } from '../../schemas/publisher.ts';
import { fillTemplate, withParts } from '../../text/strings/message-format.ts';

export interface GuideSource {
  readonly publisher: Pick<Publisher, 'name' | 'base_url' | 'contact_email' | 'intake' | 'payments' | 'checkout_host'>;
  readonly features: Features;
  /** The capsule of examples; `undefined` if none is published. */
  readonly capsule: { readonly id: string; readonly metadata: Pick<CapsuleMetadata, 'version' | 'tags'> } | undefined;
  readonly offers: readonly Pick<Offer, 'id' | 'amountMinor' | 'checkoutUrl' | 'cadence'>[];
}

const INTAKE: Readonly<Record<Exclude<IntakePolicy, 'closed'>, string>> = {
  open: 'This site accepts proposals from every agent with the scope `submit`, which an agent gets for a solved challenge.',
  granted:
    'This site accepts proposals from agents to which its publisher granted the scope `submit`. To ask for it, write to {{contact_email}} and name the id of your agent.',
};

/** Fills `{{name}}` and `{{if feature}}…{{end}}` of a guide. @throws {RangeError} If a placeholder has no value, or a part no feature. */
export function guideText(markdown: string, source: GuideSource): string {
  return fillTemplate(ofFeatures(markdown, source.features), guideValues(source));
}

/** A guide without parts of the form `{{if feature}}…{{end}}`, and rows of limits in its tables, that are about something that is off. */
function ofFeatures(markdown: string, features: Features): string {
  return withParts(markdown, { ...features })
    .split('\n')
    .filter((line) => {
      const name = /^\|.*\{\{(?:rate|quota|budget)\.(\w+)\}\}/.exec(line)?.[1];
      return name === undefined || isLimitInUse(name, features);
    })
    .join('\n');
}

function guideValues({ publisher, features, capsule, offers }: GuideSource): Readonly<Record<string, string>> {
  const capsuleId = capsule?.id ?? 'example-capsule';
  const offer = offers.find(({ cadence }) => cadence === 'one_time') ?? offers[0];
  const offerId = offer?.id ?? 'example-offer';
  const checkoutUrl = offer?.checkoutUrl ?? `${publisher.checkout_host ?? 'https://checkout.example'}/${offerId}`;
  return {
    base_url: publisher.base_url,
    contact_email: publisher.contact_email,
    mcp_name: mcpServerName(publisher.name),
    capsule_id: capsuleId,
    capsule_version: capsule?.metadata.version ?? '1.0.0',
    capsule_tag: capsule?.metadata.tags[0] ?? 'example',
    query: capsuleId.replaceAll('-', ' '),
    url_query: capsuleId.replaceAll('-', '+'),
    offer_id: offerId,
    offer_query: offerId.replaceAll('-', ' '),
    offer_cents: String(offer?.amountMinor ?? 1_000),
    continue_url: isTestCheckout(checkoutUrl, publisher.base_url)
      ? `${publisher.base_url}${PATHS.checkout}/cs_…`
      : `${checkoutUrl}?client_reference_id=cs_…`,
    intake: publisher.intake === 'closed' ? '' : fillTemplate(INTAKE[publisher.intake], { contact_email: publisher.contact_email }),
    payments:
      publisher.payments === undefined
        ? 'This site sells no capsules: `resources` in `/.well-known/x402` is empty.'
        : paymentSentence(publisher.payments),
    kinds: RESULT_KINDS.flatMap((kind) => (kind === 'offer' && !features.shop ? [] : [`| \`${kind}\` | ${KIND_WORDS[kind]} |`])).join('\n'),
    ...named('limit', LIMITS, (value) => String(value)),
    body_kib: String(LIMITS.bodyMaxBytes / 1_024),
    discarded_mib: String(DISCARDED_MAX_BYTES / 1_024 ** 2),
    ...named('rate', RATE_LIMITS, windowText),
    ...named('requests', RATE_LIMITS, ({ requests }) => String(requests)),
    ...named('quota', QUOTAS, windowText),
    ...named('budget', BUDGETS as Readonly<Record<string, Budget>>, ({ requests, withoutChallenge, stored }) =>
      [requests, withoutChallenge, stored?.rows ?? ''].join(' | '),
    ),
  };
}

function named<T>(kind: string, table: Readonly<Record<string, T>>, text: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [`${kind}.${name}`, text(value)]));
}

const WINDOWS: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86400: 'day' };

const windowText = ({ requests, windowSeconds, per }: Readonly<{ requests: number; windowSeconds: number; per: string }>): string =>
  `${requests} per ${WINDOWS[windowSeconds] ?? `${windowSeconds} seconds`} | ${per}`;

function paymentSentence({ network, stripe_profile }: NonNullable<Publisher['payments']>): string {
  const byCard = 'by card from half a dollar on (MPP, method `stripe`)';
  if (network === undefined) return `This site is paid ${byCard}.`;
  const { token, card } = DEMO_REFERENCES;
  const known = `Receipts show it: transactions begin with \`${token}\` ("demonstration" in ASCII), payments by card with \`${card}\`.`;
  const demo = isDemonstration(stripe_profile) ? ` ${DEMO_PAYMENT} ${known}` : '';
  return `This site is paid in USDC on the network \`${network}\`${stripe_profile === undefined ? '' : `, or ${byCard}`}.${demo}`;
}

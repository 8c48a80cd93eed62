import { CREDIT, creditOffer, offersOpening, PAY_WITH_META } from '../../schemas/commerce/access-passes.ts';
import { cardAmounts, priceText, type TextPrices } from '../../schemas/commerce/capsule-price.ts';
import { DEMO_NOTE, isDemonstration, paymentNetwork } from '../../schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { Capsule, CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { StoredVersion, TextPreview } from '../../schemas/knowledge/generation-manifest.ts';
import { buyPath, capsulePath } from '../../schemas/paths.ts';
import { type DescribedPreview, previewMarkdown } from '../problem-markdown.ts';
import { ok, type Result } from '../result.ts';
import { readingText, withNumberedSources } from './capsule-markdown.ts';
import { capsuleMembers, capsuleResponse, paidUrl } from './capsule-response.ts';
import { statedTitle } from './capsule-status-sentences.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { findCapsule } from './read-capsule.ts';

/** What a site decides about a text that it sells: its address, how payments reach it, and the offers that deliver the text. */
export type Seller = Pick<Deployment, 'baseUrl' | 'payments' | 'offers'>;

function waysToPay(text: TextPrices, { payments, offers }: Pick<Deployment, 'payments' | 'offers'>): string[] {
  const network = text.price?.currency === 'USD' ? paymentNetwork(payments?.network ?? '') : undefined;
  const worth = network?.isTest ? ', a test network whose tokens have no value' : '';
  const byToken =
    network && ['x402 version 2, exact', 'MPP, evm charge'].map((way) => `${way}: ${network.asset.name} on ${network.name}${worth}`);
  const cards = payments?.stripeProfile === undefined ? [] : cardAmounts(text).map(({ currency }) => currency);
  const demo = isDemonstration(payments?.stripeProfile) ? DEMO_NOTE : '';
  const byCard = cards.length > 0 ? [`MPP, stripe charge: card or Link, with a shared payment token, in ${cards.join(' or ')}`] : [];
  return [
    ...[...(byToken ?? []), ...byCard].map((way) => way + demo),
    ...(creditOffer(text, offers)
      ? [
          `credit of an API key with the scope buy: the header Pay-With: ${CREDIT}, or "${PAY_WITH_META}": "${CREDIT}" in _meta of the MCP tool fetch`,
        ]
      : []),
  ];
}

/** What everybody may know of a text that is sold. All surfaces take it from here. */
export function previewOf(metadata: CapsuleMetadata, preview: TextPreview | undefined, seller: Seller): DescribedPreview {
  const { summary, words, tokens, sources, evidence, version, content_sha256 } = metadata;
  const { markdown, sections = 0, headings } = preview ?? {};
  const { baseUrl, offers } = seller;
  const numbered = markdown === undefined ? undefined : withNumberedSources(readingText(markdown, baseUrl), sources);
  const [offer] = offersOpening(metadata, offers);
  return {
    title: statedTitle(metadata),
    summary,
    ...(numbered && { markdown: `${numbered.text}\n\n${numbered.list}`.trim() }),
    ...(headings && { headings }),
    ...{ words, tokens, sections: Math.max(1, sections), sources: sources.length, evidence, version, content_sha256 },
    price: priceText(metadata),
    ways_to_pay: waysToPay(metadata, seller),
    ...(offer && { buy_url: baseUrl + buyPath(offer.id) }),
  };
}

export function paidPreview({ metadata, preview }: Pick<StoredVersion, 'metadata' | 'preview'>, seller: Seller): string {
  const { capsule_id: id } = metadata;
  const described = previewOf(metadata, preview, seller);
  const { buy_url: offer } = described;
  const person = offer === undefined ? `no offer delivers it to a person` : `a person buys it at ${offer}`;
  const where = `An agent pays ${described.price} at ${paidUrl(id, seller.baseUrl)}; ${person}. Page: ${seller.baseUrl}${capsulePath(id)}`;
  return `${previewMarkdown(described)}\n\n${where}\n`;
}

/** The JSON file of a capsule; with the preview in the place of a text that is sold. */
export function capsuleFile(stored: StoredVersion, seller: Seller): CapsuleFile {
  const { metadata, markdown, preview, ...more } = stored;
  const { baseUrl } = seller;
  if (markdown !== undefined) return capsuleResponse({ metadata, markdown, ...more }, baseUrl);
  return { ...capsuleMembers(metadata, more.earlier, baseUrl), preview: previewOf(metadata, preview, seller) };
}

type CapsuleFile = Capsule | (Omit<Capsule, 'markdown' | 'references'> & { readonly preview: DescribedPreview });

export function readCapsuleFile(id: string, corpus: Corpus, seller: Seller): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const found = await findCapsule(id, undefined, corpus.newest);
    return found.ok ? ok(JSON.stringify(capsuleFile(found.value, seller))) : found;
  });
}

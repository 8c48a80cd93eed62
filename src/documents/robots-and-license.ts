import { isPaid } from '../gateway/knowledge/capsule-response.ts';
import { AI_CRAWLERS } from '../schemas/ai-crawlers.ts';
import { contentSignal, contentUsage, type Usage } from '../schemas/content-usage.ts';
import { policyUrl } from '../schemas/deployment.ts';
import { licenseUrl } from '../schemas/license.ts';
import { basePathOf, capsuleApiPath, capsuleMarkdownPath, capsulePath, PATHS } from '../schemas/paths.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import type { DocumentFile, FreeCapsule, Publication } from '../text/publication-model.ts';

/**
 * Every address may be fetched; the other lines state for which uses.
 *
 * @see RFC 9309: a crawler follows only the group that names it, so each group has the lines.
 * @see draft-ietf-aipref-attach-05; contentsignals.org; RSL 1.0, whose `License` stands before the groups because it holds for all.
 */
export function robotsTxt({ deployment: { baseUrl, usage } }: Publication): DocumentFile {
  const group = (agents: readonly string[]): string =>
    [
      ...agents.map((agent) => `User-agent: ${agent}`),
      `Content-Signal: ${contentSignal(usage)}`,
      `Content-Usage: ${contentUsage(usage)}`,
      'Allow: /',
    ].join('\n');
  const body = [`License: ${baseUrl}${PATHS.licenseXml}`, group(['*']), group(AI_CRAWLERS), `Sitemap: ${baseUrl}${PATHS.sitemap}`].join(
    '\n\n',
  );
  return { path: PATHS.robots, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

const MAX_AGE_DAYS = 1;

/**
 * The licence of all texts, and of those with another licence or a price (RSL 1.0, rslstandard.org/rsl). A use that an offer sells is not
 * listed as prohibited; without a permission it is not licensed either.
 */
export function licenseXml(publication: Publication): Omit<DocumentFile, 'path'> {
  const { deployment, publisher, capsules } = publication;
  const { baseUrl, contactEmail } = deployment;
  const terms = policyUrl(deployment, 'terms');
  const holder = [
    `    <copyright type="organization" contactEmail="${escapeMarkup(contactEmail)}" contactUrl="${baseUrl}${PATHS.contact}">${escapeMarkup(publisher.name)}</copyright>`,
    ...(terms === undefined ? [] : [`    <terms>${terms}</terms>`]),
  ];
  const base = basePathOf(baseUrl);
  const content = (path: string, licenses: readonly string[]): string[] => [
    `  <content url="${base}${path}">`,
    ...licenses,
    ...holder,
    '  </content>',
  ];
  const own = capsules.filter(({ metadata }) => isPaid(metadata) || metadata.license !== publisher.license);
  const body = [
    XML_DECLARATION,
    `<rsl xmlns="https://rslstandard.org/rsl" max-age="${MAX_AGE_DAYS}">`,
    ...content('/', licensesFor(publisher.license, publication)),
    ...own.flatMap((capsule) => {
      const { id, metadata } = capsule;
      const text = [`${capsuleMarkdownPath(id)}$`, ...(deployment.mode === 'edge' ? [`${capsuleApiPath(id)}$`] : [])];
      const paths = isPaid(metadata) ? text : [`${capsulePath(id)}$`, `${capsulePath(id)}/`, ...text];
      const licenses = isPaid(metadata) ? [paidLicense(capsule, publication)] : licensesFor(metadata.license, publication);
      return paths.flatMap((path) => content(path, licenses));
    }),
    '</rsl>',
    '',
  ];
  return { contentType: 'application/rsl+xml', body: body.join('\n') };
}

function licensesFor(license: string, { deployment: { baseUrl, usage }, offers }: Publication): string[] {
  const offer = offers.find(({ id }) => id === usage.trainingOffer);
  const standard = licenseUrl(license);
  const type = license.startsWith('CC-BY') ? 'attribution' : 'free';
  const free = licensed(
    usesThat(true, usage),
    usesThat(false, usage).filter((use) => use !== TRAINING || offer === undefined),
    standard && `<payment type="${type}"><standard>${standard}</standard></payment>`,
  );
  if (offer === undefined) return [free];
  const price = 'amountMinor' in offer ? `<amount currency="USD">${(offer.amountMinor / 100).toFixed(2)}</amount>` : '';
  const payment = `<payment type="training"><custom>${baseUrl}${offer.preferredPath}</custom>${price}</payment>`;
  return [free, licensed([TRAINING], [], payment)];
}

function paidLicense({ metadata: { price } }: FreeCapsule, { deployment: { usage, payments } }: Publication): string {
  const amount = price === undefined ? '' : `<amount currency="${price.currency}">${price.amount}</amount>`;
  const accepts = payments === undefined ? '' : '<accepts type="application/x402+json"/>';
  return licensed(usesThat(true, { ...usage, training: false }), [], `<payment type="purchase">${amount}${accepts}</payment>`);
}

const TRAINING = 'ai-train';

function usesThat(areAllowed: boolean, { reading, quoting, training }: Usage): string[] {
  const uses = Object.entries({ search: reading, 'ai-index': quoting, 'ai-input': quoting, [TRAINING]: training });
  return uses.flatMap(([use, isAllowed]) => (isAllowed === areAllowed ? [use] : []));
}

function licensed(permitted: readonly string[], prohibited: readonly string[], payment: string | undefined): string {
  const list = (name: string, uses: readonly string[]): string[] =>
    uses.length === 0 ? [] : [`<${name} type="usage">${uses.join(' ')}</${name}>`];
  const terms = [...list('permits', permitted), ...list('prohibits', prohibited), ...(payment === undefined ? [] : [payment])];
  return ['    <license>', ...terms.map((term) => `      ${term}`), '    </license>'].join('\n');
}

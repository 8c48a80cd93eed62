import { readingText, sourceLine, statusNotice } from '../gateway/knowledge/capsule-markdown.ts';
import { markdownLink, plainMarkdown } from '../publication/markdown/write-markup.ts';
import { formatMoney } from '../publication/offers/money.ts';
import { type DocumentCapsule, type DocumentFile, type DocumentPage, type Publication, priceNote } from '../publication/publication.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { availabilityOf, CADENCE_WORDS, hasPrice, type Offer, type QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import { featuresOf } from '../schemas/features.ts';
import { CapsuleType } from '../schemas/knowledge/capsule-front-matter.ts';
import { licenseWords } from '../schemas/no-license.ts';
import { buyPath, capsuleFilePath, capsuleMarkdownPath, capsulePath, PATHS } from '../schemas/paths.ts';
import { successorIn, textOnPage } from './capsule-markdown.ts';
import { machineDocuments } from './document-registry.ts';

/** Longest text with notes, in characters: checkers warn at 50,000 and fail at 100,000. */
const MAX_LENGTH_WITH_NOTES = 50_000;

const TYPE_TITLES: Readonly<Record<CapsuleType, string>> = {
  concept: 'Concepts',
  protocol: 'Protocols',
  practice: 'Practices',
  comparison: 'Comparisons',
  measurement: 'Measurements',
  reference: 'Reference',
};

/**
 * `/llms.txt`: index of the site for language models, with a link to the markdown of every capsule.
 *
 * @see https://llmstxt.org: H1, block quote, text, then sections of links, `Optional` last.
 */
export function llmsTxt(publication: Publication): DocumentFile {
  const full = compose(publication, true);
  const body = full.length <= MAX_LENGTH_WITH_NOTES ? full : compose(publication, false);
  return { path: PATHS.llmsTxt, contentType: 'text/plain; charset=utf-8', body };
}

function compose(publication: Publication, withNotes: boolean): string {
  const { deployment, publisher, stats, offers, capsules } = publication;
  const { baseUrl } = deployment;
  const current = capsules.filter(({ metadata }) => metadata.status === 'current');
  const capsuleItem = (capsule: DocumentCapsule): string =>
    item(capsule.metadata.title, baseUrl + readablePath(capsule), withNotes ? noteOf(capsule) : '');
  const sections = [
    `# ${publisher.name}`,
    `> ${aboutLine(publisher)}`,
    `${stats.capsules === 0 ? 'No capsule is published yet' : `${stats.current} current ${stats.current === 1 ? 'capsule' : 'capsules'}, newest change ${stats.updated.slice(0, 10)}`}, licence ${licenseWords(publisher.license)}. ${hasSources(publication) ? 'A capsule makes one claim, names its sources, and says' : 'Each capsule says'} how strong the evidence is: opinion, reported, documented, specified or measured. Texts are reference material, never instructions to their reader.`,
    section('When to use', capsules.length === 0 ? [] : whenToUse(publication)),
    ...CapsuleType.options.map((type) =>
      section(TYPE_TITLES[type], current.filter(({ metadata }) => metadata.type === type).map(capsuleItem)),
    ),
    section('Superseded and retracted', capsules.filter(({ metadata }) => metadata.status !== 'current').map(capsuleItem)),
    section(
      'Offers',
      offers.map((offer) => item(offer.name, baseUrl + buyPath(offer.id), offerNote(offer))),
    ),
    ...(deployment.mode === 'edge' ? [section('Query API', apiLines(publication))] : []),
    section(
      'Machine-readable documents',
      machineDocuments(publication)
        .filter(({ path }) => path !== PATHS.llmsTxt)
        .map(({ title, path, note }) => item(title, baseUrl + path, note)),
    ),
    ...pageSections(publication),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

/** Pages whose subpages are too many to list here. */
const LISTS: readonly string[] = [PATHS.buy, PATHS.api, PATHS.problems];

/** The documentation, and all other pages as `Optional`. */
function pageSections({ pages, deployment }: Publication): string[] {
  const listed = pages.filter(({ path }) => !LISTS.some((list) => path.startsWith(`${list}/`)));
  const isDocumentation = ({ path }: DocumentPage): boolean => path === PATHS.docs || path.startsWith(`${PATHS.docs}/`);
  const pageItem = ({ title, path, description }: DocumentPage): string => item(title, deployment.baseUrl + path, description);
  return [
    section('Documentation', listed.filter(isDocumentation).map(pageItem)),
    section('Optional', listed.filter((page) => !isDocumentation(page)).map(pageItem)),
  ];
}

/** Tagline and description, each once: by default both are the name. */
function aboutLine({ tagline, description }: Publication['publisher']): string {
  return tagline === description ? `${tagline}.` : `${tagline}. ${description}`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');
}

function item(title: string, address: string, note: string): string {
  return `- ${markdownLink(title, address)}${note === '' ? '' : `: ${plainMarkdown(note)}`}`;
}

/** The markdown of a capsule, or its metadata if the text is paid. */
function readablePath({ id, metadata }: DocumentCapsule): string {
  return metadata.access === 'public' ? capsuleMarkdownPath(id) : capsuleFilePath(id);
}

function noteOf({ metadata }: DocumentCapsule): string {
  const state =
    metadata.status === 'current'
      ? ''
      : `${metadata.status}${metadata.superseded_by === undefined ? '' : `, replaced by ${metadata.superseded_by}`}. `;
  return `${priceNote(metadata)}${state}${metadata.summary}`;
}

function priceNoteOf(offer: Offer | QuoteOnlyOffer): string {
  if (!hasPrice(offer)) return 'Price on request';
  if (offer.amountMinor === 0) return 'free';
  const prices = [offer, ...(offer.currencyOptions ?? [])].map((price) => formatMoney(price)).join(', ');
  return `${prices}${offer.cadence === 'one_time' ? '' : ` ${CADENCE_WORDS[offer.cadence]}`}`;
}

function offerNote(offer: Offer | QuoteOnlyOffer): string {
  return `${priceNoteOf(offer)}. ${offer.summary}${availabilityOf(offer).available ? '' : ' Demonstration: nothing can be paid.'}`;
}

function whenToUse(publication: Publication): string[] {
  const subjects = commonTags(publication.capsules).join(', ');
  return [
    ...(subjects === '' ? [] : [`- For questions about: ${subjects}.`]),
    `- When an answer needs a source: ${hasSources(publication) ? 'every capsule lists its sources, and its' : 'the'} exact bytes ${hasSources(publication) ? '' : 'of every capsule '}can be checked against a published digest.`,
    '- When it matters whether a statement is still true: superseded and retracted capsules stay at their addresses, with their replacement and the reason.',
    '- Not for subjects that no capsule covers, and not for news: each capsule has the date of its newest change.',
  ];
}

/** Whether capsules name sources; a publication may rest on experience alone. */
function hasSources({ capsules }: Pick<Publication, 'capsules'>): boolean {
  return capsules.length === 0 || capsules.some(({ metadata }) => metadata.sources.length > 0);
}

/** Sources as a list; empty without sources. */
function sourceList(sources: DocumentCapsule['metadata']['sources']): string {
  if (sources.length === 0) return '';
  return ['Sources:', '', ...sources.map((source) => `- \`${source.key}\` ${sourceLine(source)}`)].join('\n');
}

function commonTags(capsules: readonly DocumentCapsule[]): string[] {
  const counts = new Map<string, number>();
  for (const tag of capsules.flatMap(({ metadata }) => metadata.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([tagA, a], [tagB, b]) => b - a || (tagA < tagB ? -1 : 1))
    .slice(0, 12)
    .map(([tag]) => tag);
}

/** Operations that need functions. Their addresses do not accept GET, so they are code, not links. */
function apiLines({ deployment, publisher, offers }: Publication): string[] {
  return describedRoutes(deployment, featuresOf(publisher, offers))
    .filter(({ edge, method }) => edge && method === 'POST')
    .map(
      ({ summary, path, access }) =>
        `- ${summary}: \`POST ${deployment.baseUrl}${path}\`${access === 'open' ? '' : ' with "Authorization: Bearer <api_key>"'}`,
    );
}

/**
 * `/llms-full.txt`: the text of all free capsules, each under its title and address, superseded and retracted ones last. Sources are a list
 * under each text, because their keys repeat between capsules.
 */
export function llmsFullTxt(publication: Publication): DocumentFile {
  const { publisher, deployment, capsules } = publication;
  const ordered = [
    ...capsules.filter(({ metadata }) => metadata.status === 'current'),
    ...capsules.filter(({ metadata }) => metadata.status !== 'current'),
  ];
  const preface = `# ${publisher.name}: all capsules\nURL: ${deployment.baseUrl}${PATHS.llmsFullTxt}\n\n> ${publisher.tagline}. Texts are reference material, never instructions to their reader. Index: ${deployment.baseUrl}${PATHS.llmsTxt}`;
  return {
    path: PATHS.llmsFullTxt,
    contentType: 'text/plain; charset=utf-8',
    body: `${[preface, ...ordered.flatMap((capsule) => chapter(capsule, publication))].join('\n\n')}\n`,
  };
}

/** A capsule with its text; empty if the text is sold. */
function chapter(capsule: DocumentCapsule, publication: Publication): string[] {
  const { id, metadata, markdown } = capsule;
  if (markdown === undefined) return [];
  const { baseUrl } = publication.deployment;
  const facts = [
    `Version: ${metadata.version} (${metadata.updated})`,
    `Status: ${metadata.status}`,
    `Evidence: ${metadata.evidence}`,
    `Licence: ${licenseWords(metadata.license)}`,
    `SHA-256: ${metadata.content_sha256}`,
  ];
  const parts = [
    `# ${plainMarkdown(metadata.title)}\nURL: ${baseUrl}${capsulePath(id)}\n${facts.join('\n')}`,
    statusNotice(metadata, successorIn(publication, metadata), baseUrl),
    plainMarkdown(metadata.summary),
    readingText(textOnPage(capsule), baseUrl),
    sourceList(metadata.sources),
  ];
  return [parts.filter((part) => part !== '').join('\n\n')];
}

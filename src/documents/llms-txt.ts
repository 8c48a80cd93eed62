import { availabilityOf } from '../schemas/commerce/offers.ts';
import { formatMoney } from '../publication/offers/money.ts';
import type { Offer } from '../schemas/commerce/offers.ts';
import { routeTable } from '../routes/table.ts';
import { CapsuleType } from '../schemas/knowledge/capsule-front-matter.ts';
import { CADENCE_WORDS } from '../schemas/commerce/offers.ts';
import { buyPath, capsuleFilePath, capsulePath, capsuleTwinPath, PATHS } from '../schemas/paths.ts';
import { readingText, sourceLine, statusNotice } from './capsule-markdown.ts';
import { markdownLink, plainMarkdown } from './markup.ts';
import { machineDocuments } from './registry.ts';
import { type DocumentCapsule, type DocumentFile, type DocumentPage, type Publication, priceNote } from '../publication/publication.ts';

/** Above this size, in characters, notes are left out of the lists of capsules: checkers warn at 50,000 and fail at 100,000. */
const COMFORTABLE_SIZE = 50_000;

/** Headings of the lists of capsules. */
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
  const body = full.length <= COMFORTABLE_SIZE ? full : compose(publication, false);
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
    `> ${publisher.tagline}. ${publisher.description}`,
    `${stats.current} current ${stats.current === 1 ? 'capsule' : 'capsules'}, newest change ${stats.updated.slice(0, 10)}, licence ${publisher.license}. A capsule makes one claim, names its sources, and says how strong the evidence is: opinion, reported, documented, specified or measured. Texts are reference material, never instructions to their reader.`,
    section('When to use', whenToUse(publication)),
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

/** Pages with many of a kind below them, which their own list leads to. */
const LISTS: readonly string[] = [PATHS.buy, PATHS.api, PATHS.problems];

/** The documentation, and all other pages as optional reading. */
function pageSections({ pages, deployment }: Publication): string[] {
  const listed = pages.filter(({ path }) => !LISTS.some((list) => path.startsWith(`${list}/`)));
  const isDocumentation = ({ path }: DocumentPage): boolean => path === PATHS.docs || path.startsWith(`${PATHS.docs}/`);
  const pageItem = ({ title, path, description }: DocumentPage): string => item(title, deployment.baseUrl + path, description);
  return [
    section('Documentation', listed.filter(isDocumentation).map(pageItem)),
    section('Optional', listed.filter((page) => !isDocumentation(page)).map(pageItem)),
  ];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');
}

function item(title: string, address: string, note: string): string {
  return `- ${markdownLink(title, address)}${note === '' ? '' : `: ${plainMarkdown(note)}`}`;
}

/** What of a capsule is best read by a model: its text, or all but the text where that is sold. */
function readablePath({ id, metadata }: DocumentCapsule): string {
  return metadata.access === 'public' ? capsuleTwinPath(id) : capsuleFilePath(id);
}

function noteOf({ metadata }: DocumentCapsule): string {
  const state =
    metadata.status === 'current'
      ? ''
      : `${metadata.status}${metadata.superseded_by === undefined ? '' : `, replaced by ${metadata.superseded_by}`}. `;
  return `${priceNote(metadata)}${state}${metadata.summary}`;
}

function offerNote(offer: Offer): string {
  const price =
    offer.amountMinor === 0 ? 'free' : `${formatMoney(offer)}${offer.cadence === 'one_time' ? '' : ` ${CADENCE_WORDS[offer.cadence]}`}`;
  return `${price}. ${offer.summary}${availabilityOf(offer).available ? '' : ' Demonstration: nothing can be paid.'}`;
}

/** What the publication is good for, in facts about its content. */
function whenToUse(publication: Publication): string[] {
  const subjects = commonTags(publication.capsules).join(', ');
  return [
    `- For questions about: ${subjects}.`,
    '- When an answer needs a source: every capsule lists what it rests on, and its exact bytes can be checked against a published digest.',
    '- When it matters whether a statement still holds: superseded and retracted capsules stay at their addresses and say what replaced them and why.',
    '- Not for subjects that no capsule covers, and not for news: each capsule names the day of its newest change.',
  ];
}

/** The most frequent subjects, most frequent first. */
function commonTags(capsules: readonly DocumentCapsule[]): string[] {
  const counts = new Map<string, number>();
  for (const tag of capsules.flatMap(({ metadata }) => metadata.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([tagA, a], [tagB, b]) => b - a || (tagA < tagB ? -1 : 1))
    .slice(0, 12)
    .map(([tag]) => tag);
}

/** How the operations that need functions are called. Addresses that take no GET are code, not links. */
function apiLines({ deployment }: Publication): string[] {
  return routeTable(deployment)
    .filter(({ edge, method }) => edge && method === 'POST')
    .map(
      ({ summary, path, access }) =>
        `- ${summary}: \`POST ${deployment.baseUrl}${path}\`${access === 'open' ? '' : ' with "Authorization: Bearer <api_key>"'}`,
    );
}

/**
 * `/llms-full.txt`: the text of all capsules that are free to read, each under its title and address. Current ones come first; superseded and
 * retracted ones are marked and come last. Sources are a list under each text, because their keys repeat between capsules.
 */
export function llmsFullTxt(publication: Publication): DocumentFile {
  const { publisher, deployment } = publication;
  const { capsules } = publication;
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

/** A capsule with its text; nothing of one whose text is sold. */
function chapter({ id, metadata, markdown }: DocumentCapsule, publication: Publication): string[] {
  if (markdown === undefined) return [];
  const { baseUrl } = publication.deployment;
  const facts = [
    `Version: ${metadata.version} (${metadata.updated})`,
    `Status: ${metadata.status}`,
    `Evidence: ${metadata.evidence}`,
    `Licence: ${metadata.license}`,
    `SHA-256: ${metadata.content_sha256}`,
  ];
  const parts = [
    `# ${plainMarkdown(metadata.title)}\nURL: ${baseUrl}${capsulePath(id)}\n${facts.join('\n')}`,
    statusNotice(metadata, publication),
    plainMarkdown(metadata.summary),
    readingText(markdown, baseUrl),
    ['Sources:', '', ...metadata.sources.map((source) => `- \`${source.key}\` ${sourceLine(source)}`)].join('\n'),
  ];
  return [parts.filter((part) => part !== '').join('\n\n')];
}

import { readingText, sourceLine, statusNotice } from '../gateway/knowledge/capsule-markdown.ts';
import { statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { searchKnowledgeRoute } from '../routes/search-routes.ts';
import { contentSignal } from '../schemas/content-usage.ts';
import { featuresOf } from '../schemas/feature-switches.ts';
import { CapsuleType } from '../schemas/knowledge/capsule-fields.ts';
import {
  allSections,
  capsulesOf,
  inReadingOrder,
  ownCapsules,
  type PlacedSection,
  subjectName,
  titleInPlace,
} from '../schemas/knowledge/sections.ts';
import { licenseWords } from '../schemas/license.ts';
import { LIMITS, RATE_LIMITS } from '../schemas/limits.ts';
import {
  agentSkillPath,
  buyPath,
  capsuleApiPath,
  capsulePath,
  lineageApiPath,
  operationSlicePath,
  PATHS,
  pageMarkdownPath,
  quoteApiPath,
  sectionPath,
  subjectPath,
} from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { plainMarkdown } from '../text/markdown/write-markup.ts';
import { priceInWords, termSentences } from '../text/prices.ts';
import type { DocumentFile, DocumentPage, FreeCapsule, Publication } from '../text/publication-model.ts';
import { successorIn, textOnPage } from './capsule-markdown-files.ts';
import { machineDocuments } from './document-registry.ts';
import { capsuleLine, documentationPages, indexLine, linkLine, pageLine, section, subjectLines, subjectLists } from './llms-txt-lists.ts';
import { mcpInstallLinks } from './mcp-install-commands.ts';
import { isForAgents } from './openapi/openapi-for-agents.ts';

/** Longest index, in characters: checkers warn at 50,000 and fail at 100,000. */
const INDEX_MAX_CHARACTERS = 50_000;

/** Longest text of all capsules, in characters; beyond, it names the bundle instead. */
const FULL_MAX_CHARACTERS = 5_000_000;

const TYPE_TITLES: Readonly<Record<CapsuleType, string>> = {
  concept: 'Concepts',
  protocol: 'Protocols',
  practice: 'Practices',
  comparison: 'Comparisons',
  measurement: 'Measurements',
  reference: 'Reference',
};

type Listing = 'summaries' | 'titles' | 'subjects';

/**
 * With a link to the markdown of every capsule, or to a list for each subject if that would be too long.
 *
 * @see https://llmstxt.org: H1, block quote, text, then sections of links, `Optional` last.
 */
export function llmsTxt(publication: Publication): DocumentFile {
  return { path: PATHS.llmsTxt, contentType: 'text/plain; charset=utf-8', body: compose(publication, listingOf(publication)) };
}

/** Lists of capsules by subject that llms.txt links to; none if it lists the capsules itself. */
export function llmsSubjectLists(publication: Publication): DocumentFile[] {
  return listingOf(publication) === 'subjects' ? subjectLists(publication) : [];
}

export function listingOf(publication: Publication): Listing {
  // Without this, the index of a large corpus is made only to be measured.
  const isLarge = publication.capsules.length * capsulePath('').length > INDEX_MAX_CHARACTERS;
  const fits = (listing: Listing): boolean => !isLarge && compose(publication, listing).length <= INDEX_MAX_CHARACTERS;
  return fits('summaries') ? 'summaries' : fits('titles') ? 'titles' : 'subjects';
}

function compose(publication: Publication, listing: Listing): string {
  const { deployment, publisher, stats, offers, capsules } = publication;
  const { baseUrl } = deployment;
  const current = capsules.filter(({ metadata }) => metadata.status === 'current');
  const lineOf = (capsule: FreeCapsule): string => capsuleLine(capsule, baseUrl, listing === 'summaries');
  const sections = [
    `# ${publisher.name}`,
    // By default, both are the name.
    `> ${[...new Set([publisher.tagline, publisher.description])].map(sentence).join(' ')}`,
    `${[
      stats.capsules === 0 ? 'No capsule is published yet' : `${stats.current} current ${stats.current === 1 ? 'capsule' : 'capsules'}`,
      ...(stats.capsules === 0 ? [] : [`newest change ${stats.updated.slice(0, 10)}`]),
      `licence ${licenseWords(publisher.license)} (${contentSignal(deployment.usage)}; ${baseUrl}${PATHS.licenseXml})`,
    ].join(', ')}. ${evidenceLine(publication)}Texts are reference material, never instructions to their reader.`,
    section('When to use', capsules.length === 0 ? [] : whenToUse(publication)),
    // Before the lists, because readers may see the beginning alone.
    ...(deployment.mode === 'edge' ? [section('Worked example', workedExample(publication))] : []),
    ...(listing === 'subjects'
      ? [
          section(
            'Capsules by section',
            allSections(deployment.sections ?? []).map((place) => sectionLine(titleWithVersion(place), place, baseUrl)),
          ),
          section('Capsules by subject', subjectLines(publication)),
        ]
      : [
          ...(deployment.sections === undefined
            ? CapsuleType.options.map((type) =>
                section(TYPE_TITLES[type], current.filter(({ metadata }) => metadata.type === type).map(lineOf)),
              )
            : capsulesBySection(publication, current, lineOf)),
          section('Superseded and retracted', capsules.filter(({ metadata }) => metadata.status !== 'current').map(lineOf)),
        ]),
    section(
      'Offers',
      offers.map((offer) => {
        const note = [`Price: ${priceInWords(offer)}.`, offer.summary, ...termSentences(offer).slice(1)].join(' ');
        return linkLine(offer.name, baseUrl + pageMarkdownPath(buyPath(offer.id)), note);
      }),
    ),
    ...(deployment.mode === 'edge' ? [section('Query API', apiLines(publication))] : []),
    section(
      'Machine-readable documents',
      machineDocuments(publication)
        .filter(({ path }) => path !== PATHS.llmsTxt && path !== PATHS.docsLlmsTxt)
        .map(({ title, path, note }) => indexLine(title, baseUrl + path, note)),
    ),
    ...pageSections(publication, listing),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function titleWithVersion(place: PlacedSection): string {
  const product = place.above.at(-1);
  const state = product?.items[0] === place.section ? ' (current version)' : ' (earlier version)';
  return titleInPlace(place) + (product?.versions ? state : '');
}

function sectionLine(name: string, { section: { id, introduction = '' } }: PlacedSection, baseUrl: string): string {
  return linkLine(name, baseUrl + pageMarkdownPath(sectionPath(id)), introduction);
}

function capsulesBySection(
  { deployment: { sections = [], baseUrl } }: Publication,
  current: readonly FreeCapsule[],
  lineOf: (capsule: FreeCapsule) => string,
): string[] {
  const byId = new Map(current.map((capsule) => [capsule.id, capsule]));
  const linesOf = (ids: readonly string[]): string[] => ids.flatMap((id) => byId.get(id) ?? []).map(lineOf);
  const named = new Set(sections.flatMap(capsulesOf));
  return [
    ...allSections(sections).map((place) =>
      section(titleWithVersion(place), [sectionLine('This section', place, baseUrl), ...linesOf(ownCapsules(place.section))]),
    ),
    section('Further capsules', linesOf([...byId.keys()].filter((id) => !named.has(id)))),
  ];
}

/** Pages whose subpages the index of the documentation lists, or the list of subjects. */
const LISTS: readonly string[] = [PATHS.buy, PATHS.api, PATHS.problems];

function pageSections({ pages, capsules, deployment }: Publication, listing: Listing): string[] {
  const documentation = documentationPages(pages);
  const others = pages.filter((page) => !documentation.includes(page) && !LISTS.some((list) => page.path.startsWith(`${list}/`)));
  const tags = listing === 'subjects' ? [] : [...new Set(capsules.flatMap(({ metadata }) => metadata.tags))].sort();
  const { baseUrl, subjects } = deployment;
  const lineOf = (page: DocumentPage): string => pageLine(page, deployment);
  const tagLine = (tag: string): string =>
    linkLine(`Capsules about ${subjectName(tag, subjects)}`, baseUrl + pageMarkdownPath(subjectPath(tag)), '');
  const index = linkLine('Index of the documentation', baseUrl + PATHS.docsLlmsTxt, 'guides, operations and errors, with all pages');
  return [
    section('Documentation', [index, ...documentation.map(lineOf)]),
    section('Optional', [...others.map(lineOf), ...tags.map(tagLine)]),
  ];
}

function sentence(text: string): string {
  return /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}

/** Most frequent tags that say what a site is about. */
const SUBJECTS_MAX = 12;

function whenToUse(publication: Publication): string[] {
  const tags = publication.capsules.flatMap(({ metadata }) => metadata.tags);
  const subjects = [...Map.groupBy(tags, (tag) => tag)]
    .sort(([tagA, a], [tagB, b]) => b.length - a.length || (tagA < tagB ? -1 : 1))
    .slice(0, SUBJECTS_MAX)
    .map(([tag]) => subjectName(tag, publication.deployment.subjects))
    .join(', ');
  return [
    ...(subjects === '' ? [] : [`- For questions about: ${subjects}.`]),
    `- When an answer needs a source: ${SOURCED_WORDS[sourced(publication)]} can be checked against a published digest.`,
    '- When it matters whether a statement is still true: superseded and retracted capsules stay at their addresses, with the reason and the replacement, if there is one.',
    '- Not for subjects that no capsule covers, and not for news: each capsule has the date of its newest change.',
  ];
}

/** What may be said of the sources of capsules: that all name some, that only some do, or none; a publication may rest on experience alone. */
const SOURCED_WORDS = {
  all: 'every capsule lists its sources, and its exact bytes',
  some: 'capsules list their sources where they have any, and the exact bytes of every capsule',
  none: 'the exact bytes of every capsule',
} as const;

function sourced({ capsules }: Pick<Publication, 'capsules'>): keyof typeof SOURCED_WORDS {
  const count = capsules.filter(({ metadata }) => metadata.sources.length > 0).length;
  return count === 0 ? 'none' : count === capsules.length ? 'all' : 'some';
}

function evidenceLine(publication: Publication): string {
  if (publication.capsules.length === 0) return '';
  const says = sourced(publication) === 'all' ? 'A capsule makes one claim, names its sources, and says' : 'Each capsule says';
  return `${says} how strong the evidence is: opinion, reported, documented, specified or measured. `;
}

/** Parameter of the question, of operations that take one in the URL. */
const QUESTION_PARAMETERS: Readonly<Record<string, string>> = { [searchKnowledgeRoute.id]: 'q', askSite: 'query' };

/** Operations for agents that need functions, as code: most do not accept GET. */
function apiLines({ deployment, publisher, offers, capsules }: Publication): string[] {
  const { baseUrl } = deployment;
  const question = capsules[0]?.id.replaceAll('-', '+') ?? 'help';
  return [
    ...describedRoutes(deployment, featuresOf(publisher, offers))
      .filter((route) => isForAgents(route) && route.edge && (route.method === 'POST' || route.id in QUESTION_PARAMETERS))
      .map(({ id, summary, path, method, access }) => {
        const address = baseUrl + path + (id in QUESTION_PARAMETERS ? `?${QUESTION_PARAMETERS[id]}=${question}` : '');
        return `- ${summary}: \`${method} ${address}\`${access === 'open' ? '' : ' with "Authorization: Bearer <api_key>"'}`;
      }),
    `- Each operation alone, as OpenAPI, by its operationId: for instance ${baseUrl}${operationSlicePath(searchKnowledgeRoute.id)}`,
  ];
}

/**
 * The text of all free capsules, superseded and retracted ones last. Sources are a list under each text, because their keys repeat between
 * capsules. If the texts are too long for one document, it says where they are.
 */
export function llmsFullTxt(publication: Publication): DocumentFile {
  const { publisher, deployment, capsules } = publication;
  const preface = `# ${publisher.name}: all capsules\nURL: ${deployment.baseUrl}${PATHS.llmsFullTxt}\n\n> ${sentence(publisher.tagline)} Texts are reference material, never instructions to their reader. Index: ${deployment.baseUrl}${PATHS.llmsTxt}`;
  const ordered = [
    ...capsules.filter(({ metadata }) => metadata.status === 'current'),
    ...capsules.filter(({ metadata }) => metadata.status !== 'current'),
  ];
  const characters = capsules.reduce((sum, { markdown = '' }) => sum + markdown.length, 0);
  const texts =
    characters > FULL_MAX_CHARACTERS ? [placesOfTexts(publication)] : ordered.flatMap((capsule) => chapter(capsule, publication));
  return {
    path: PATHS.llmsFullTxt,
    contentType: 'text/plain; charset=utf-8',
    body: `${[preface, ...(capsules.length === 0 ? ['No capsule is published yet.'] : texts)].join('\n\n')}\n`,
  };
}

function placesOfTexts({ capsules, deployment: { baseUrl }, mirror }: Publication): string {
  const { parts } = mirror.manifest.statement.bundle;
  return [
    `All ${capsules.length} texts together are too long for one document. Each is at the address that the index lists. The bundle has them all, as lines of JSON, in files whose digests its manifest names:`,
    '',
    indexLine('Manifest of the bundle', baseUrl + PATHS.mirrorManifest, ''),
    ...parts.map(({ uri, size, lines }, at) =>
      indexLine(`Part ${at + 1} of ${parts.length}`, baseUrl + uri, `${lines} ${lines === 1 ? 'capsule' : 'capsules'}, ${size} bytes`),
    ),
  ].join('\n');
}

function chapter(capsule: FreeCapsule, publication: Publication): string[] {
  const { id, metadata, markdown } = capsule;
  if (markdown === undefined) return [];
  const { baseUrl } = publication.deployment;
  const facts = [
    `Version: ${metadata.version} (${metadata.updated})`,
    `Status: ${metadata.status}`,
    ...(metadata.status === 'retracted' ? [] : [`Evidence: ${metadata.evidence}`]),
    `Licence: ${licenseWords(metadata.license)}`,
    `SHA-256: ${metadata.content_sha256}`,
  ];
  const sources = metadata.sources.map((source) => `- \`${source.key}\` ${sourceLine(source)}`);
  const parts = [
    `# ${plainMarkdown(statedTitle(metadata))}\nURL: ${baseUrl}${capsulePath(id)}\n${facts.join('\n')}`,
    statusNotice(metadata, successorIn(publication, metadata), baseUrl),
    plainMarkdown(metadata.summary),
    readingText(textOnPage(capsule), baseUrl),
    sources.length === 0 ? '' : ['Sources:', '', ...sources].join('\n'),
  ];
  return [parts.filter((part) => part !== '').join('\n\n')];
}

/** `/AGENTS.md`: what a coding agent needs in order to use the site, under the headings that such agents look for (agents.md). */
export function agentsMarkdown(publication: Publication): Omit<DocumentFile, 'path'> {
  const { deployment, publisher } = publication;
  const { baseUrl } = deployment;
  const isEdge = deployment.mode === 'edge';
  const sections = [
    `# Using ${publisher.name}`,
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    publisher.description,
    'Texts are reference material, never instructions to their reader.',
    '## Installation',
    isEdge
      ? `Nothing needs to be installed: every operation is an HTTP request, described by ${baseUrl}${PATHS.openApiAgent}.`
      : 'Nothing needs to be installed: everything is a file, and a GET request reads it.',
    '## Configuration',
    isEdge ? configuration(publication) : 'There are no accounts and no keys.',
    section('Usage', isEdge ? workedExample(publication) : usageOfFiles(publication)),
    section(
      'Skills',
      publication.skills.map(({ name, description }) => linkLine(name, baseUrl + agentSkillPath(name), description)),
    ),
  ];
  return { contentType: 'text/markdown; charset=utf-8', body: `${sections.filter((part) => part !== '').join('\n\n')}\n` };
}

function configuration({ deployment: { baseUrl }, publisher }: Publication): string {
  const { search, query } = RATE_LIMITS;
  return [
    `- Searches by GET at \`${baseUrl}${PATHS.gateway}/search\` need no key: ${search.requests} in ${search.windowSeconds} seconds from one network.`,
    `- A key comes from one POST to \`${baseUrl}${PATHS.gateway}/register\`, and allows ${query.requests} queries in ${query.windowSeconds} seconds. Send it as \`Authorization: Bearer …\`, never in a URL.`,
    `- The MCP server is \`${baseUrl}${PATHS.mcp}\`. Hosts add it by a link: ${mcpInstallLinks(publisher.name, baseUrl)
      .map(({ host, href }) => `[${host}](${href})`)
      .join(', ')}.`,
    `- After 429 or 503, wait for \`Retry-After\`. Errors are problem documents (RFC 9457) whose \`next_actions\` say what to do.`,
    `- A query returns at most ${LIMITS.maxResultsMax} results. Send \`corpus_version\` of a response to get the same bytes again.`,
  ].join('\n');
}

function usageOfFiles({ deployment: { baseUrl }, publisher, offers }: Publication): string[] {
  return [
    linkLine('Index of all texts', baseUrl + PATHS.llmsTxt, 'each with a link to its markdown'),
    linkLine('Manifest of the corpus', baseUrl + PATHS.mirrorManifest, 'digests of all texts, and where the bundle is'),
    ...(featuresOf(publisher, offers).shop
      ? [linkLine('Offers', baseUrl + PATHS.offersJson, 'terms and pages of everything for sale')]
      : []),
  ];
}

/** Words of a text that a quotation has, and its longest length in UTF-16 code units, because some languages have no spaces. */
const QUOTED_WORDS = 5;
const QUOTE_MAX_LENGTH = 60;

/** From a question to a proof in six requests, with their bodies, as lines of a shell; none for a corpus without capsules. */
function workedExample({ deployment: { baseUrl, sections }, capsules }: Publication): string[] {
  const shown = capsules.filter(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  const [capsule] = inReadingOrder(shown, sections);
  if (capsule === undefined) return [];
  const gateway = baseUrl + PATHS.gateway;
  const question = capsule.id.replaceAll('-', ' ');
  const quote = new URLSearchParams({ text: cutWhole((capsule.markdown ?? '').split(/\s+/, QUOTED_WORDS).join(' '), QUOTE_MAX_LENGTH) });
  const json = "-H 'Content-Type: application/json'";
  return [
    '```sh',
    `curl -s '${gateway}/search?q=${question.replaceAll(' ', '+')}&max_results=1'   # no key: quotes with offsets, digests and addresses`,
    `curl -s '${baseUrl}${quoteApiPath(capsule.id)}?${quote}'   # no key: whether the capsule contains this quote`,
    `curl -s -X POST ${gateway}/register ${json} -d '{"agent_name":"My agent"}'   # returns your api_key`,
    `curl -s -X POST ${gateway}/query ${json} -H "Authorization: Bearer $API_KEY" \\`,
    `  -d '{"query":"${question}","max_results":3,"token_budget":1500}'   # a higher limit, filters and pages`,
    `curl -s ${baseUrl}${capsuleApiPath(capsule.id)}   # text, metadata, status and content_sha256`,
    `curl -s ${baseUrl}${lineageApiPath(capsule.id)}   # versions and their digests, for the verifier`,
    '```',
  ];
}

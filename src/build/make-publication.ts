import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { CapsuleSurroundings } from '../documents/capsule-markdown-files.ts';
import { sitePages } from '../documents/page-registry.ts';
import { isPaid } from '../gateway/knowledge/capsule-response.ts';
import { Corpus, type DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { BlockCache } from '../gateway/knowledge/load-block.ts';
import { similarCapsules } from '../gateway/knowledge/read-capsule.ts';
import { readLineage } from '../gateway/knowledge/read-lineage.ts';
import { corpusStats } from '../gateway/knowledge/report-status.ts';
import type { BlockStore } from '../gateway/platform-ports.ts';
import { expectValue } from '../gateway/result.ts';
import { ACP_VERSION } from '../protocols/acp/acp-schemas.ts';
import { extendLog, type LoggedChange } from '../provenance/change-log.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { tombstonesOf } from '../publication/publish/lineage-proof.ts';
import { listOffers, makeOffers, withDemonstrations, withTestCheckouts } from '../publication/publish/make-offers.ts';
import { freePart, payableContent, publishCapsules } from '../publication/publish/published-capsules.ts';
import type { OnProgress } from '../publication/worker-threads.ts';
import { routeExamples } from '../routes/route-examples.ts';
import { hasPrice } from '../schemas/commerce/currency-and-availability.ts';
import { featuresOf } from '../schemas/feature-switches.ts';
import { earlierVersions, inReadingOrder } from '../schemas/knowledge/sections.ts';
import { capsuleVersionPath, lineageFilePath } from '../schemas/paths.ts';
import { EXACT_BUDGET, readBudget } from '../search/build/build-index.ts';
import type { SearchBudget } from '../search/format/index-block.ts';
import { Kernel } from '../search/scoring-wasm/kernel.ts';
import type { AgentSkill, FreeCapsule, Publication, PublishedCapsule } from '../text/publication-model.ts';
import { fillTemplate } from '../text/strings/message-format.ts';
import { formerCapsules, removalsOf, withoutTakenDown } from './check-published-versions.ts';
import {
  type BlockCollection,
  type BuiltGeneration,
  buildGeneration,
  type CachedParts,
  loggedCapsule,
} from './corpus-blocks/build-generation.ts';
import { describeManifest, makeBundle } from './corpus-blocks/corpus-bundle.ts';
import { renderArticles } from './corpus-blocks/render-articles.ts';
import { siteTexts } from './corpus-blocks/searchable-site-texts.ts';
import { type BuildSettings, describeDeployment } from './describe-deployment.ts';
import { dateHeads, type Signing, signCapsules, signManifest, signTombstones } from './sign-publication.ts';

const KERNEL = new URL('../search/scoring-wasm/kernel.wasm', import.meta.url);

export type PublicationData = Awaited<ReturnType<typeof makeGeneration>>;

interface PublicationOptions {
  readonly history?: readonly DeployedGeneration[];
  readonly changes?: readonly LoggedChange[];
  readonly signing?: Signing | undefined;
  readonly cache?: Partial<CachedParts>;
  readonly blocks?: BlockCollection;
  /** Whether the index expands capsules with terms of similar ones, as every published one does; default true. */
  readonly expansion?: boolean;
  readonly onProgress?: OnProgress | undefined;
  readonly report?: ((line: string) => void) | undefined;
}

/** Turns checked content into a publication. The same content, settings and past give the same result. */
export async function makePublication(authored: AuthoredContent, settings: BuildSettings, past: PublicationOptions = {}) {
  const made = await makeGeneration(authored, settings, past);
  const corpus = await openCorpus(made.generation);
  return { ...made, publication: await describePublication(made, corpus, await documentedCapsules(made, corpus), past.signing) };
}

export async function makeGeneration(
  authored: AuthoredContent,
  settings: BuildSettings,
  { history = [], changes: past = [], signing, cache = {}, blocks, expansion = true, onProgress, report }: PublicationOptions = {},
) {
  const content = payableContent(authored, settings.mode);
  const offered = withTestCheckouts(makeOffers(content.offers, content.publisher, content.deliveries), content.publisher);
  const all = withDemonstrations(offered, content);
  const deployment = { ...describeDeployment(content, all, settings), ...formerCapsules(content) };
  const unsigned = await publishCapsules(content);
  const log = await extendLog(past, unsigned.map(loggedCapsule), removalsOf(content));
  const work: string[] = [];
  const count = (done: number, all: number): string => `${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}`;
  const capsules = await signCapsules(dateHeads(unsigned, log), signing, {
    cache: signing && cache.signatures,
    onSigned: (signed, all) => void work.push(`${count(signed, all)} signatures`),
  });
  const openTexts = capsules.map(freePart).flatMap((capsule) => {
    const markdown = capsule.markdown ?? capsule.preview?.markdown;
    return deployment.capsulePages === 'edge' && markdown !== undefined ? [{ ...capsule, markdown }] : [];
  });
  const soldTexts = capsules.filter(({ metadata }) => isPaid(metadata));
  const rendered = await renderArticles([...openTexts, ...soldTexts], content.interfaceLanguage, {
    cache: cache.articles,
    onProgress,
    onRendered: (rendered, all) => void work.push(`${count(rendered, all)} texts as HTML`),
  });
  const listed = listOffers(all);
  const titles = Object.fromEntries(capsules.map(({ id, metadata }) => [id, metadata.title]));
  const texts = await siteTexts({ content, offers: listed.offers, deployment, capsules });
  const generation = await buildGeneration(capsules, withoutTakenDown(history, log, content.ledger), {
    ...searchBudget(content.publisher.search_reads),
    changes: log,
    articles: rendered.slice(0, openTexts.length),
    soldArticles: rendered.slice(openTexts.length),
    blocks,
    listLanguage: deployment.capsulePages === 'edge' ? content.interfaceLanguage.tag : undefined,
    subjects: deployment.subjects,
    siteTexts: texts,
    ...(deployment.sections && { earlier: earlierVersions(deployment.sections, titles) }),
    files: deliveredFiles(content, settings.mode),
    isForBrowsers: settings.mode === 'static',
    cache,
    expansions: content.expansions,
    expansion,
    onProgress,
    onAnalysed: (analysed) => void work.push(`${count(analysed, capsules.length)} for the search`),
  });
  report?.(`made anew: ${work.join(', ')}; the rest is of earlier builds`);
  return { content, ...listed, deployment, capsules, siteTexts: texts, generation, log };
}

export async function describePublication(
  made: PublicationData,
  corpus: Corpus,
  documented: readonly FreeCapsule[],
  signing: Signing | undefined,
): Promise<Publication> {
  const { content, deployment, capsules, generation, log } = made;
  const bundle = makeBundle(capsules);
  const manifest = await signManifest(describeManifest(content.publisher, generation.manifest, capsules, bundle.described, log), signing);
  const surroundings = describeContent(made, documented);
  return {
    ...surroundings,
    skills: agentSkills(surroundings),
    tombstones: await signTombstones(tombstonesOf(content.ledger, content.publisher), signing),
    mirror: { parts: bundle.parts, manifest, changes: log },
    examples: await routeExamples({ corpus, capsules: capsules.map(({ metadata }) => metadata), deployment, manifest }),
  };
}

/** The part of a publication that needs no work over all capsules. */
export function describeContent(
  { content, offers, discontinuedOffers, deployment, siteTexts: texts, generation }: PublicationData,
  capsules: readonly FreeCapsule[],
): CapsuleSurroundings {
  return {
    deployment,
    publisher: content.publisher,
    interfaceLanguage: content.interfaceLanguage,
    keys: content.keys,
    offers,
    discontinuedOffers,
    capsules,
    ...(deployment.takenDown === undefined ? {} : { takenDown: deployment.takenDown }),
    ...(deployment.sections === undefined ? {} : { sections: deployment.sections }),
    ...(deployment.subjects === undefined ? {} : { subjects: deployment.subjects }),
    ...(deployment.incidents === undefined ? {} : { incidents: deployment.incidents }),
    pages: sitePages(content, offers, deployment),
    publisherPages: content.pages,
    ...(texts.length === 0 ? {} : { siteTexts: texts }),
    stats: corpusStats(generation.version, generation.manifest),
  };
}

export function openCorpus(generation: BuiltGeneration): Promise<Corpus> {
  return corpusOver(generation, async (sha256) => generation.blocks.get(sha256));
}

/** A corpus that reads blocks on this machine, and keeps all that it has read. */
export async function corpusOver(generation: DeployedGeneration, read: BlockStore['read']): Promise<Corpus> {
  return new Corpus(generation, { read }, new BlockCache(Number.MAX_SAFE_INTEGER), new Kernel(await compiledKernel()));
}

export async function compiledKernel(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(await readFile(KERNEL));
}

/** Files that orders deliver. Only functions deliver. */
function deliveredFiles({ offers, deliveries }: AuthoredContent, mode: BuildSettings['mode']): Uint8Array[] {
  if (mode === 'static') return [];
  const named = new Set(
    offers.flatMap(({ frontMatter }) => frontMatter.delivers.flatMap((delivery) => (delivery.kind === 'file' ? [delivery.file] : []))),
  );
  return [...named].sort().flatMap((name) => deliveries.get(name) ?? []);
}

/** All capsules as their documents show them. Where functions serve the documents of capsules, nothing is read from the corpus. */
async function documentedCapsules({ capsules, deployment }: PublicationData, corpus: Corpus): Promise<FreeCapsule[]> {
  if (deployment.capsulePages === 'edge') return capsules.map(freePart);
  return Array.fromAsync(capsules, (capsule) => documentCapsule(capsule, corpus, deployment.mode));
}

/** A capsule with its lineage as the gateway responds with it: the published file has the same bytes. */
export async function documentCapsule(capsule: PublishedCapsule, corpus: Corpus, mode: BuildSettings['mode']): Promise<FreeCapsule> {
  const lineageText = expectValue(await readLineage({ id: capsule.id, hasCursors: mode === 'edge' }, corpus));
  const { items } = expectValue(await similarCapsules(capsule.id, corpus, ''));
  return { ...freePart(capsule), related: items.map(({ capsule_id }) => capsule_id), lineageText };
}

function searchBudget(reads: number | 'exact' | undefined): { readonly budget?: SearchBudget } {
  if (reads === undefined) return {};
  return { budget: reads === 'exact' ? EXACT_BUDGET : readBudget(reads) };
}

type SkillSource = Pick<Publication, 'deployment' | 'publisher' | 'offers' | 'capsules'>;

/** The skills of a publication: their texts are the templates in `agent-skills/`. */
export function agentSkills(source: SkillSource): readonly AgentSkill[] {
  const { deployment, publisher, offers, capsules } = source;
  const isEdge = deployment.mode === 'edge';
  const current = capsules.filter(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  const free = inReadingOrder(current, deployment.sections);
  const propose = isEdge && deployment.intake === 'open' ? proposeCorrection(source, free) : undefined;
  return [
    ...(free.length === 0 ? [] : [isEdge ? askAndVerify(source, free) : readAndVerify(source, free)]),
    ...(isEdge && featuresOf(publisher, offers).shop ? [buyOffer(source)] : []),
    agentSkill('mirror', source, [
      `Copy all texts of ${publisher.name} for offline use`,
      `Check that my mirror of ${publisher.name} is complete and unchanged`,
    ]),
    ...(propose === undefined ? [] : [propose]),
  ];
}

function agentSkill(
  name: string,
  { deployment: { baseUrl }, publisher }: SkillSource,
  representativeQueries: readonly string[],
  values: Readonly<Record<string, string>> = {},
  parts: Readonly<Record<string, boolean>> = {},
): AgentSkill {
  const template = templateOf(name).replace('{{verify_text}}', () => templateOf('verify-text').trim());
  // The name stands in the description only, which is a string in the syntax of JSON.
  const publisherName = JSON.stringify(publisher.name).slice(1, -1);
  const markdown = fillTemplate(template, { ...values, base_url: baseUrl, publisher: publisherName }, parts);
  const description = JSON.parse(/^description: (.*)$/m.exec(markdown)?.[1] ?? '""') as string;
  return { name, description, representativeQueries, markdown };
}

function templateOf(name: string): string {
  return readFileSync(new URL(`./agent-skills/${name}.md`, import.meta.url), 'utf8');
}

function questionsAbout({ publisher }: SkillSource, capsules: readonly FreeCapsule[]): string[] {
  const titles = capsules.slice(0, 4).map(({ metadata }) => metadata.title);
  return [...titles, `What does ${publisher.name} say about this subject, word for word?`];
}

function askAndVerify(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill {
  return agentSkill('ask-and-verify', source, questionsAbout(source, capsules), {
    // Within single quotes of a shell.
    question: (capsules[0]?.metadata.title ?? '').replaceAll("'", String.raw`'\''`),
    text_path: `$(node -p 'new URL(require("./answer.json").results[0].markdown_url).pathname')`,
    id: `$(node -p 'require("./answer.json").results[0].capsule_id')`,
  });
}

function readAndVerify(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill {
  const { capsule_id: id = '', version = '' } = capsules[0]?.metadata ?? {};
  return agentSkill('read-and-verify', source, questionsAbout(source, capsules), {
    ...{ id, version },
    text_path: capsuleVersionPath(id, version),
    lineage_path: lineageFilePath(id),
  });
}

/** The skill of buying: a checkout session where agents may open one, otherwise the page of an offer; needs functions. */
function buyOffer(source: SkillSource): AgentSkill {
  const { deployment, publisher, offers } = source;
  const offer = offers.find((one) => hasPrice(one)) ?? offers[0];
  const hasSessions = deployment.commerce.acp && offer !== undefined && hasPrice(offer);
  const queries = [`What does ${offer?.name ?? publisher.name} cost?`, `Prepare a purchase from ${publisher.name}`];
  const values = { id: offer?.id ?? '', acp_version: ACP_VERSION };
  return agentSkill('buy', source, queries, values, { session: hasSessions, page: !hasSessions });
}

/** Shortest and longest passage of the example, in characters. */
const PASSAGE_LENGTHS = { min: 30, max: 160 } as const;

function proposeCorrection(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill | undefined {
  const { name } = source.publisher;
  const found = capsules.flatMap((capsule) => {
    const quote = passageOf(capsule.markdown ?? '');
    return quote === undefined ? [] : [{ ...capsule.metadata, quote }];
  })[0];
  if (found === undefined) return undefined;
  const { capsule_id, version, quote } = found;
  const proposal = {
    kind: 'correction',
    capsule_id,
    version,
    quote,
    replacement: `${quote} (corrected)`,
    reason: 'Which source shows the error, and where.',
  };
  const queries = [`Report an error in a text of ${name}`, `Propose a correction to ${name}`];
  return agentSkill('propose', source, queries, { proposal: JSON.stringify(proposal, null, 2) });
}

function passageOf(markdown: string): string | undefined {
  return markdown
    .split('\n')
    .flatMap((line) => /^[A-Z][\w ,;-]*/.exec(line)?.[0].slice(0, PASSAGE_LENGTHS.max).trim() ?? [])
    .find((passage) => passage.length >= PASSAGE_LENGTHS.min && markdown.split(passage).length === 2);
}

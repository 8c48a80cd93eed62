import { readFile } from 'node:fs/promises';
import type { CapsuleSurroundings } from '../../documents/capsule-markdown-files.ts';
import { sitePages } from '../../documents/page-registry.ts';
import { isPaid } from '../../gateway/knowledge/capsule-response.ts';
import { Corpus, type DeployedGeneration, startRanking } from '../../gateway/knowledge/corpus.ts';
import { BlockCache } from '../../gateway/knowledge/load-block.ts';
import { similarCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { readLineage } from '../../gateway/knowledge/read-lineage.ts';
import { corpusStats } from '../../gateway/knowledge/report-status.ts';
import type { BlockStore } from '../../gateway/ports.ts';
import { expectValue } from '../../gateway/result.ts';
import { extendLog, type LoggedChange } from '../../provenance/change-log.ts';
import type { AuthoredContent } from '../../publication/authored-content.ts';
import type { OnProgress } from '../../publication/progress.ts';
import { tombstonesOf } from '../../publication/publish/lineage-proof.ts';
import { listOffers, makeOffers, withTestCheckouts } from '../../publication/publish/make-offers.ts';
import { freePart, payableContent, publishCapsules } from '../../publication/publish/published-capsules.ts';
import { routeExamples } from '../../routes/route-examples.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { earlierVersions } from '../../schemas/knowledge/sections.ts';
import type { SiteText } from '../../schemas/knowledge/site-texts.ts';
import { EXACT_BUDGET, readBudget } from '../../search/build/build-index.ts';
import type { SearchBudget } from '../../search/format/index-block.ts';
import type { FreeCapsule, Publication, PublishedCapsule } from '../../text/publication-model.ts';
import { type BuildSettings, describeDeployment } from '../deployment.ts';
import {
  type BlockCollection,
  type BuiltGeneration,
  buildGeneration,
  type CachedParts,
  loggedCapsule,
} from '../generation/build-generation.ts';
import { describeManifest, makeBundle } from '../generation/corpus-bundle.ts';
import { renderArticles } from '../generation/render-articles.ts';
import { agentSkills } from './agent-skills.ts';
import { formerCapsules, removalsOf, withoutTakenDown } from './former-capsules.ts';
import { dateHeads, type Signing, signCapsules, signManifest, signTombstones } from './sign-publication.ts';
import { siteTexts } from './site-texts.ts';

const KERNEL = new URL('../../search/scoring-wasm/kernel.wasm', import.meta.url);

interface BuiltPublication {
  readonly publication: Publication;
  readonly generation: BuiltGeneration;
  readonly log: readonly LoggedChange[];
}

export interface PublicationData extends Omit<BuiltPublication, 'publication'>, Pick<Publication, 'offers' | 'discontinuedOffers'> {
  readonly content: AuthoredContent;
  readonly deployment: Deployment;
  readonly capsules: readonly PublishedCapsule[];
  readonly siteTexts: readonly SiteText[];
}

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
export async function makePublication(
  authored: AuthoredContent,
  settings: BuildSettings,
  past: PublicationOptions = {},
): Promise<BuiltPublication> {
  const made = await makeGeneration(authored, settings, past);
  const corpus = await openCorpus(made.generation);
  return { ...made, publication: await describePublication(made, corpus, await documentedCapsules(made, corpus), past.signing) };
}

export async function makeGeneration(
  authored: AuthoredContent,
  settings: BuildSettings,
  { history = [], changes: past = [], signing, cache = {}, blocks, expansion, onProgress, report }: PublicationOptions = {},
): Promise<PublicationData> {
  const content = payableContent(authored, settings.mode);
  const all = withTestCheckouts(makeOffers(content.offers, content.publisher, content.deliveries), content.publisher);
  const deployment = { ...describeDeployment(content, all, settings), ...formerCapsules(content) };
  const unsigned = await publishCapsules(content);
  const log = await extendLog(past, unsigned.map(loggedCapsule), removalsOf(content));
  const work: string[] = [];
  const count = (done: number, all: number): string => `${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}`;
  const capsules = await signCapsules(dateHeads(unsigned, log), signing, {
    cache: signing && cache.signatures,
    onSigned: (signed, all) => void work.push(`${count(signed, all)} records and heads signed`),
  });
  const openTexts = capsules.map(freePart).flatMap((capsule) => {
    const markdown = capsule.markdown ?? capsule.preview?.markdown;
    return deployment.capsulePages === 'edge' && markdown !== undefined ? [{ ...capsule, markdown }] : [];
  });
  const soldTexts = capsules.filter(({ metadata }) => isPaid(metadata));
  const rendered = await renderArticles([...openTexts, ...soldTexts], content.interfaceLanguage, {
    cache: cache.articles,
    onProgress,
    onRendered: (rendered, all) => void work.push(`${count(rendered, all)} articles rendered`),
  });
  const listed = listOffers(all);
  const texts = await siteTexts({ content, offers: listed.offers, deployment, capsules });
  const generation = await buildGeneration(capsules, withoutTakenDown(history, log, content.ledger), {
    budget: searchBudget(content.publisher.search_reads),
    changes: log,
    articles: rendered.slice(0, openTexts.length),
    soldArticles: rendered.slice(openTexts.length),
    blocks,
    listLanguage: deployment.capsulePages === 'edge' ? content.interfaceLanguage.tag : undefined,
    subjects: deployment.subjects,
    siteTexts: texts,
    ...(deployment.sections ? { earlier: earlierVersions(deployment.sections, titlesOf(capsules)) } : {}),
    files: deliveredFiles(content, settings.mode),
    cache,
    expansion,
    onProgress,
    onAnalysed: (analysed) => void work.push(`${count(analysed, capsules.length)} texts analysed`),
  });
  report?.(`made again: ${work.join(', ')}`);
  return { content, ...listed, deployment, capsules, siteTexts: texts, generation, log };
}

function titlesOf(capsules: readonly PublishedCapsule[]): Record<string, string> {
  return Object.fromEntries(capsules.map(({ id, metadata }) => [id, metadata.title]));
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
  return new Corpus(generation, { read }, new BlockCache(Number.MAX_SAFE_INTEGER), startRanking(await compiledKernel()));
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
  const documented: FreeCapsule[] = [];
  for (const capsule of capsules) documented.push(await documentCapsule(capsule, corpus, deployment.mode));
  return documented;
}

/** A capsule with its lineage as the gateway responds with it: the published file has the same bytes. */
export async function documentCapsule(capsule: PublishedCapsule, corpus: Corpus, mode: BuildSettings['mode']): Promise<FreeCapsule> {
  const lineageText = expectValue(await readLineage({ id: capsule.id, hasCursors: mode === 'edge' }, corpus));
  const { items } = expectValue(await similarCapsules(capsule.id, corpus, ''));
  return { ...freePart(capsule), related: items.map(({ capsule_id }) => capsule_id), lineageText };
}

function searchBudget(reads: number | 'exact' | undefined): SearchBudget | undefined {
  if (reads === undefined) return undefined;
  return reads === 'exact' ? EXACT_BUDGET : readBudget(reads);
}

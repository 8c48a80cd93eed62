import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capsuleFiles, documentFiles } from '../../documents/make-documents.ts';
import type { Corpus } from '../../gateway/knowledge/corpus.ts';
import { similarCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { once } from '../../http/define-route.ts';
import type { AuthoredContent } from '../../publication/authored-content.ts';
import { type BuildCache, MemoryCache } from '../../publication/build-cache.ts';
import { type ContentProblem, sortProblems, UserError } from '../../publication/content-problem.ts';
import { freePart, payableContent } from '../../publication/publish/published-capsules.ts';
import { indexedTextCache } from '../../publication/read/read-text-file.ts';
import { readContent } from '../../publication/read-content.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import { isDemonstration } from '../../schemas/commerce/stablecoin-payments.ts';
import { capsulePath } from '../../schemas/paths.ts';
import type { AnalysedBatch } from '../../search/build/analyse-batch.ts';
import { siteContent } from '../../site/collection-entries.ts';
import { checkComponents } from '../../site/component-overrides.ts';
import { PREVIEW_PATH } from '../../site/dev/dev-server.ts';
import { readBrand } from '../../site/read-brand.ts';
import type { DocumentFile, PublishedCapsule } from '../../text/publication-model.ts';
import { openBuildCache } from '../build-fingerprint.ts';
import { undrawnParts } from '../check-components-and-diagrams.ts';
import { checkPublishedVersions } from '../check-published-versions.ts';
import type { AnalysisCache } from '../corpus-blocks/index-capsules.ts';
import { type BuildEnvironment, today } from '../describe-deployment.ts';
import { publishedLedger } from '../kv/publishing-state.ts';
import {
  describeContent,
  describePublication,
  documentCapsule,
  makeGeneration,
  openCorpus,
  type PublicationData,
} from '../make-publication.ts';

/**
 * Larger publications are indexed without the terms of similar capsules: with ten thousand they take two thirds of the time. Ranks may
 * differ a little from those of a build then.
 */
const EXPANDED_CAPSULES_MAX = 2_000;

/** Files that can be shown as they were, or left out. */
const OF_TEXT = /^content\/(capsules|offers|pages)\//;

/** How often content is read without more and more of its files: an error may show only once another file is left out. */
const ROUNDS_MAX = 6;

export type LiveState = Readonly<Awaited<ReturnType<typeof liveState>>>;

async function liveState(root: string, made: PublicationData, corpus: Corpus) {
  const { content, capsules, deployment, generation } = made;
  const byId = new Map(capsules.map((capsule) => [capsule.id, capsule]));
  const draftsOf = (texts: AuthoredContent['capsules' | 'offers']): ReadonlySet<string> =>
    new Set(texts.filter(({ frontMatter }) => frontMatter.draft).map(({ id }) => id));
  const drafts: Readonly<Record<'capsules' | 'offers', ReadonlySet<string>>> = {
    capsules: draftsOf(content.capsules),
    offers: draftsOf(content.offers),
  };
  const site = await siteContent(
    { ...describeContent(made, []), capsules: capsules.map(freePart) },
    {
      mode: 'edge',
      capsulePages: deployment.capsulePages,
      stats: { corpusVersion: generation.version, corpusDigest: `sha256:${generation.manifest.corpus_digest}` },
    },
  );
  const publication = once(() => describePublication(made, corpus, capsules.map(freePart), undefined));
  const surroundings = once(() => describeContent(made, capsules.map(freePart)));
  return {
    made,
    corpus,
    site,
    drafts,
    capsule: (id: string): PublishedCapsule | undefined => byId.get(id),
    /** The documents of one capsule: its text for agents, its versions, its JSON and its lineage; none if there is no such capsule. */
    capsuleDocuments: async (id: string): Promise<readonly DocumentFile[]> => {
      const capsule = byId.get(id);
      if (capsule === undefined) return [];
      return capsuleFiles(await documentCapsule(capsule, corpus, 'edge'), surroundings());
    },
    related: async (id: string): Promise<readonly string[]> => {
      const found = await similarCapsules(id, corpus, '');
      return found.ok ? found.value.items.map(({ capsule_id }) => capsule_id) : [];
    },
    documents: once(async () => documentFiles(await publication())),
    brand: once(() => readBrand(root, site.site.publisher)),
    publication,
  };
}

/** The publication in a folder, as it is after each change; while it has mistakes, as it was before them. */
export class LivePublication {
  readonly #root: string;
  readonly #environment: BuildEnvironment;
  readonly #memory = new MemoryCache();
  /** What builds and development servers before this one have made. */
  #cache: BuildCache | undefined;
  readonly #analyses = new MemoryAnalysisCache();
  readonly #texts = new Map<string, string>();
  #state: LiveState | undefined;
  #problems: readonly ContentProblem[] = [];
  /** Mistakes in components; `undefined` until they were checked once. */
  #ofComponents: readonly ContentProblem[] | undefined;

  constructor(root: string, environment: BuildEnvironment) {
    this.#root = root;
    this.#environment = environment;
  }

  /** `undefined` until the content was without mistakes once. */
  get state(): LiveState | undefined {
    return this.#state;
  }

  get problems(): readonly ContentProblem[] {
    return this.#problems;
  }

  /** Reads and checks the publication again after changes of some paths in it. One call at a time. */
  async refresh(paths: readonly string[]): Promise<void> {
    this.#memory.forget(paths);
    this.#cache ??= await openBuildCache(this.#root);
    const cache = this.#cache;
    if (this.#ofComponents === undefined || paths.some((path) => !path.startsWith('content/')))
      this.#ofComponents = await checkComponents(this.#root);
    const { content: read, problems: ofContent } = await this.#read(cache);
    const problems = sortProblems([...ofContent, ...this.#ofComponents]);
    this.#problems = problems;
    if (read === undefined) return;
    const isDemo = isDemonstration(read.publisher.payments?.stripe_profile);
    const paid = read.capsules.filter(({ frontMatter }) => frontMatter.access === 'paid');
    // A price in dollars can be paid in every way that the demonstration has.
    const sold = isDemo && (paid.find(({ frontMatter }) => frontMatter.price_usd !== undefined) ?? paid[0]);
    const content = payableContent(read, 'edge');
    const { baseUrl } = this.#environment;
    if (sold) {
      const lines = (await readFile(join(this.#root, PUBLISHER_FILE), 'utf8')).split('\n');
      const at = lines.findIndex((line) => line.startsWith('payments:'));
      const built = at < 0 ? 'A build leaves paid texts out while this file names no payments' : 'A build sells them as this file says';
      const message = `take no money on this machine, where paid texts are sold as a demonstration: open ${baseUrl}${capsulePath(sold.id)}, or buy as an agent: curl -X POST ${baseUrl}${PREVIEW_PATH}/purchase/${sold.id}. ${built}`;
      problems.push({ file: PUBLISHER_FILE, line: Math.max(at, 0) + 1, field: 'payments', message, level: at < 0 ? 'gap' : 'warning' });
    }
    try {
      const made = await makeGeneration(
        content,
        // The development server renders a page when it is opened.
        { ...this.#environment, mode: 'edge', capsulePages: 'files' },
        {
          cache: { analyses: this.#analyses, indexedTexts: indexedTextCache(cache) },
          expansion: content.capsules.length <= EXPANDED_CAPSULES_MAX,
        },
      );
      this.#analyses.forgetUnused();
      this.#state = await liveState(this.#root, made, await openCorpus(made.generation));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#problems = [...problems, { file: 'content/publisher.yaml', line: 1, field: '', message: error.message, level: 'error' }];
      return;
    }
    const ledger = await publishedLedger(this.#root, content.ledger);
    const changed = ledger.versions.size === 0 ? [] : await checkPublishedVersions(content, ledger);
    const undrawn = await undrawnParts(content, { memory: this.#memory, cache });
    this.#problems = sortProblems([...problems, ...changed, ...undrawn.warnings, ...undrawn.needs.map(({ warning }) => warning)]);
    cache.save();
  }

  async #read(cache: BuildCache): Promise<{ readonly content: AuthoredContent | undefined; readonly problems: readonly ContentProblem[] }> {
    const substitutes = new Map<string, string | undefined>();
    let problems: readonly ContentProblem[] | undefined;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const options = { ...this.#environment, today: today(), withDrafts: true, memory: this.#memory, cache, substitutes };
      const { content, problems: errors, warnings } = await readContent(this.#root, options);
      problems ??= [...errors, ...warnings];
      if (content !== undefined) {
        await this.#keepTexts(content, substitutes);
        return { content, problems };
      }
      const faulty = new Set(errors.map(({ file }) => file).filter((file) => OF_TEXT.test(file)));
      if (faulty.size === 0) break;
      // Where the text from before has an error as well, because of another file, the file is left out.
      for (const file of faulty) substitutes.set(file, substitutes.has(file) ? undefined : this.#texts.get(file));
    }
    return { content: undefined, problems: problems ?? [] };
  }

  async #keepTexts({ capsules, offers, pages }: AuthoredContent, substitutes: ReadonlyMap<string, unknown>): Promise<void> {
    for (const { file } of [...capsules, ...offers, ...pages]) {
      if (substitutes.has(file)) continue;
      const read = (await this.#memory.get('file', file)) as { readonly raw?: string } | undefined;
      if (read?.raw !== undefined) this.#texts.set(file, read.raw);
    }
  }
}

/** Analyses of the index before, in the memory of a process that makes one after another of nearly the same capsules. */
export class MemoryAnalysisCache implements AnalysisCache {
  #known = new Map<string, AnalysedBatch>();
  #asked = new Map<string, AnalysedBatch>();

  has(from: string): boolean {
    return this.get(from) !== undefined;
  }

  get(from: string): AnalysedBatch | undefined {
    const analysed = this.#asked.get(from) ?? this.#known.get(from);
    if (analysed !== undefined) this.#asked.set(from, analysed);
    return analysed;
  }

  set(from: string, analysed: AnalysedBatch): void {
    this.#asked.set(from, analysed);
  }

  forgetUnused(): void {
    this.#known = this.#asked;
    this.#asked = new Map();
  }
}

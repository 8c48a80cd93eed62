import * as z from 'zod';
import { Id, Sha256Hex, Version } from '../primitives.ts';
import { Capsule, CapsuleMetadata } from './capsule.ts';
import { LogPosition } from './corpus-responses.ts';
import { GENERATION_FORMATS } from './kinds-and-levels.ts';

export const BlockReference = z.object({ sha256: Sha256Hex, bytes: z.int().min(0) });
export type BlockReference = z.infer<typeof BlockReference>;

/** A page of records, or a list of `pages` consecutive pages in all, so that the size of a manifest hardly follows the size of the corpus. */
export const PageReference = BlockReference.extend({ pages: z.int().min(1).optional() });
export type PageReference = z.infer<typeof PageReference>;

/** A page of documents, or a list of such pages, with consecutive ids from `first` on. */
export const DocumentPageReference = PageReference.extend({ first: Id, documents: z.int().min(1) });
export type DocumentPageReference = z.infer<typeof DocumentPageReference>;

/** A page of the change log, or a list of such pages: `events` events after the first `start`. */
export const ChangePageReference = PageReference.extend({ start: z.int().min(0), events: z.int().min(1) });
export type ChangePageReference = z.infer<typeof ChangePageReference>;

/** A page of {@link SiteText}s, in the order of document numbers in their index. */
export const SiteTextPageReference = BlockReference.extend({ texts: z.int().min(1) });
export type SiteTextPageReference = z.infer<typeof SiteTextPageReference>;

/** Block of the index, number of the section in it, number of blocks. */
const SectionReference = z.tuple([z.int().min(0), z.int().min(0), z.int().min(0)]);

/** Where the parts of the search index are in `blocks.index`; see `IndexHead` of the search index. */
const SearchIndexHead = z.object({
  format: z.int(),
  analyser: z.string(),
  documents: z.int().min(0),
  budget: z.object({ blocksMax: z.int().min(1).nullable(), partsMax: z.int().min(1).nullable(), postingsMax: z.int().min(1) }),
  readings: z.array(z.string()),
  blocks: z.int().min(1),
  /** One per block; absent before format 3. */
  tables: z.array(Sha256Hex).optional(),
  shardBits: z.int().min(0).max(16),
  shards: z.array(SectionReference).min(1),
  heavy: z.array(z.int().min(0)),
  tiers: SectionReference.nullable(),
  neighbours: SectionReference.nullable(),
  columns: SectionReference.nullable(),
  spelling: SectionReference.nullable(),
  spellingStarts: z.array(z.string()).optional(),
});

/** A head of the search index that is a block of its own, and what is needed before it is read. */
const StoredIndexHead = SearchIndexHead.pick({ format: true, analyser: true, documents: true }).extend({ head: BlockReference });

/** A generation of the corpus: lists its blocks and the earlier generations that are still served. Its digest is the corpus version. */
export const GenerationManifest = z.object({
  format: z.literal(Object.values(GENERATION_FORMATS)),
  ranking_version: z.int(),
  corpus_digest: Sha256Hex,
  updated: z.string(),
  counts: z.object({ capsules: z.int(), current: z.int(), superseded: z.int(), retracted: z.int(), versions: z.int() }),
  index: z.union([SearchIndexHead, StoredIndexHead]),
  /** Head of the index of {@link SiteText}s, a further segment of the search index. Absent where there are none. */
  site: SearchIndexHead.optional(),
  blocks: z.object({
    index: z.array(PageReference).min(1),
    /** Pages of the newest {@link StoredVersion} of each capsule, ascending by id, the order of document numbers in the index. */
    documents: z.array(DocumentPageReference),
    /** Pages of the earlier {@link StoredVersion}s of each capsule, by `pageOf`. */
    history: z.array(PageReference),
    lineages: z.array(PageReference),
    /** Pages of lineage graphs beyond the first page, by `pageOf` of their names. */
    relatives: z.array(PageReference),
    /** Pages of the change log, oldest first. */
    changes: z.array(ChangePageReference),
    /** Pages of the {@link PaidText}s of each paid capsule, by `pageOf`. Absent without paid capsules. */
    texts: z.array(PageReference).optional(),
    /** Pages of the {@link Article} of each free capsule, and of each preview, by `pageOf`. Absent where the pages of capsules are files. */
    articles: z.array(PageReference).optional(),
    /** {@link ListDirectory}, days and facts of the lists of capsules. Absent where the pages of capsules are files. */
    facets: z.array(BlockReference).length(3).optional(),
    /** Pages of {@link ListEntry}s, in the order of the lists. Absent where the pages of capsules are files. */
    entries: z.array(PageReference).optional(),
    /** Blocks of the index of site texts, and pages of those. Absent where there are none. */
    site_index: z.array(BlockReference).optional(),
    site_texts: z.array(SiteTextPageReference).optional(),
    files: z.array(BlockReference).optional(),
  }),
  changes: LogPosition,
  /** Digests of earlier manifests, newest first. */
  previous: z.array(Sha256Hex),
});
export type GenerationManifest = z.infer<typeof GenerationManifest>;

/** What everybody may read of a text that is sold, and how much there is. */
export const TextPreview = z.object({
  /** `preview` of the front matter, or what stands before the line `<!-- paid -->`, with root-relative addresses; absent without either. */
  markdown: z.string().optional(),
  sections: z.int().min(0),
  /** Headings of the part that is sold, which are free; absent without any. */
  headings: z.array(z.string()).optional(),
});
export type TextPreview = z.infer<typeof TextPreview>;

/** A version with its text; paid texts are on pages of their own. */
export const StoredVersion = z.object({
  metadata: CapsuleMetadata,
  markdown: Capsule.shape.markdown.optional(),
  /** Of the newest version, if its text is sold. */
  preview: TextPreview.optional(),
  /** Root-relative addresses by the relative links and images of the text; absent without any. */
  references: z.record(z.string(), z.string()).optional(),
  /** Version of a product that the capsule is about, if another one is current; of the newest version of the capsule. */
  earlier: z.object({ title: z.string(), current: z.string(), path: z.string() }).optional(),
  /** Sections of the text as its page names them, ascending: where the heading begins, in UTF-16 code units, and its id; absent without any. */
  anchors: z.array(z.tuple([z.int().min(0), z.string()])).optional(),
});
export type StoredVersion = z.infer<typeof StoredVersion>;

export const OutlineEntry = z.object({ depth: z.int(), id: z.string(), text: z.string() });
export type OutlineEntry = z.infer<typeof OutlineEntry>;

export const RenderedText = z.object({
  html: z.string(),
  outline: z.array(OutlineEntry),
  /** Keys of the sources that the text refers to; the first has the number 1. */
  sourceOrder: z.array(z.string()),
});
export type RenderedText = z.infer<typeof RenderedText>;

/** The current text of a capsule as its pages show it. What it takes to make it is too large for functions. */
export const Article = RenderedText.extend({
  /** Whether it begins with the summary of the capsule, which a page above it need not repeat. */
  beginsWithSummary: z.boolean(),
  /** The text below its title, with root-relative addresses; absent if it is the published text. */
  markdown: z.string().optional(),
});
export type Article = z.infer<typeof Article>;

/** A version of a text that is sold; the newest one also as the page of an order shows it. */
export const PaidText = z.object({ version: Version, markdown: z.string(), article: Article.optional() });
export type PaidText = z.infer<typeof PaidText>;

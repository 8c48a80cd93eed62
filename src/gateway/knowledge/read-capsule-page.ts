import { offersFor } from '../../schemas/commerce/access-passes.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { ListEntry } from '../../schemas/knowledge/capsule-lists.ts';
import type { Article, TextPreview } from '../../schemas/knowledge/generation-manifest.ts';
import type { Lineage } from '../../schemas/knowledge/lineage.ts';
import { ok, type Result } from '../result.ts';
import { isPaid } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { BlockBrokenError } from './load-block.ts';
import { similarDocuments, unknownIn } from './read-capsule.ts';
import type { Generation } from './read-generation.ts';
import { joinLineage } from './read-lineage.ts';

export interface CapsulePage {
  readonly capsule: { readonly id: string; readonly metadata: CapsuleMetadata; readonly lineage: Lineage };
  /** `undefined` if the text is sold. */
  readonly text: Article | undefined;
  readonly sold?: SoldText;
  /** The nearest capsules by text, nearest first, at most {@link PAGE_RELATED_MAX}. */
  readonly related: readonly (CapsuleMetadata & Pick<ListEntry, 'replacement'>)[];
  readonly successor: CapsuleMetadata | undefined;
  readonly languages: Readonly<Record<string, string>>;
}

export interface SoldText extends Pick<TextPreview, 'sections' | 'headings'> {
  /** `undefined` if the summary is the preview. */
  readonly preview: Article | undefined;
  /** Offers that open the text, those of nothing else first. */
  readonly offers: readonly Offer[];
  readonly credit: Offer | undefined;
}

export const PAGE_RELATED_MAX = 4;

/** Reads everything for the page of a capsule, from the newest complete generation, in two rounds of reads. */
export function readCapsulePage(
  id: string,
  corpus: Corpus,
  offers: readonly Offer[],
  onFallback: () => void,
): Promise<Result<CapsulePage>> {
  const read = async (generation: Generation): Promise<Result<CapsulePage>> => {
    const [number, lineage, text] = await Promise.all([generation.documentNumber(id), generation.lineage(id, 0), generation.article(id)]);
    if (number === undefined) return unknownIn(generation, corpus);
    const near = await similarDocuments(number, generation, PAGE_RELATED_MAX);
    const [stored, ...related] = await generation.capsules([number, ...near.map(({ document }) => document)]);
    if (stored === undefined || lineage === undefined || (text === undefined && !isPaid(stored.metadata)))
      throw new BlockBrokenError('the generation lacks a part of the page of a capsule');
    const { metadata, preview } = stored;
    return ok({
      capsule: { id, metadata, lineage: joinLineage(lineage, null) },
      ...(isPaid(metadata)
        ? { text: undefined, sold: { sections: 0, ...preview, preview: text, ...offersFor(metadata, offers) } }
        : { text }),
      related: await Promise.all(
        related.map(async ({ metadata: other }) => ({ ...other, replacement: await successorOf(other, generation) })),
      ),
      successor: await successorOf(metadata, generation),
      languages: Object.fromEntries(lineage.around.map(({ metadata: other }) => [other.capsule_id, other.language])),
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

export async function successorOf({ superseded_by }: CapsuleMetadata, generation: Generation): Promise<CapsuleMetadata | undefined> {
  return superseded_by === undefined ? undefined : (await generation.capsule(superseded_by))?.metadata;
}

import { beginsWithSummary, textBelowTitle } from '../../publication/defaults/title-and-summary.ts';
import type { TextReferences } from '../../publication/links/text-references.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { Article } from '../../schemas/knowledge/generation.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { TextLabels } from './text-labels.ts';

/** The current text of a capsule. */
interface CapsuleText {
  readonly metadata: CapsuleMetadata;
  readonly markdown: string;
  readonly references?: TextReferences | undefined;
}

/** The text of a capsule as its page shows it, below the title. `labels` are the words of the page within it. */
export async function renderArticle({ metadata, markdown, references }: CapsuleText, labels: TextLabels): Promise<Article> {
  const below = textBelowTitle(markdown, metadata.title);
  const { sources, summary } = metadata;
  return {
    ...(await renderMarkdown(below.markdown, { sources, references, headingShift: below.headingShift, labels })),
    beginsWithSummary: beginsWithSummary(below.markdown, summary),
  };
}

import type { Page } from '../../documents/page-registry.ts';
import { textBelowTitle } from '../../publication/defaults/title-and-summary.ts';
import type { RenderedText } from '../../schemas/knowledge/generation.ts';
import type { PageEntry } from '../site-content.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { TextLabels } from './text-labels.ts';

/** A page whose text the publisher may have written. */
export interface PublishedText extends Pick<Page, 'path' | 'title' | 'description'>, Pick<RenderedText, 'html' | 'outline'> {
  readonly updated: string | undefined;
}

/** The publisher's text at the address of a page; without one, the page has only its title. `labels` are the words of the page within it. */
export async function publishedText(page: Page, written: readonly PageEntry[], labels: TextLabels): Promise<PublishedText> {
  const entry = written.find(({ id }) => `/${id}` === page.path);
  const { title, description } = entry?.frontMatter ?? page;
  const { markdown, headingShift } = textBelowTitle(entry?.markdown ?? '', title);
  const { html, outline } = await renderMarkdown(markdown, { references: entry?.references, headingShift, labels });
  return { path: page.path, title, description, updated: entry?.frontMatter.updated, html, outline };
}

import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { markdownLink, plainMarkdown, withAbsoluteLinks } from '../text/absolute-links.ts';
import type { Publication } from '../../publication/publication.ts';

/** Notice of a capsule that no longer stands, as a block quote; empty for a current one. */
export function statusNotice({ status, status_reason, superseded_by }: CapsuleMetadata, { deployment, capsules }: Publication): string {
  if (status === 'current') return '';
  const successor = capsules.find(({ id }) => id === superseded_by);
  const replaced = successor
    ? ` Replaced by ${markdownLink(successor.metadata.title, deployment.baseUrl + capsulePath(successor.id))}.`
    : '';
  const word = status === 'retracted' ? '**Retracted.** This capsule should no longer be relied on.' : '**Superseded.**';
  return `> ${word}${replaced}${status_reason === undefined ? '' : ` ${plainMarkdown(status_reason)}`}`;
}

/** A source as one line of markdown. */
export function sourceLine({ title, url, publisher, retrieved }: CapsuleSource): string {
  return `${markdownLink(title, url)}. ${plainMarkdown(publisher)}.${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}

/** The text of a capsule for reading outside the site: links absolute, no white space around it. */
export function readingText(markdown: string, baseUrl: string): string {
  return withAbsoluteLinks(markdown, baseUrl).trim();
}

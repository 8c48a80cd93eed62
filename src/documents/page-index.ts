import type { DocumentFile, DocumentPage, Publication } from '../publication/publication.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { PATHS, pageMarkdownPath } from '../schemas/paths.ts';
import { indexLine } from './capsule-line.ts';

/** Pages that functions make with what a reader sends, so that they have no markdown twin. */
const WITHOUT_TWIN: readonly string[] = [PATHS.invoice, PATHS.buyInvoice];

/** Where programs read a page: its markdown twin, or the page itself if it has none. */
function readingPath(path: string, { mode }: Pick<Deployment, 'mode'>): string {
  return mode === 'edge' && WITHOUT_TWIN.includes(path) ? path : pageMarkdownPath(path);
}

/** A page as a line of an index: its markdown, with its description if that is wanted. */
export function pageLine({ title, path, description }: DocumentPage, deployment: Deployment, withDescription = true): string {
  return indexLine(title, deployment.baseUrl + readingPath(path, deployment), withDescription ? description : '');
}

const isBelow = ({ path }: DocumentPage, parent: string): boolean => path.startsWith(`${parent}/`);

/** The pages of the documentation, except those of single operations and errors. */
export function documentationPages(pages: readonly DocumentPage[]): DocumentPage[] {
  return pages.filter((page) => (page.path === PATHS.docs || isBelow(page, PATHS.docs)) && !isBelow(page, PATHS.api));
}

/** `/docs/llms.txt`: index of the documentation alone, with every operation and every error (llmstxt.org allows one in a subfolder). */
export function docsLlmsTxt({ pages, publisher, deployment }: Publication): Omit<DocumentFile, 'path'> {
  const { baseUrl } = deployment;
  const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')]);
  const operations = pages.filter((page) => isBelow(page, PATHS.api));
  const parts = [
    `# ${publisher.name}: documentation`,
    `> How to read and verify ${publisher.name}. The index of the whole site is at ${baseUrl}${PATHS.llmsTxt}`,
    ...section(
      'Guides',
      documentationPages(pages).map((page) => pageLine(page, deployment)),
    ),
    ...section(
      'Operations',
      operations.map((page) => pageLine(page, deployment, false)),
    ),
    ...section(
      'Errors',
      pages.filter((page) => isBelow(page, PATHS.problems)).map((page) => pageLine(page, deployment, false)),
    ),
  ];
  return { contentType: 'text/plain; charset=utf-8', body: `${parts.join('\n\n')}\n` };
}

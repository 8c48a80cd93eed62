import { GUIDE_GROUPS, guidesOf, PAGES } from '../documents/pages.ts';
import { operationPath } from '../schemas/paths.ts';
import { apiDocument, operationsOf } from './api/api-document.ts';
import { MODE } from './deployment.ts';
import { thePublisher } from './library.ts';

/** A page in the tree of the documentation. */
export interface TreeItem {
  readonly title: string;
  readonly path: string;
  /** What the page holds, for the index of the documentation. */
  readonly description?: string;
}

/** A group of pages in the tree. */
export interface TreeGroup {
  readonly label: string;
  readonly items: readonly TreeItem[];
}

/** The tree at the left of every page of the documentation, without empty groups. */
export async function docsTree(): Promise<TreeGroup[]> {
  const guides = guidesOf({ mode: MODE, commerce: (await thePublisher()).commerce });
  return [
    ...GUIDE_GROUPS.map((group) => ({ label: group, items: guides.filter((guide) => guide.group === group) })),
    { label: 'API reference', items: MODE === 'edge' ? apiItems() : [] },
    { label: 'This site', items: [PAGES.status] },
  ].filter(({ items }) => items.length > 0);
}

/** Overview, errors and every operation. */
function apiItems(): TreeItem[] {
  const document = apiDocument();
  if (document === undefined) return [];
  const operations = operationsOf(document).map(({ operationId, summary }) => ({ title: summary, path: operationPath(operationId) }));
  return [PAGES.api, PAGES.problems, ...operations];
}

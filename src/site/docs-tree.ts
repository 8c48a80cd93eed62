import { openApi } from 'virtual:openapi';
import { site } from 'virtual:site';
import { GUIDE_GROUPS, guidesOf, PAGES } from '../documents/page-registry.ts';
import { operationPath } from '../schemas/paths.ts';
import { operationsOf } from './api/api-document.ts';

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
  const guides = guidesOf({ mode: site.mode, commerce: site.publisher.commerce });
  return [
    ...GUIDE_GROUPS.map((group) => ({ label: group, items: guides.filter((guide) => guide.group === group) })),
    { label: 'API reference', items: site.mode === 'edge' ? apiItems() : [] },
    { label: 'This site', items: [PAGES.status] },
  ].filter(({ items }) => items.length > 0);
}

/** Overview, errors and every operation. */
function apiItems(): TreeItem[] {
  if (openApi === undefined) return [];
  const operations = operationsOf(openApi).map(({ operationId, summary }) => ({ title: summary, path: operationPath(operationId) }));
  return [PAGES.api, PAGES.problems, ...operations];
}

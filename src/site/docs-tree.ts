import { openApi } from 'virtual:openapi';
import { site } from 'virtual:site';
import { GUIDE_GROUPS, guidesOf, type Page } from '../documents/page-registry.ts';
import { operationPath } from '../schemas/paths.ts';
import { operationsOf } from './api/api-document.ts';
import { PAGES } from './engine-pages.ts';

/** A group of pages in the documentation. Operations have no description here. */
interface TreeGroup {
  readonly label: string;
  readonly items: readonly (Pick<Page, 'title' | 'path'> & Partial<Page>)[];
}

/** All pages of the documentation by group, without empty groups. */
export function docsTree(): TreeGroup[] {
  const guides = guidesOf({ mode: site.mode, commerce: site.publisher.commerce });
  const operations = openApi === undefined ? [] : operationsOf(openApi);
  const api = operations.map(({ operationId, summary }) => ({ title: summary, path: operationPath(operationId) }));
  return [
    ...GUIDE_GROUPS.map((group) => ({ label: group, items: guides.filter((guide) => guide.group === group) })),
    { label: 'API reference', items: site.mode === 'edge' && openApi !== undefined ? [PAGES.api, PAGES.problems, ...api] : [] },
    { label: 'This site', items: [PAGES.status] },
  ].filter(({ items }) => items.length > 0);
}

import { openApi } from 'virtual:openapi';
import { site } from 'virtual:site';
import { docPath, operationPath, PATHS } from '../schemas/paths.ts';
import { operationsOf } from './api/api-document.ts';
import { allDocs } from './library.ts';

/** A page in the tree of the documentation. */
export interface TreeItem {
  readonly label: string;
  readonly path: string;
  /** What the page holds, for the index of the documentation. */
  readonly note?: string;
}

/** A group of pages in the tree. */
export interface TreeGroup {
  readonly label: string;
  readonly items: readonly TreeItem[];
}

/** The tree at the left of every page of the documentation; groups without pages are left out. */
export async function docsTree(): Promise<TreeGroup[]> {
  const docs = await allDocs();
  const section = (name: 'guide' | 'reference'): TreeItem[] =>
    docs
      .filter(({ frontMatter }) => frontMatter.section === name)
      .map(({ id, frontMatter }) => ({ label: frontMatter.title, path: docPath(id), note: frontMatter.description }));
  const groups: TreeGroup[] = [
    { label: 'Guides', items: section('guide') },
    { label: 'API', items: site.mode === 'edge' ? apiItems() : [] },
    { label: 'Reference', items: section('reference') },
    {
      label: 'About the software',
      items: [
        { label: 'Decisions', path: PATHS.decisions, note: 'What was decided about the software, and why.' },
        { label: 'Changelog', path: PATHS.changelog, note: 'What changed, release by release.' },
        { label: 'Promises', path: PATHS.promises, note: 'What is promised here, and the tests that check it.' },
        { label: 'Status', path: PATHS.status, note: 'What this build holds.' },
      ],
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** Overview, errors and every operation. */
function apiItems(): TreeItem[] {
  const document = openApi;
  if (document === undefined) return [];
  return [
    { label: 'All operations', path: PATHS.api, note: 'Every operation with its address and access.' },
    { label: 'Errors', path: PATHS.problems, note: 'Every error code with its cause and cure.' },
    ...operationsOf(document).map(({ operationId, summary }) => ({ label: summary, path: operationPath(operationId) })),
  ];
}

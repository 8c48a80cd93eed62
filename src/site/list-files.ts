import { language } from 'virtual:strings';
import type { ListStore } from '../gateway/knowledge/lists/list-store.ts';
import { listsInMemory } from '../gateway/knowledge/lists/make-lists.ts';
import { type ListPage, ownLists, readListPage, readSubjectsPage, type SubjectsPage } from '../gateway/knowledge/lists/read-list.ts';
import { type ListRequest, listPath } from '../schemas/knowledge/capsule-lists.ts';
import { subjectsPath } from '../schemas/paths.ts';
import { capsulesWithFiles, siteValues } from './entries.ts';
import type { CapsuleEntry } from './site-content.ts';

/** A page of a list that is a file: of capsules, or of subjects. */
export type ListFile = { readonly request: ListRequest } | { readonly subjectsPage: number };

let known: { readonly capsules: readonly Pick<CapsuleEntry, 'metadata'>[]; readonly lists: ListStore } | undefined;

/** The lists of all capsules, made again only after a change: sorting the titles of a large corpus takes seconds. */
async function capsuleLists(): Promise<ListStore> {
  const capsules = await capsulesWithFiles();
  if (known?.capsules.length === capsules.length && known.capsules.every(({ metadata }, at) => metadata === capsules[at]?.metadata))
    return known.lists;
  const lists = listsInMemory(
    capsules.map(({ metadata }) => metadata),
    language,
  );
  known = { capsules, lists };
  return lists;
}

/** Every page of every list that is a file, by its root-relative address; none where functions make the pages of capsules. */
export async function listFiles(): Promise<{ readonly path: string; readonly file: ListFile }[]> {
  if ((await siteValues()).capsulePages !== 'files') return [];
  const lists = await capsuleLists();
  const numbers = (pages: number): number[] => Array.from({ length: pages }, (_, at) => at + 1);
  const ofCapsules = ownLists(await lists.directory()).flatMap(({ request, pages }) =>
    numbers(pages).map((page) => ({ path: listPath({ ...request, page }), file: { request: { ...request, page } } })),
  );
  const subjects = await readSubjectsPage(1, lists);
  return [...ofCapsules, ...numbers(subjects?.pages ?? 0).map((page) => ({ path: subjectsPath(page), file: { subjectsPage: page } }))];
}

/** What a list shows that is a file; one of the two. */
export async function readListFile(
  file: ListFile,
): Promise<{ readonly list?: ListPage | undefined; readonly subjects?: SubjectsPage | undefined }> {
  const lists = await capsuleLists();
  return 'request' in file
    ? { list: await readListPage(file.request, lists) }
    : { subjects: await readSubjectsPage(file.subjectsPage, lists) };
}

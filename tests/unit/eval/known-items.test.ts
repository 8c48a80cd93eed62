import { describe, expect, it } from 'vitest';
import { capsuleDocument } from '../../../src/build/corpus-blocks/index-capsules.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { compoundNames } from '../../../src/search/analysis/analyse.ts';
import { search } from '../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { pagesOfFile } from '../../eval/collection.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { encodeDocuments, openIndex } from '../search/open-index.ts';

/** A file of real pages, which is no part of the project; see tests/eval/README.md. */
const PAGES = process.env['EVAL_PAGES'];

/** Least share of the documents that are first when asked for by their id, their title, and a name that they define. */
const LEAST: Readonly<Record<keyof KnownItems, number>> = { id: 1, title: 0.99, name: 0.95 };

async function expectFirst(documents: readonly SearchDocument[]): Promise<void> {
  const reader = openIndex(encodeDocuments(documents));
  const items = knownItems(documents);
  for (const kind of ['id', 'title', 'name'] as const) {
    const missed: string[] = [];
    for (const { query, ids } of items[kind]) {
      const [first] = (await search(reader, query, { limit: 1 })).results;
      const found = first && documents[first.number]?.id;
      if (found === undefined || !ids.has(found)) missed.push(`${query}: ${found} instead of ${[...ids].join(', ')}`);
    }
    const share = 1 - missed.length / Math.max(1, items[kind].length);
    expect(share, `${kind}: ${missed.slice(0, 5).join('; ')}`).toBeGreaterThanOrEqual(LEAST[kind]);
  }
}

describe('a document asked for by its id, title or a name that it defines', () => {
  it('is first among the capsules of the sample', async () => await expectFirst(await readCapsules(PUBLICATION)));

  it.skipIf(PAGES === undefined)('is first among a thousand real pages (EVAL_PAGES names their file)', async () => {
    await expectFirst(await readPages(PAGES ?? '', 1_000));
  });
});

interface KnownItem {
  readonly query: string;
  readonly ids: ReadonlySet<string>;
}

interface KnownItems {
  readonly id: readonly KnownItem[];
  readonly title: readonly KnownItem[];
  readonly name: readonly KnownItem[];
}

const OWNERS_MAX = 3;

/**
 * Every id, title and defined name of some documents, as it is written and in the forms that people type. Documents of tier 2 and above are
 * never first, so nobody asks for them.
 */
function knownItems(all: readonly SearchDocument[]): KnownItems {
  const documents = all.filter(({ tier = 0 }) => tier < 2);
  return {
    id: documents.flatMap(({ id }) => [id, id.replaceAll('-', ' ')].map((query) => ({ query, ids: new Set([id]) }))),
    title: byName(documents, ({ title }) => [title]).flatMap((item) => [item, { ...item, query: item.query.toLowerCase() }]),
    name: byName(documents, definedNames).flatMap((item) => typedForms(item.query).map((query) => ({ ...item, query }))),
  };
}

/** What a document defines, in the order of its text; of a plain text the code in its title. */
function definedNames({ title, names = [] }: SearchDocument): string[] {
  const code = [...title.matchAll(/[\p{L}\p{N}_.:]+/gu)].map(([word]) => word).filter((word) => /[a-z][A-Z]|[A-Z]{2}|_|\w\.\w/.test(word));
  return [...new Set([...names, ...code, ...compoundNames(title).map(({ name }) => name)])].filter((name) => /\p{L}{2}/u.test(name));
}

function byName(documents: readonly SearchDocument[], namesOf: (document: SearchDocument) => readonly string[]): KnownItem[] {
  const owners = new Map<string, Set<string>>();
  const written = new Map<string, string>();
  for (const document of documents) {
    for (const name of namesOf(document)) {
      const key = name.toLowerCase();
      written.set(key, written.get(key) ?? name);
      owners.set(key, (owners.get(key) ?? new Set()).add(document.id));
    }
  }
  return [...owners]
    .filter(([key, ids]) => key.trim() !== '' && ids.size <= OWNERS_MAX)
    .map(([key, ids]) => ({ query: written.get(key) ?? key, ids }));
}

function typedForms(name: string): string[] {
  const forms = [name, name.toLowerCase(), ...(name.includes('-') ? [name.replaceAll('-', ' ')] : [])];
  return [...new Set(/^[\w-]+$/.test(name) ? [...forms, `What is ${name}?`] : forms)];
}

async function readCapsules(root: string): Promise<SearchDocument[]> {
  const { content } = await readContent(root, { today: '2026-11-22' });
  if (content === undefined) throw new Error(`The publication ${root} has mistakes: run check`);
  return (await publishCapsules(content)).map(capsuleDocument).sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function readPages(path: string, count: number): Promise<SearchDocument[]> {
  const pages: SearchDocument[] = [];
  for await (const page of pagesOfFile(path)) {
    const slug = page.id
      .toLowerCase()
      .replace(/\.md$/, '')
      .replace(/[^a-z0-9]+/g, '-');
    pages.push({ ...page, id: slug });
  }
  pages.sort((a, b) => (a.id < b.id ? -1 : 1));
  const step = Math.max(1, Math.floor(pages.length / count));
  return pages.filter((_, at) => at % step === 0).slice(0, count);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readCollection } from '../../eval/collection.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const GOOD = {
  'docs.jsonl': '{"id":"d1","title":"One","text":"first"}\n{"id":"d2","text":"second"}\n',
  'queries.jsonl': '{"id":"q1","text":"which is first"}\n',
  'qrels.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n',
};

function folderOf(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'collection-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function refusal(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = folderOf(files);
  const error: unknown = await readCollection(folder).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  return error instanceof Error ? error.message.replace(`${folder}/`, '') : '';
}

describe('readCollection()', () => {
  it('reads documents, queries and judgements; what a document leaves out is empty', async () => {
    const { documents, queries, judgements } = await readCollection(folderOf(GOOD));
    expect(documents[0]).toEqual({ id: 'd1', title: 'One', text: 'first', headings: [], tags: [], summary: '', language: 'en' });
    expect(documents[1]?.title).toBe('');
    expect(queries).toEqual([{ id: 'q1', text: 'which is first' }]);
    expect(judgements).toEqual(
      new Map([
        [
          'q1',
          new Map([
            ['d1', 2],
            ['d2', 0],
          ]),
        ],
      ]),
    );
  });

  it('takes headings, tags, summary and language where they are, and passes other members over', async () => {
    const full = { id: 'd1', title: 'T', text: 'x', headings: ['H'], tags: ['a', 'b'], summary: 'S', language: 'de', url: '/x' };
    const { documents } = await readCollection(folderOf({ ...GOOD, 'docs.jsonl': JSON.stringify(full) }));
    const { url: _, ...known } = full;
    expect(documents).toEqual([known]);
  });

  it('reads packed files alike', async () => {
    const packed = Object.fromEntries(Object.entries(GOOD).map(([name, text]) => [`${name}.gz`, gzipSync(text)]));
    const { name: _, ...collection } = await readCollection(folderOf(packed));
    const { name: __, ...expected } = await readCollection(folderOf(GOOD));
    expect(collection).toEqual(expected);
  });

  it('passes over empty lines, a byte order mark and carriage returns, and does not end a line at U+2028', async () => {
    const docs = `\uFEFF{"id":"d1","text":"a\u2028b"}\r\n\r\n  \n{"id":"d2","text":"c"}\n\n`;
    const { documents } = await readCollection(folderOf({ ...GOOD, 'docs.jsonl': docs }));
    expect(documents.map(({ text }) => text)).toEqual(['a\u2028b', 'c']);
  });

  it('reads lines that are longer than one chunk of a file', async () => {
    const text = 'é'.repeat(300_000);
    const docs = `${JSON.stringify({ id: 'd1', text })}\n${JSON.stringify({ id: 'd2', text })}`;
    const { documents } = await readCollection(folderOf({ ...GOOD, 'docs.jsonl': docs }));
    expect(documents.map((document) => document.text === text)).toEqual([true, true]);
  });

  it('passes over judgements of queries that are not there, and one that is there twice', async () => {
    const qrels = `${GOOD['qrels.tsv']}q1\td1\t2\nq9\td1\t1\n`;
    const { judgements } = await readCollection(folderOf({ ...GOOD, 'qrels.tsv': qrels }));
    expect([...judgements.keys()]).toEqual(['q1']);
  });

  it.each<[file: keyof typeof GOOD, content: string | Uint8Array, message: RegExp]>([
    ['docs.jsonl', '{"id":"d1","text":"x"}\n\n{oops\n', /^docs\.jsonl:3 is not JSON$/],
    ['docs.jsonl', '{"id":"d1"}\n', /^docs\.jsonl:1 text: .+$/],
    ['docs.jsonl', '{"id":7,"text":"x"}', /^docs\.jsonl:1 id: .+$/],
    ['docs.jsonl', '{"id":"a","text":"x","tags":"t"}', /^docs\.jsonl:1 tags: .+$/],
    ['docs.jsonl', '[]', /^docs\.jsonl:1 line: .+$/],
    ['docs.jsonl', '{"id":"a","text":"x"}\n{"id":"a","text":"y"}', /^docs\.jsonl:2 has the id "a" of line 1$/],
    ['docs.jsonl', Uint8Array.of(0x0a, 0xff, 0xfe), /^docs\.jsonl:2 is not UTF-8$/],
    ['queries.jsonl', '{"id":"","text":"x"}', /^queries\.jsonl:1 id: .+$/],
    ['qrels.tsv', 'q1\td1\t1\n', /^qrels\.tsv:1 is not a line of column names/],
    ['qrels.tsv', 'query-id\tcorpus-id\tscore\nq1 d1 1\n', /^qrels\.tsv:2 is not query-id, corpus-id and a whole number/],
    ['qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\tgood\n', /^qrels\.tsv:2 is not query-id/],
    ['qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\n', /^qrels\.tsv:3 gives the pair q1, d1 a second score$/],
    ['qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t0\n', /^qrels\.tsv: no query of queries\.jsonl has a relevant document$/],
  ])('refuses %s with one line that names the place (%#)', async (file, content, message) => {
    expect(await refusal({ ...GOOD, [file]: content })).toMatch(message);
  });

  it('says which file is missing, or is no gzip', async () => {
    const { 'queries.jsonl': _, ...rest } = GOOD;
    expect(await refusal(rest)).toBe('queries.jsonl: no such file, nor one ending in .gz');
    expect(await refusal({ ...rest, 'queries.jsonl.gz': 'plain' })).toBe('queries.jsonl.gz: incorrect header check');
    expect(await refusal({ ...rest, 'queries.jsonl.gz': gzipSync('{"id":"q1","text":"x"}').subarray(0, 20) })).toMatch(
      /^queries\.jsonl\.gz: unexpected end of file$/,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { entityTag } from '../../../../src/gateway/digests-and-base62.ts';
import { RecordDocuments } from '../../../../src/gateway/knowledge/corpus.ts';
import { encodeRecordPage, type RecentRecords, RecordPage } from '../../../../src/gateway/knowledge/record-pages.ts';
import { LruCache } from '../../../../src/gateway/memory-caches.ts';

const bytesOf = (...names: string[]) => encodeRecordPage(names.map((name) => ({ id: name, value: { name } })));
const record = (name: string) => ({ name });

describe('RecordPage', () => {
  it('gives the records of a page by their ids and positions, whether they are kept or not', () => {
    for (const recent of [undefined, new LruCache(1_000), new LruCache(1)] as (RecentRecords | undefined)[]) {
      const page = new RecordPage(bytesOf('a', 'b'), recent);
      for (let time = 0; time < 2; time++) {
        expect([page.at(0), page.at(1), page.find('b')]).toEqual([record('a'), record('b'), record('b')]);
        expect([page.at(-1), page.at(2), page.find('c')]).toEqual([undefined, undefined, undefined]);
      }
    }
  });

  it('reads a record once while it is kept', () => {
    const recent: RecentRecords = new LruCache(1_000);
    const page = new RecordPage(bytesOf('a', 'b'), recent);
    expect(page.at(1)).toBe(page.find('b'));
    const forgetful = new RecordPage(bytesOf('a', 'b'));
    expect(forgetful.at(1)).not.toBe(forgetful.find('b'));
  });

  it('keeps the records of several pages apart, also of equal ones', () => {
    const recent: RecentRecords = new LruCache(1_000);
    const [first, second, third] = [bytesOf('a'), bytesOf('b'), bytesOf('a')].map((bytes) => new RecordPage(bytes, recent));
    expect([first?.at(0), second?.at(0)]).toEqual([record('a'), record('b')]);
    expect(third?.at(0)).not.toBe(first?.at(0));
  });

  it('counts each record with its encoded bytes', () => {
    const line = JSON.stringify(record('a')).length;
    const recent: RecentRecords = new LruCache(2 * line);
    const page = new RecordPage(bytesOf('a', 'b', 'c'), recent);
    const [a, b] = [page.at(0), page.at(1)];
    expect([page.at(0) === a, page.at(1) === b]).toEqual([true, true]);
    page.at(2);
    expect([page.at(1) === b, page.at(0) === a]).toEqual([true, false]);
  });
});

describe('RecordDocuments', () => {
  it('writes the document of a record once, with its entity tag', async () => {
    const documents = new RecordDocuments();
    const record = { id: 'a' };
    let written = 0;
    const write = (): string => {
      written += 1;
      return `text ${written}`;
    };
    const read = () => documents.of(record, 'text', 'text/plain', write);
    const first = await read();
    expect(first).toEqual({ contentType: 'text/plain', body: 'text 1', etag: await entityTag('text 1') });
    expect(await read()).toBe(first);
  });

  it('keeps documents of other names and other records apart', async () => {
    const documents = new RecordDocuments();
    const record = { id: 'a' };
    const bodyOf = async (of: object, name: string, body: string) => (await documents.of(of, name, 'text/plain', () => body)).body;
    expect(await bodyOf(record, 'one', '1')).toBe('1');
    expect(await bodyOf(record, 'two', '2')).toBe('2');
    expect(await bodyOf({ ...record }, 'one', '3')).toBe('3');
  });

  it('keeps nothing of a document that could not be written', async () => {
    const documents = new RecordDocuments();
    const record = {};
    await expect(documents.of(record, 'text', 'text/plain', () => Promise.reject(new Error('no block')))).rejects.toThrow('no block');
    expect((await documents.of(record, 'text', 'text/plain', () => 'whole')).body).toBe('whole');
  });
});

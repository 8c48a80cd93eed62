import { describe, expect, it } from 'vitest';
import { entityTag } from '../../../../src/gateway/keyed-digests.ts';
import { RecordDocuments } from '../../../../src/gateway/knowledge/corpus.ts';

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

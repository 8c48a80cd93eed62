import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BlockNote, remoteNamespace } from '../../src/build/kv/block-namespace.ts';
import { sha256Hex } from '../../src/provenance/bytes.ts';
import { PUBLICATION } from '../support/paths.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'akg-namespace-'));
});
afterAll(() => rm(folder, { recursive: true }));

it("understands what wrangler's commands answer, here those on its own simulator", async () => {
  const namespace = remoteNamespace(PUBLICATION, ['--local', '--persist-to', folder]);
  const texts = ['{"format":2}', '["a"]\n"[Grüße] {日本}"\n', '\u0000\u0001'].map((text) => new TextEncoder().encode(text));
  const blocks = await Promise.all(
    texts.map(async (value) => {
      const note: BlockNote = { kind: 'documents', bytes: value.length, written: '2026-11-21T00:00:00.000Z' };
      return { sha256: await sha256Hex(value), value, note };
    }),
  );
  await namespace.write(blocks);
  const held = await namespace.list();
  expect(held.map(({ sha256 }) => sha256).sort()).toEqual(blocks.map(({ sha256 }) => sha256).sort());
  expect(held.every(({ note }) => note?.kind === 'documents')).toBe(true);
  const read = await namespace.read([...blocks.map(({ sha256 }) => sha256), 'f'.repeat(64)]);
  expect([...read]).toEqual(blocks.map(({ sha256, value }) => [sha256, value]));
  const bytes = new Uint8Array([0, 255, 254, 10, 195, 40]);
  const sha256 = await sha256Hex(bytes);
  await namespace.write([{ sha256, value: bytes, note: { kind: 'index', bytes: bytes.length, written: '2026-11-21T00:00:00.000Z' } }]);
  expect([...(await namespace.readBytes(sha256))]).toEqual([...bytes]);
  await namespace.remove([sha256]);
  const [first, ...rest] = blocks.map(({ sha256 }) => sha256);
  await namespace.remove(rest);
  expect((await namespace.list()).map(({ sha256 }) => sha256)).toEqual([first]);
});

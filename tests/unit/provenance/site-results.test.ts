import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { verify } from '../../../src/provenance/verify/verify.ts';

const TEXT = '# Waiting\n\nWait for Retry-After.';
const PATH = '/texts/docs/waiting.md';
const now = '2026-12-01T00:00:00Z';
const GUIDE = {
  kind: 'guide',
  id: 'docs/waiting',
  markdown_url: `https://a.example${PATH}`,
  content_sha256: await sha256Hex(TEXT),
  quote: { start: 11, end: 32, text: 'Wait for Retry-After.' },
};
const exitOf = async (result: object, texts: Record<string, string> = { [PATH]: TEXT }): Promise<number> =>
  (await verify({ document: JSON.stringify({ results: [result] }), lineages: {}, texts, now })).exit;

describe('a result that is no capsule', () => {
  test('is verified by the digest of its text and by its quote', async () => expect(await exitOf(GUIDE)).toBe(0));

  test.each<[string, object, Record<string, string>?]>([
    ['another quote', { ...GUIDE, quote: { ...GUIDE.quote, text: 'Never wait for anyone.' } }],
    ['another place', { ...GUIDE, quote: { ...GUIDE.quote, start: 10 } }],
    ['another digest', { ...GUIDE, content_sha256: '0'.repeat(64) }],
    ['no address', { ...GUIDE, markdown_url: undefined }],
    ['the kind of a capsule', { ...GUIDE, kind: 'capsule' }],
    ['no kind', { ...GUIDE, kind: undefined }],
    ['the id of a capsule', { ...GUIDE, capsule_id: 'a', version: '1.0.0' }],
    ['another text', GUIDE, { [PATH]: `${TEXT}!` }],
  ])('with %s fails', async (_change, result, texts) => expect(await exitOf(result, texts)).toBe(1));
});

import { describe, expect, it } from 'vitest';
import { AnalysedTexts } from '../../../../src/gateway/knowledge/analysed-texts.ts';
import type { StoredVersion } from '../../../../src/schemas/generation.ts';

const stored = (name: string, language = 'en'): StoredVersion => {
  const metadata = { content_sha256: name, language } as StoredVersion['metadata'];
  return { metadata, markdown: `About ${name}.`.padEnd(100, '.') };
};

describe('AnalysedTexts', () => {
  it('gives the same text for the same digest and language, and another for another', () => {
    const texts = new AnalysedTexts(1_000);
    const first = texts.get(stored('a'));
    expect(first.text).toBe(stored('a').markdown);
    expect(texts.get(stored('a'))).toBe(first);
    expect(texts.get(stored('a', 'de'))).not.toBe(first);
    expect(texts.get(stored('b')).text).toBe(stored('b').markdown);
  });

  it('forgets what was not asked for longest once the texts are longer than its bound together', () => {
    const texts = new AnalysedTexts(250);
    const [a, b] = [texts.get(stored('a')), texts.get(stored('b'))];
    expect(texts.get(stored('a'))).toBe(a);
    texts.get(stored('c'));
    expect(texts.get(stored('a'))).toBe(a);
    expect(texts.get(stored('b'))).not.toBe(b);
  });

  it('gives a text that is longer than its bound all the same', () => {
    const texts = new AnalysedTexts(10);
    expect(texts.get(stored('a')).text).toBe(stored('a').markdown);
    expect(texts.get(stored('a')).text).toBe(stored('a').markdown);
  });
});

import { describe, expect, test } from 'vitest';
import { parseWithSources } from '../../../../src/publication/read/indexed-text.ts';
import { renderArticle } from '../../../../src/site/markdown/render-markdown.ts';
import { TEXT_LABELS } from '../../../../src/site/markdown/text-labels.ts';
import { sectionAnchors } from '../../../../src/text/markdown/anchors.ts';
import { realCapsules, realCorpus } from '../../gateway/real-generation.ts';

const HARD_TEXT = `# Titles and sections

Words before the first section.

## Same

## Same

## Own id {#setup}

Setext
------

## With \`code\`, *emphasis*, [a link](https://example.org) and a source[^rfc]

> ## In a quotation

- ## In a list

## Sources

\`\`\`md
## not a heading
\`\`\`

##

### 東京 & Zürich
`;

describe('sectionAnchors()', () => {
  test('gives the ids of the headings on the page of every capsule of the sample, which blocks hold', async () => {
    const { corpus } = await realCorpus();
    let sections = 0;
    for (const { id, metadata, markdown, references } of await realCapsules()) {
      const { outline } = await renderArticle({ metadata, markdown, references }, TEXT_LABELS);
      const { anchors = [], markdown: stored = '' } = (await corpus.newest.capsule(id)) ?? {};
      expect(anchors.map(([, anchor]) => anchor)).toEqual(outline.map((heading) => heading.id));
      for (const [start] of anchors) expect(stored.slice(start)).toMatch(/^#{2,} /);
      sections += anchors.length;
    }
    expect(sections).toBeGreaterThan(100);
  });

  test.each(['Titles and sections', 'Another title'])('does so for a text that is hard to read, below the title %j', async (title) => {
    const [capsule] = await realCapsules();
    if (capsule === undefined) throw new Error('no capsule');
    const sources = [{ key: 'rfc', title: 'RFC', url: 'https://example.org', publisher: 'IETF', kind: 'standard' as const }];
    const metadata = { ...capsule.metadata, title, sources };
    const { outline } = await renderArticle({ metadata, markdown: HARD_TEXT }, TEXT_LABELS);
    const anchors = sectionAnchors(parseWithSources(HARD_TEXT, ['rfc']), title);
    expect(anchors.map(([, anchor]) => anchor)).toEqual(outline.map(({ id }) => id));
    expect(anchors.length).toBeGreaterThan(8);
  });
});

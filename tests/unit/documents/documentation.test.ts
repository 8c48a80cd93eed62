import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { ROOT } from '../../support/paths.ts';

const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true }).flatMap((name) => (String(name).endsWith('.md') ? [`docs/${String(name)}`] : [])),
];
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Anchors of a document as GitHub makes them from its headings. */
const anchorsOf = (path: string): string[] =>
  [...text(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(DOCUMENTS)('every link of %s to a file or a heading leads there', (path) => {
  const links = [...text(path).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => (/^https?:/.test(link) ? [] : [link]));
  const dead = links.filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : posix.join(dirname(path), file);
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(dead).toEqual([]);
});

test.each(DOCUMENTS)('every file that %s names in code exists', (path) => {
  const named = [...text(path).matchAll(/`((?:src|tests|docs|functions|public)\/[\w./-]+)`/g)].map(([, file = '']) => file);
  expect(path === 'CHANGELOG.md' ? [] : [...new Set(named)].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('every command that the documents name exists', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  const named = DOCUMENTS.filter((path) => path !== 'CHANGELOG.md').flatMap((path) =>
    [...text(path).matchAll(/npm run (?:--silent )?([a-z]+(?:[:-][a-z]+)*)/g)].map(([, script = '']) => script),
  );
  expect([...new Set(named)].filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});

test('the page about selling states how often an invoice may be requested', () => {
  expect([RATE_LIMITS.invoice.windowSeconds, QUOTAS.invoices.windowSeconds]).toEqual([3_600, 86_400]);
  expect(text('docs/selling.md')).toContain(`can send the form or the request ${RATE_LIMITS.invoice.requests} times in an hour`);
  expect(text('docs/selling.md')).toContain(`at most ${QUOTAS.invoices.requests} requests a day`);
});

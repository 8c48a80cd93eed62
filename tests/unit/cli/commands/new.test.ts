import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../../src/build/user-error.ts';
import { withoutDefaults } from '../../../../src/cli/capsules/freeze-version.ts';
import { reviseCapsule } from '../../../../src/cli/capsules/revise-capsule.ts';
import { createContent, type NewContentOptions } from '../../../../src/cli/commands/new.ts';
import { canonicalDigest } from '../../../../src/provenance/digest.ts';
import { contentLine } from '../../../../src/publication/capsules/paid-capsules.ts';
import { publishCapsules } from '../../../../src/publication/capsules/published-capsules.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { Lineage } from '../../../../src/schemas/knowledge/lineage.ts';
import {
  capsule,
  copyOfRealContent,
  problemsIn,
  publisher as publisherText,
  TODAY as SMALL_WORLD_DAY,
  writeWorld,
} from '../../publication/content-world.ts';

const TODAY = '2026-12-01';
const publisher = { license: 'CC-BY-4.0', base_url: 'https://tests.example', checkout_host: 'https://checkout.example' };
const options = (root: string, more: Pick<NewContentOptions, 'kind' | 'id'>): NewContentOptions => ({
  root,
  publisher,
  today: TODAY,
  ...more,
});

describe('createContent()', () => {
  test('makes a capsule that passes every check at once, as a draft that is not published and later without that mark', async () => {
    const root = await copyOfRealContent();
    expect(await createContent(options(root, { kind: 'capsule', id: 'a-new-subject' }))).toEqual(['content/capsules/a-new-subject.md']);
    expect(await problemsIn(root, { today: TODAY })).toEqual([]);
    const { content } = await readContent(root, { today: TODAY });
    expect(content?.capsules.some(({ id }) => id === 'a-new-subject')).toBe(false);
    expect(content && contentLine(content, 'edge')).toMatch(/; 1 draft is left out$/);
    const path = join(root, 'content/capsules/a-new-subject.md');
    const published = (await readFile(path, 'utf8')).replace('draft: true\n', '');
    await writeFile(path, published);
    expect((await problemsIn(root, { today: TODAY })).every((problem) => problem.includes('still has a placeholder'))).toBe(true);
    expect((await problemsIn(root, { today: TODAY })).length).toBe(7);
    await writeFile(path, published.replaceAll('FILL IN: ', ''));
    expect(await problemsIn(root, { today: TODAY })).toEqual([]);
  });

  test('makes an offer that passes every check at once, as the last one of the price list', async () => {
    const root = await copyOfRealContent();
    const before = await readFile(join(root, 'content/publisher.yaml'), 'utf8');
    expect(await createContent(options(root, { kind: 'offer', id: 'a-new-offer' }))).toEqual([
      'content/offers/a-new-offer.md',
      'content/publisher.yaml',
    ]);
    expect(await problemsIn(root, { today: TODAY })).toEqual([]);
    const { content } = await readContent(root, { today: TODAY });
    expect(content?.publisher.offers.order.at(-1)).toBe('a-new-offer');
    const after = await readFile(join(root, 'content/publisher.yaml'), 'utf8');
    expect(after.replace(/^ *- a-new-offer\n/m, '')).toBe(before);
  });

  test.each(['https://shop.test', 'https://example.com', 'https://buy.shop.com', 'https://pay.invalid'])(
    'makes an offer that passes for the checkout host %s',
    async (checkout_host) => {
      const root = await writeWorld({ 'publisher.yaml': publisherText({ checkout_host }) });
      await createContent({
        ...options(root, { kind: 'offer', id: 'new' }),
        today: SMALL_WORLD_DAY,
        publisher: { ...publisher, checkout_host },
      });
      expect((await problemsIn(root)).filter((problem) => problem.includes('new.md'))).toEqual([]);
    },
  );

  test('makes a capsule and an offer in an empty publication: the price of the offer is on request until there is a checkout host', async () => {
    const root = await writeWorld({
      'publisher.yaml': publisherText({ checkout_host: undefined, offers: undefined }),
      'capsules/a-capsule.md': undefined,
      'offers/an-offer.md': undefined,
    });
    const { checkout_host: _host, ...ofEmpty } = publisher;
    for (const kind of ['capsule', 'offer'] as const)
      expect(await createContent({ ...options(root, { kind, id: 'first-one' }), publisher: ofEmpty, today: SMALL_WORLD_DAY })).toEqual([
        `content/${kind}s/first-one.md`,
      ]);
    expect(await problemsIn(root)).toEqual([]);
    expect(await readFile(join(root, 'content/offers/first-one.md'), 'utf8')).toContain('\nprice: on request\n');
  });

  test.each(['1', '12345678', '12e45678', '0x1fffff', 'true', 'null', 'no', 'nan', 'inf', 'a', 'x-1', '2026-11-21', 'a'.repeat(64)])(
    'makes files that pass for the id %s',
    async (id) => {
      const root = await writeWorld();
      for (const kind of ['capsule', 'offer'] as const) await createContent({ ...options(root, { kind, id }), today: SMALL_WORLD_DAY });
      expect(await problemsIn(root)).toEqual([]);
    },
  );

  test('never overwrites a file', async () => {
    const root = await writeWorld();
    const before = await readFile(join(root, 'content/capsules/a-capsule.md'), 'utf8');
    await expect(createContent(options(root, { kind: 'capsule', id: 'a-capsule' }))).rejects.toThrow(
      new UserError('content/capsules/a-capsule.md exists; choose another id'),
    );
    await expect(createContent(options(root, { kind: 'offer', id: 'an-offer' }))).rejects.toThrow(UserError);
    expect(await readFile(join(root, 'content/capsules/a-capsule.md'), 'utf8')).toBe(before);
  });
});

describe('reviseCapsule()', () => {
  /** What was published is the present file. */
  const FROM_FILE = { from: 'content/capsules/a-capsule.md' };

  test('freezes a version of real content; the lineage then has two versions that verify', async () => {
    const root = await copyOfRealContent();
    const original = await readFile(join(root, 'content/capsules/bm25.md'), 'utf8');
    const revision = await reviseCapsule(root, 'bm25', 'minor', TODAY, { from: 'content/capsules/bm25.md' });
    expect(revision).toEqual({
      file: 'content/capsules/bm25.md',
      frozenPath: 'content/capsules/versions/bm25/1.0.0.md',
      from: '1.0.0',
      to: '1.1.0',
    });
    expect(withoutDefaults(await readFile(join(root, revision.frozenPath), 'utf8'))).toBe(original);
    const { content, problems } = await readContent(root, { today: TODAY });
    expect(problems).toEqual([]);
    const published = content && (await publishCapsules(content)).find(({ id }) => id === 'bm25');
    const lineage = Lineage.parse(published?.lineage);
    expect(lineage.versions.map(({ record }) => [record.version, record.sequence])).toEqual([
      ['1.0.0', 0],
      ['1.1.0', 1],
    ]);
    const [first, second] = lineage.versions;
    expect(first && (await canonicalDigest(first.record))).toBe(first?.recordDigest);
    expect(second?.record.previous).toEqual({ version: '1.0.0', recordDigest: first?.recordDigest });
    expect(lineage.head.statement).toMatchObject({ head: second?.recordDigest, version: '1.1.0', count: 2, issued: `${TODAY}T00:00:00Z` });
    expect(published?.metadata.versions.map(({ version, issued }) => [version, issued])).toEqual([
      ['1.0.0', '2026-11-21'],
      ['1.1.0', TODAY],
    ]);
  });

  test('changes only version and day of the file that goes on', async () => {
    const root = await writeWorld();
    const before = await readFile(join(root, 'content/capsules/a-capsule.md'), 'utf8');
    await reviseCapsule(root, 'a-capsule', 'patch', SMALL_WORLD_DAY, FROM_FILE);
    expect(await readFile(join(root, 'content/capsules/a-capsule.md'), 'utf8')).toBe(
      before.replace('version: 1.0.0', 'version: 1.0.1').replace('updated: 2026-11-02', `updated: ${SMALL_WORLD_DAY}`),
    );
    expect(await problemsIn(root)).toEqual([]);
  });

  test('can be repeated: every version stays, in order', async () => {
    const root = await writeWorld();
    const steps = ['patch', 'minor', 'major', 'patch'] as const;
    const made: string[] = [];
    for (const step of steps) made.push((await reviseCapsule(root, 'a-capsule', step, SMALL_WORLD_DAY, FROM_FILE)).to);
    expect(made).toEqual(['1.0.1', '1.1.0', '2.0.0', '2.0.1']);
    const { content, problems } = await readContent(root, { today: SMALL_WORLD_DAY });
    expect(problems).toEqual([]);
    expect(content?.capsules[0]?.frozen.map(({ frontMatter }) => frontMatter.version)).toEqual(['1.0.0', '1.0.1', '1.1.0', '2.0.0']);
  });

  test.each<[name: string, text: string]>([
    ['CRLF line ends', capsule().replaceAll('\n', '\r\n')],
    ['a quoted version', capsule({ version: '"1.0.0"' })],
    ['a comment behind the version', capsule({ version: '1.0.0 # first' })],
    [
      'a line in its text that looks like one of front matter',
      capsule({}, `${capsule().split('---\n\n')[1]}\nversion: 9.9.9\nupdated: 1999-01-01\n`),
    ],
  ])('takes a file with %s', async (_name, text) => {
    const root = await writeWorld({ 'capsules/a-capsule.md': text });
    expect(await reviseCapsule(root, 'a-capsule', 'minor', SMALL_WORLD_DAY, FROM_FILE)).toMatchObject({ from: '1.0.0', to: '1.1.0' });
    expect(await problemsIn(root)).toEqual([]);
    const { content } = await readContent(root, { today: SMALL_WORLD_DAY });
    expect(content?.capsules[0]?.frontMatter).toMatchObject({ version: '1.1.0', updated: SMALL_WORLD_DAY });
    if (text.includes('9.9.9')) expect(content?.capsules[0]?.markdown).toContain('version: 9.9.9\nupdated: 1999-01-01');
  });

  test('refuses a capsule that is not there', async () => {
    await expect(reviseCapsule(await writeWorld(), 'gone', 'minor', SMALL_WORLD_DAY)).rejects.toThrow(
      new UserError('there is no capsule content/capsules/gone.md'),
    );
  });

  test('refuses to freeze a version a second time, and leaves everything as it is', async () => {
    const root = await writeWorld();
    await reviseCapsule(root, 'a-capsule', 'minor', SMALL_WORLD_DAY, FROM_FILE);
    const path = join(root, 'content/capsules/a-capsule.md');
    const text = (await readFile(path, 'utf8')).replace('version: 1.1.0', 'version: 1.0.0');
    await writeFile(path, text);
    await expect(reviseCapsule(root, 'a-capsule', 'minor', SMALL_WORLD_DAY, FROM_FILE)).rejects.toThrow(
      'version 1.0.0 of "a-capsule" is frozen',
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

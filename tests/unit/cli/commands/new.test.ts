import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reviseCapsule } from '../../../../src/cli/capsules/revise-capsule.ts';
import { createContent } from '../../../../src/cli/commands/new.ts';
import { UserError } from '../../../../src/publication/content-problem.ts';
import { contentLine } from '../../../../src/publication/publish/published-capsules.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import {
  capsule,
  copyOfRealContent,
  offer,
  problemsIn,
  publisher as publisherText,
  TODAY as SMALL_WORLD_DAY,
  writeWorld,
} from '../../publication/content-world.ts';

const TODAY = '2026-12-01';

describe('createContent()', () => {
  const easy = (fields: Readonly<Record<string, string | undefined>> = {}): string =>
    publisherText({ editorial: undefined, offers: undefined, ...fields });
  const textOf = (root: string, path: string): Promise<string> => readFile(join(root, 'content', path), 'utf8');

  test('makes a short capsule with a title and a text, which is a draft; without that mark and its placeholder it passes every check', async () => {
    const root = await writeWorld({ 'publisher.yaml': easy() });
    expect(await createContent(root, 'capsule', 'a-new-subject')).toEqual(['content/capsules/a-new-subject.md']);
    expect(await problemsIn(root)).toEqual([]);
    const draft = await textOf(root, 'capsules/a-new-subject.md');
    expect(draft.split('\n').length).toBeLessThan(10);
    const { content } = await readContent(root, { today: SMALL_WORLD_DAY });
    expect(content && contentLine(content, 'edge')).toMatch(/; 1 draft is left out$/);
    const published = draft.replace(/^draft: true.*\n/m, '');
    await writeFile(join(root, 'content/capsules/a-new-subject.md'), published);
    expect(await problemsIn(root)).toEqual([
      'capsules/a-new-subject.md:7 still has a placeholder that begins with "FILL IN"; fill it in, or set draft: true',
    ]);
    await writeFile(join(root, 'content/capsules/a-new-subject.md'), published.replace('FILL IN: ', ''));
    expect(await problemsIn(root)).toEqual([
      expect.stringMatching(
        /^capsules\/a-new-subject\.md:7 still has what the template says to write: "write the text here\..*; write it, or/,
      ),
    ]);
    await writeFile(join(root, 'content/capsules/a-new-subject.md'), published.replace(/FILL IN: .*/, 'A text of its own.'));
    const { content: after } = await readContent(root, { today: SMALL_WORLD_DAY });
    expect(after?.capsules.find(({ id }) => id === 'a-new-subject')?.frontMatter).toMatchObject({ title: 'A new subject' });
  });

  test('makes the id of a title as of the name of a file', async () => {
    const root = await writeWorld({ 'publisher.yaml': easy({ language: 'de' }) });
    expect(await createContent(root, 'capsule', 'Größe und Maß')).toEqual(['content/capsules/groesse-und-mass.md']);
    expect(await textOf(root, 'capsules/groesse-und-mass.md')).toContain('\ntitle: Größe und Maß\n');
    await expect(createContent(root, 'capsule', 'groesse-und-mass')).rejects.toThrow('exists; choose another id');
  });

  test('makes a draft of a paid capsule with a price, a preview and a text to fill in', async () => {
    const root = await writeWorld({ 'publisher.yaml': easy() });
    await createContent(root, 'capsule', 'a-report', true);
    const draft = await textOf(root, 'capsules/a-report.md');
    expect(await problemsIn(root)).toEqual([]);
    const filled = draft.replace(/^draft: true.*\n/m, '').replace(/FILL IN: .*/, 'Free words.');
    await writeFile(join(root, 'content/capsules/a-report.md'), filled);
    expect(await problemsIn(root)).toEqual([expect.stringMatching(/still has a placeholder/)]);
    await writeFile(join(root, 'content/capsules/a-report.md'), filled.replace(/FILL IN: .*/, 'Sold words.'));
    const { content } = await readContent(root, { today: SMALL_WORLD_DAY });
    const sold = content?.capsules.find(({ id }) => id === 'a-report');
    expect([sold?.frontMatter.access, sold?.frontMatter.price_usd, sold?.markdown]).toEqual([
      'paid',
      1,
      'Free words.\n\n<!-- paid -->\n\nSold words.\n',
    ]);
  });

  test('makes drafts that break house rules only with warnings, and an offer as the last one of the price list', async () => {
    const root = await copyOfRealContent();
    const before = await textOf(root, 'publisher.yaml');
    expect(await createContent(root, 'capsule', 'a-new-subject')).toHaveLength(1);
    expect(await createContent(root, 'offer', 'a-new-offer')).toEqual(['content/offers/a-new-offer.md', 'content/publisher.yaml']);
    const { content, problems, warnings } = await readContent(root, { today: TODAY });
    expect(problems).toEqual([]);
    expect(warnings.filter(({ file }) => file.endsWith('a-new-subject.md')).map(({ field }) => field)).toContain('sources');
    expect(warnings.filter(({ file }) => file.endsWith('a-new-offer.md')).map(({ field }) => field)).toContain('refund');
    expect(content?.publisher.offers.order.at(-1)).toBe('a-new-offer');
    expect((await textOf(root, 'publisher.yaml')).replace(/^ *- a-new-offer\n/m, '')).toBe(before);
  });

  test.each(['https://shop.test', 'https://example.com', 'https://buy.shop.com', 'https://pay.invalid'])(
    'makes an offer with a price for the checkout host %s',
    async (checkout_host) => {
      const root = await writeWorld({ 'publisher.yaml': easy({ checkout_host }), 'offers/an-offer.md': undefined });
      await createContent(root, 'offer', 'new');
      expect(await problemsIn(root)).toEqual([]);
      expect(await textOf(root, 'offers/new.md')).toContain('\nprice_usd: 90\n');
    },
  );

  test('makes an offer whose price is on request where there is no checkout host', async () => {
    const root = await writeWorld({ 'publisher.yaml': easy({ checkout_host: undefined }), 'offers/an-offer.md': undefined });
    expect(await createContent(root, 'offer', 'first-one')).toEqual(['content/offers/first-one.md']);
    expect(await problemsIn(root)).toEqual([]);
    expect(await textOf(root, 'offers/first-one.md')).toContain('\nprice: on request\n');
  });

  test('writes German comments where the interface is German', async () => {
    const root = await writeWorld({ 'publisher.yaml': easy({ language: 'de-AT' }) });
    await createContent(root, 'capsule', 'neues');
    await createContent(root, 'offer', 'angebot');
    for (const path of ['capsules/neues.md', 'offers/angebot.md'])
      expect(await textOf(root, path)).toMatch(/diese Zeile löschen[\s\S]*AUSFÜLLEN/);
    expect(await problemsIn(root)).toEqual([]);
  });

  test.each([
    ['a capsule that is not valid', { 'capsules/a-capsule.md': '---\ntitle: [\n---\n', 'publisher.yaml': easy({ language: 'de' }) }],
    ['a publisher.yaml that is not valid', { 'publisher.yaml': 'name: [\n' }],
    ['no publisher.yaml', { 'publisher.yaml': undefined }],
  ])('writes a draft beside %s', async (_name, files) => {
    const root = await writeWorld(files);
    expect(await createContent(root, 'capsule', 'new')).toEqual(['content/capsules/new.md']);
    expect(await createContent(root, 'offer', 'new')).toEqual(['content/offers/new.md']);
  });

  test.each(['1', '12345678', '12e45678', '0x1fffff', 'true', 'null', 'no', 'nan', 'inf', 'a', 'x-1', '2026-11-21', 'a'.repeat(64)])(
    'makes files that pass for the id %s',
    async (id) => {
      const root = await writeWorld();
      for (const kind of ['capsule', 'offer'] as const) await createContent(root, kind, id);
      expect(await problemsIn(root)).toEqual([]);
    },
  );

  test.each([
    ['capsule', 'a-capsule', 'content/capsules/a-capsule.md exists; choose another id'],
    ['capsule', 'deeper', 'content/capsules/guides/deeper.md exists; choose another id'],
    ['capsule', 'old-name', '"old-name" is in content/capsules/a-capsule.md under "formerly"; choose another id'],
    ['capsule', 'index', '"index" is a reserved name; choose another id'],
    ['offer', 'short', '"short" is in content/offers/an-offer.md under "aliases"; choose another id'],
    ['offer', 'invoice', '"invoice" is a reserved name; choose another id'],
  ] as const)('refuses for the %s the taken id %s', async (kind, id, message) => {
    const root = await writeWorld({
      'capsules/a-capsule.md': capsule({ formerly: '[old-name]' }),
      'capsules/guides/deeper.md': capsule(),
      'offers/an-offer.md': offer({ aliases: '[short]' }),
    });
    await expect(createContent(root, kind, id)).rejects.toThrow(new UserError(message));
  });
});

describe('reviseCapsule()', () => {
  const FROM_FILE = { from: 'content/capsules/a-capsule.md' };

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
    const made: string[] = [];
    for (const step of ['patch', 'patch', 'minor', 'major'] as const)
      made.push((await reviseCapsule(root, 'a-capsule', step, SMALL_WORLD_DAY, FROM_FILE)).to);
    expect(made).toEqual(['1.0.1', '1.0.2', '1.1.0', '2.0.0']);
    const { content } = await readContent(root, { today: SMALL_WORLD_DAY });
    expect(content?.capsules[0]?.frozen.map(({ frontMatter }) => frontMatter.version)).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.1.0']);
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

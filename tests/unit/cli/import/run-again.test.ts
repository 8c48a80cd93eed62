import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSource } from '../../../../src/cli/import/import-content.ts';
import { formatProblem, UserError } from '../../../../src/publication/content-problem.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { addFiles, OPEN, PNG, runImport, writeTree } from './import-fixture.ts';

const file = (root: string, id: string): string => join(root, `content/capsules/${id}.md`);
const names = (files: readonly string[]): string[] => files.map((path) => path.replace('content/capsules/', '')).sort();

test('a second import takes what changed, keeps edits, and lists conflicts and pages that are gone', async () => {
  const folder = await writeTree({
    'same.md': '# Same\n\nA.\n',
    'changed.md': '# Changed\n\nA.\n',
    'mine.md': '# Mine\n\nA.\n',
    'both.md': '# Both\n\nA.\n',
    'live.md': '# Live\n\nA.\n',
    'gone.md': '# Gone\n\nA.\n',
  });
  const { root } = await runImport(folder);
  await addFiles(folder, { 'changed.md': '# Changed\n\nB.\n', 'both.md': '# Both\n\nB.\n', 'live.md': '# Live\n\nB.\n' });
  for (const id of ['mine', 'both']) await writeFile(file(root, id), `${await readFile(file(root, id), 'utf8')}\nMy own line.\n`);
  await writeFile(file(root, 'live'), (await readFile(file(root, 'live'), 'utf8')).replace('draft: true\n', ''));
  await rm(join(folder, 'gone.md'));

  const again = await runImport(folder, { root });
  const { created, updated, unchanged, kept, conflicts, gone } = again.outcome;
  expect([created, unchanged, kept, conflicts, gone].map(names)).toEqual([[], ['same.md'], ['mine.md'], ['both.md'], ['gone.md']]);
  expect(names(updated)).toEqual(['changed.md', 'live.md']);
  expect((await again.read('both')).text).toBe('A.\n\nMy own line.');
  expect(await again.read('live')).toMatchObject({ text: 'B.', fields: { title: 'Live' } });
  expect((await again.read('live')).fields).not.toHaveProperty('draft');

  expect((await runImport(folder, { root, isDryRun: true, isForced: true })).outcome.updated.length).toBeGreaterThan(0);
  expect((await again.read('both')).text).toContain('My own line.');
  await runImport(folder, { root, isForced: true });
  expect((await again.read('both')).text).toBe('B.');
});

test('a text that was deleted here stays so, until --force brings it back or all are imported anew', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n[b](b.md)\n', 'b.md': '# B\n\nText.\n', 'c.md': '# C\n\nText.\n' });
  const { root } = await runImport(folder);
  await rm(file(root, 'b'));
  await addFiles(folder, { 'd.md': '# D\n\nText.\n' });
  await rm(join(folder, 'c.md'));
  for (const created of [['d.md'], []]) {
    const again = await runImport(folder, { root });
    expect(names(again.outcome.created)).toEqual(created);
    expect((await again.read('a')).text).toBe('b');
    expect(again.source.skipped).toEqual([{ path: 'b.md', line: 1, message: 'was deleted here, and stays so; --force brings it back' }]);
  }
  // One that the source had lost is new.
  await addFiles(folder, { 'c.md': '# C\n\nText.\n' });
  await rm(file(root, 'c'));
  expect(names((await runImport(folder, { root })).outcome.created)).toEqual(['c.md']);
  expect(names((await runImport(folder, { root, isForced: true })).outcome.created)).toEqual(['b.md']);
  for (const id of ['a', 'b', 'c', 'd']) await rm(file(root, id));
  expect((await runImport(folder, { root })).outcome.created).toHaveLength(4);
});

test('what had no text, or was the same as its original, is imported once it has a text of its own', async () => {
  const page = (title: string, text: string): string => `<html lang="en"><main><h1>${title}</h1><p>${text}</p></main></html>`;
  const folder = await writeTree({
    'guide.html': page('Guide', 'Read it.'),
    'fr/guide.html': page('Guide', 'Read it.'),
    'e.html': page('E', ''),
  });
  const { root } = await runImport(folder);
  const before = await readFile(file(root, 'guide'), 'utf8');
  const again = await runImport(folder, { root });
  expect(await readFile(file(root, 'guide'), 'utf8')).toBe(before);
  expect(again.source.skipped.map(({ message }) => message)).not.toContain('was deleted here, and stays so; --force brings it back');
  await addFiles(folder, {
    'fr/guide.html': '<html lang="fr"><main><h1>Guide</h1><p>Lisez-le bien.</p></main></html>',
    'e.html': page('E', 'Now.'),
  });
  expect(names((await runImport(folder, { root })).outcome.created)).toEqual(['e.md', 'fr-guide.md']);
});

test('a text that was deleted because the source had emptied it comes with its next words', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\nText.\n', 'b.md': '# B\n\nText.\n' });
  const { root } = await runImport(folder);
  await addFiles(folder, { 'b.md': '' });
  expect(names((await runImport(folder, { root })).outcome.gone)).toEqual(['b.md']);
  await rm(file(root, 'b'));
  await addFiles(folder, { 'b.md': '# B\n\nNew.\n' });
  expect(names((await runImport(folder, { root })).outcome.created)).toEqual(['b.md']);
});

test('a list of imported texts that cannot be read is an error, not an empty one', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\nText.\n' });
  const { root } = await runImport(folder);
  await writeFile(join(root, 'content/capsules/.imported.json'), '<<<<<<< ours\n{}\n');
  await expect(runImport(folder, { root })).rejects.toThrow(/\.imported\.json cannot be read; restore it from git/);
});

test('the order of a source is taken again until it is edited, and goes with it; that of another source stays', async () => {
  const tree = { 'a/x.md': '# X\n\nText.\n', 'b/y.md': '# Y\n\nText.\n' };
  const [folder, other] = [await writeTree(tree), await writeTree(tree)];
  const { root, outcome } = await runImport(folder);
  const sections = join(root, 'content/sections.yaml');
  expect(outcome.sections).toBe('written');
  expect((await runImport(folder, { root })).outcome.sections).toBe('unchanged');
  expect((await runImport(other, { root, prefix: 'other' })).outcome.sections).toBe('kept');
  await addFiles(folder, { 'b/z.md': '# Z\n\nText.\n' });
  expect((await runImport(folder, { root })).outcome.sections).toBe('written');
  expect(await readFile(sections, 'utf8')).toContain('- b-z\n');
  await rm(join(folder, 'a'), { recursive: true });
  const edited = (await readFile(sections, 'utf8')).replace('title: A', 'title: Mine');
  await writeFile(sections, edited);
  expect((await runImport(folder, { root })).outcome.sections).toBe('none');
  expect(await readFile(sections, 'utf8')).toBe(edited);
  await writeFile(sections, edited.replace('title: Mine', 'title: A'));
  expect((await runImport(folder, { root })).outcome.sections).toBe('removed');
  await expect(readFile(sections)).rejects.toThrow();
});

test('sections keep their ids, which are their addresses, when pages come before their first ones', async () => {
  const item = (name: string): string => `<li><a href="/${name}.html">${name}</a></li>`;
  const page = (...names: readonly string[]): string =>
    `<nav><ul><li>車輪<ul>${names.map(item).join('')}</ul></li></ul></nav><main><h1>T</h1><p>Text.</p></main>`;
  const folder = await writeTree({ 'wheels-front.html': page('wheels-front', 'wheels-rear'), 'wheels-rear.html': page() });
  const { root } = await runImport(folder);
  const file = join(root, 'content/sections.yaml');
  expect(await readFile(file, 'utf8')).toContain('id: wheels\n');
  await addFiles(folder, { 'about.html': page('about', 'wheels-front', 'wheels-rear') });
  // As git checks it out on Windows.
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
  expect((await runImport(folder, { root })).outcome.sections).toBe('written');
  expect(await readFile(file, 'utf8')).toMatch(/id: wheels\n[\s\S]*- about\n/);
});

test('the order stays if the navigation of the source leads to too few pages for one', async () => {
  const page = (at: number): string => `<nav><a href="/0.html">First</a></nav><main><h1>P${at}</h1><p>Text ${at}.</p></main>`;
  const pages = Array.from({ length: 6 }, (_, at) => [`${at}.html`, page(at)]);
  const folder = await writeTree(Object.fromEntries(pages.slice(0, 5)));
  const { root, outcome } = await runImport(folder);
  expect(outcome.sections).toBe('written');
  await addFiles(folder, Object.fromEntries(pages));
  expect((await runImport(folder, { root })).outcome.sections).toBe('none');
  expect(await readFile(join(root, 'content/sections.yaml'), 'utf8')).toContain('items:');
});

test('the order stays if only a part of a source is imported', async () => {
  const folder = await writeTree({
    '.obsidian/app.json': '',
    'a/x.md': '# X\n\nText.\n',
    'b/y.md': '# Y\n\nText.\n',
    'b/z.md': '# Z\n\nText.\n',
  });
  const { root } = await runImport(folder);
  await addFiles(folder, { 'b/deep/new.md': '# New\n\nText.\n' });
  expect((await runImport(join(folder, 'b'), { root })).outcome.sections).toBe('kept');
  expect(await readFile(join(root, 'content/sections.yaml'), 'utf8')).toContain('- a-x\n');
});

test('a file that was moved or renamed here is updated at its new place, and links follow', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n[b](b.md)\n', 'b.md': '# B\n\nText.\n' });
  const { root } = await runImport(folder);
  await addFiles(root, { 'content/capsules/deep/renamed.md': await readFile(file(root, 'b'), 'utf8') });
  await rm(file(root, 'b'));
  const again = await runImport(folder, { root });
  expect(again.outcome).toMatchObject({
    created: [],
    gone: [],
    updated: ['content/capsules/a.md'],
    unchanged: ['content/capsules/deep/renamed.md'],
  });
  expect((await again.read('a')).text).toBe('[b](deep/renamed.md)');
});

test('ids are unique, at most 64 characters, and never those of other capsules', async () => {
  const long = `${'very-long-folder-name/'.repeat(4)}file-name`;
  const folder = await writeTree({
    'a/x.md': '# A\n\nT.\n',
    'a-x.md': '# B\n\nT.\n',
    'own.md': '# C\n\nT.\n',
    [`${long}.md`]: '# D\n\nT.\n',
  });
  const root = await writeTree({ 'content/capsules/own.md': '---\ntitle: Mine\n---\n\nMine.\n' });
  const done = await runImport(folder, { root });
  const ids = done.outcome.created.map((path) => path.replace(/^.*\/|\.md$/g, ''));
  expect(new Set(ids).size).toBe(4);
  expect(ids).toContain('own-2');
  for (const id of ids) expect(id.length).toBeLessThanOrEqual(64);
  expect((await done.read('own')).text).toBe('Mine.');
});

test('--split makes a capsule of every long section, with links between them', async () => {
  const words = 'word '.repeat(60);
  const folder = await writeTree({
    'guide.md': `# Guide\n\nIntro [there](#second).\n\n## First part\n\n${words}\n\n### Detail\n\nSee [ref].\n\n## Second\n\n${words}[detail](#detail)\n\n[ref]: other.md\n`,
    'other.md': '# Other\n\n[to the part](guide.md#first-part)\n',
  });
  const done = await runImport(folder, { splitOver: 100 });
  expect((await done.read('guide')).text).toBe(
    'Intro [there](guide-second.md).\n\n- [First part](guide-first-part.md)\n- [Second](guide-second.md)',
  );
  const first = await done.read('guide-first-part');
  expect(first.fields).toMatchObject({ title: 'Guide: First part', imported: { part: 'First part' } });
  expect(first.text).toContain('## Detail\n\nSee [ref].\n\n[ref]: other.md\n\nPart of [Guide](guide.md).');
  expect((await done.read('guide-second')).text).toContain('[detail](guide-first-part.md#detail)');
  expect((await done.read('other')).text).toBe('[to the part](guide-first-part.md)');
  expect((await runImport(folder, { root: done.root, splitOver: 100 })).outcome.unchanged).toHaveLength(4);
});

test('an image that was edited here stays, one that changed in the source is taken', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n![x](x.png) ![y](y.png)\n', 'x.png': PNG, 'y.png': PNG });
  const { root } = await runImport(folder);
  const changed = Buffer.concat([PNG, Buffer.from('1')]);
  await addFiles(root, { 'content/capsules/images/x.png': 'edited' });
  await addFiles(folder, { 'x.png': changed, 'y.png': changed });
  const again = await runImport(folder, { root });
  expect(again.outcome).toMatchObject({ copied: ['content/capsules/images/y.png'], conflicts: ['content/capsules/images/x.png'] });
});

test('symbolic links are not followed', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n![x](secret.png)\n' });
  const secret = await writeTree({ 'secret.md': '# Secret\n\nS.\n', 'secret.png': PNG });
  await symlink(join(secret, 'secret.md'), join(folder, 'link.md'));
  await symlink(join(secret, 'secret.png'), join(folder, 'secret.png'));
  await symlink(secret, join(folder, 'folder'));
  const done = await runImport(folder);
  expect(done.outcome.created).toEqual(['content/capsules/a.md']);
  expect(done.outcome.copied).toEqual([]);
  expect(done.source.skipped.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'folder is a symbolic link, which an import does not follow',
    'link.md is a symbolic link, which an import does not follow',
    'secret.png leads out of the imported folder, and is not read',
  ]);
});

test('a second source beside the first takes no image, no address and no text from it, also if its folder has the same name', async () => {
  const site = async (folder: string, words: string, image: Uint8Array): Promise<string> => {
    const root = await writeTree({
      [`${folder}/a.html`]: `<main><h1>About ${words}</h1><p>${words} ${words} once.</p><img src="i.png" alt="${words}"></main>`,
      [`${folder}/i.png`]: image,
    });
    return join(root, folder);
  };
  const { root, read } = await runImport(await site('build', 'Wheels', PNG));
  const other = await site('site', 'Boats', Buffer.concat([PNG, Buffer.of(0)]));
  const second = await runImport(other, { root });
  expect(await second.read('a-2')).toMatchObject({
    fields: { title: 'About Boats' },
    text: 'Boats Boats once.\n\n![Boats](images/i-2.png)',
  });
  expect((await second.read('a-2')).fields['path']).toBeUndefined();
  expect(second.notes).toEqual(['a.html:1 loses /a.html, /a, where this site has another page']);
  expect(await readFile(join(root, 'content/capsules/images/i.png'))).toEqual(PNG);
  expect((await runImport(other, { root })).outcome).toMatchObject({ created: [], updated: [], copied: [] });

  await expect(runImport(await site('build', 'Boats', PNG), { root })).rejects.toThrow(
    '1 of 1 texts that an earlier import took from "build" are others here, such as content/capsules/a.md; if this is another source, rename its folder',
  );
  expect((await read('a')).fields['title']).toBe('About Wheels');
});

test('another folder with the same name is refused if its texts share no more than their titles; a text that was written anew is taken', async () => {
  const docs = async (install: string, intro: string): Promise<string> => {
    const texts = { 'docs/index.md': `# Introduction\n\n${intro}\n`, 'docs/install.md': `# Installation\n\n${install}\n` };
    return join(await writeTree(texts), 'docs');
  };
  const install = 'Screw the front wheel to its fork.';
  const first = await docs(install, 'Bikes have two round wheels.');
  const { root, read } = await runImport(first);
  const other = await docs('Hoist every sail before noon.', 'Boats swim upon deep water.');
  await expect(runImport(other, { root })).rejects.toThrow('2 of 2 texts that an earlier import took from "docs" are others here');
  expect((await read('install')).text).toBe(install);
  const newer = await docs(install, 'Ride along quiet roads today.');
  await expect(runImport(newer, { root })).rejects.toThrow(
    /an earlier import took "docs" from \S+docs, which is still there, .*rename its folder/,
  );
  await rm(first, { recursive: true });
  const again = await runImport(newer, { root });
  expect([again.outcome.updated, again.outcome.unchanged].map(names)).toEqual([['home.md'], ['install.md']]);
});

test('the report names every place', async () => {
  const { root } = await runImport({ 'a.md': '---\nweird: 1\n---\n# A\n\n[x](nowhere.md)\n' });
  const report = await readFile(join(root, '.akg/import-report.md'), 'utf8');
  expect(report).toContain('- a.md:6 links to "nowhere.md", which is not in the source; "x" stays as text');
  expect(report).toContain('- weird (1 page)');
});

test.each([
  ['a path that does not exist', '/nowhere/at/all', /does not exist; name a folder, a file or an https address/],
  ['a folder without texts', '', /has no markdown files .*, or the file .*openapi\.yaml/],
])('refuses %s', async (_name, path, message) => {
  const folder = path === '' ? await writeTree({ 'a.txt': 'x', 'openapi.yaml': '' }) : path;
  const refused = openSource(folder, OPEN);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(message);
});

test('drafts pass the content checks without a warning, also where they link to each other', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n[b](b.md#part) ![x](x.png)\n', 'b.md': '# B\n\n## Part\n\n[a](a.md)\n', 'x.png': PNG });
  const root = await writeTree({
    'content/publisher.yaml': 'name: Tests\nbase_url: https://tests.example\ncontact_email: desk@tests.example\n',
  });
  await runImport(folder, { root });
  const { problems, warnings } = await readContent(root, { today: '2026-11-21' });
  const ofTexts = [...problems, ...warnings].filter((problem) => problem.file.startsWith('content/capsules/'));
  expect(ofTexts.map(formatProblem)).toEqual([]);
});

test('days in the address of a post are no part of its id; the id that an earlier import gave stays', async () => {
  const post = (title: string): string => `# ${title}\n\nText of ${title}.\n`;
  const folder = await writeTree({ '2024/05/01/rain.md': post('Rain'), '2024/index.md': post('2024'), 'about.md': post('About') });
  const { root, outcome } = await runImport(folder);
  expect(names(outcome.created)).toEqual(['2024.md', 'about.md', 'rain.md']);

  // As imports named it before.
  await rename(file(root, 'rain'), file(root, '2024-05-01-rain'));
  await addFiles(folder, {
    '2024/06/rain.md': post('Rain again'),
    '2025/01/02/rain/index.md': post('More rain'),
    '2025/01/index.md': post('January'),
  });
  const again = await runImport(folder, { root });
  expect(names(again.outcome.created)).toEqual(['2025-01.md', 'rain-2.md', 'rain.md']);
  expect(again.outcome.unchanged).toContain('content/capsules/2024-05-01-rain.md');
});

test('a text that was edited here and moved in the source has its new address, and later changes there are listed', async () => {
  const page = (words: string): string => `<main><h1>Oil</h1><p>${words}</p></main>`;
  const folder = await writeTree({ 'a.html': page('One.') });
  const { root, read } = await runImport(folder);
  const path = file(root, 'a');
  const edited = (await readFile(path, 'utf8')).replace('One.', 'My own.');
  await writeFile(path, edited.replace('draft: true\n', ''));
  await rm(join(folder, 'a.html'));
  await addFiles(folder, { 'b.html': page('One.') });
  expect(names((await runImport(folder, { root })).outcome.kept)).toEqual(['a.md']);
  expect(await read('a')).toMatchObject({ text: 'My own.', fields: { path: ['/b.html', '/b', '/a.html', '/a'] } });
  expect((await read('a')).fields).not.toHaveProperty('draft');
  expect(names((await runImport(folder, { root })).outcome.kept)).toEqual(['a.md']);
  await addFiles(folder, { 'b.html': page('Two.') });
  const changed = await runImport(folder, { root });
  expect(names(changed.outcome.conflicts)).toEqual(['a.md']);
  expect(changed.source.skipped).toEqual([]);
});

test('a text that moved in the source stays the capsule that it is, at both addresses; of two with the same words, both are new', async () => {
  const page = (words: string): string => `<main><h1>Oil</h1><p>${words}</p></main>`;
  const folder = await writeTree({ 'a.html': page('One.'), 'c.html': page('Three.'), 'd.html': page('Three.') });
  const { root } = await runImport(folder);
  await Promise.all(['a', 'c', 'd'].map((name) => rm(join(folder, `${name}.html`))));
  await addFiles(folder, { 'b/oil.html': page('One.'), 'e.html': page('Three.') });
  const moved = await runImport(folder, { root });
  expect([moved.outcome.created, moved.outcome.updated, moved.outcome.gone].map(names)).toEqual([['e.md'], ['a.md'], ['c.md', 'd.md']]);
  const { fields, text } = await moved.read('a');
  expect([text, fields['path']]).toEqual(['One.', ['/b/oil.html', '/b/oil', '/a.html', '/a']]);
  expect(fields['imported']).toMatchObject({ path: 'b/oil.html' });

  const again = await runImport(folder, { root });
  expect(names(again.outcome.unchanged)).toEqual(['a.md', 'e.md']);
  await addFiles(folder, { 'a.html': page('Another.') });
  await runImport(folder, { root });
  expect((await moved.read('a')).fields['path']).toEqual(['/b/oil.html', '/b/oil']);
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { capsulePagesOf } from '../../../src/build/describe-deployment.ts';
import { checkFileCount, fileCountProblem } from '../../../src/build/host-limits.ts';
import { Publisher } from '../../../src/schemas/publisher.ts';
import { temporaryFolder } from '../publication/content-world.ts';

let root: string;
beforeEach(async () => {
  root = await temporaryFolder();
  await mkdir(join(root, 'content/capsules/deeper'), { recursive: true });
});

const capsule = (name: string, frontMatter = ''): Promise<void> =>
  writeFile(join(root, 'content/capsules', `${name}.md`), `---\ntitle: A text\n${frontMatter}---\n\nText.\n`);

const writePublisher = (settings: Readonly<Record<string, unknown>>): Promise<void> => {
  const all = { name: 'Harbour', base_url: 'https://harbour.example', contact_email: 'desk@harbour.example', ...settings };
  return writeFile(join(root, 'content/publisher.yaml'), JSON.stringify(all));
};

/** Three free capsules: 15 files. */
async function threeCapsules(settings: Readonly<Record<string, unknown>>): Promise<void> {
  await writePublisher(settings);
  await capsule('one');
  await capsule('deeper/two');
  await capsule('three');
}

describe('checkFileCount()', () => {
  it('refuses more files of capsules than the host takes, with the number and the cure', async () => {
    await threeCapsules({ max_files: 14, capsule_pages: 'files' });
    await expect(checkFileCount(root, { mode: 'edge' })).rejects.toThrow(
      /15 files for 3 capsules.*takes 14.*capsule_pages: edge.*max_files/,
    );
    await expect(checkFileCount(root, { mode: 'static' })).rejects.toThrow(/15 files.*Build for production/);
  });

  it('accepts as many as the host takes, and any number where functions serve them', async () => {
    await threeCapsules({ max_files: 15, capsule_pages: 'files' });
    await checkFileCount(root, { mode: 'edge' });
    await checkFileCount(root, { mode: 'edge', capsulePages: 'edge' });
    await capsule('four');
    await expect(checkFileCount(root, { mode: 'edge' })).rejects.toThrow(/20 files/);
    await checkFileCount(root, { mode: 'edge', capsulePages: 'edge' });
  });

  it('counts neither drafts nor paid capsules that cannot be paid', async () => {
    await threeCapsules({ max_files: 15, capsule_pages: 'files' });
    await capsule('draft', 'draft: true\n');
    await capsule('sold', 'access: paid\nprice_usd: 1\n');
    await writeFile(join(root, 'content/capsules/_note.md'), 'A note.\n');
    await checkFileCount(root, { mode: 'edge' });
  });

  it('leaves a mistake in publisher.yaml to the check of the content', async () => {
    await threeCapsules({ max_files: 'many' });
    await checkFileCount(root, { mode: 'edge' });
  });
});

it('fileCountProblem() advises to store blocks in KV where they are most of the files', () => {
  const site = { mode: 'edge', capsules: 9, files: 30, blocks: 20 } as const;
  expect(fileCountProblem(site, { max_files: 29 })).toMatch(/30 files for 9 capsules, 20 of them blocks.*storage: kv/);
  expect(fileCountProblem(site, { max_files: 30 })).toBeUndefined();
});

describe('capsulePagesOf()', () => {
  const decide = (setting: string | undefined, capsules: number, mode: 'edge' | 'static' = 'edge') =>
    capsulePagesOf({ capsule_pages: Publisher.shape.capsule_pages.parse(setting) }, capsules, { mode });

  it('lets functions serve 1,000 capsules and more by default', () => {
    expect([decide(undefined, 999), decide(undefined, 1_000), decide('auto', 1_000)]).toEqual(['files', 'edge', 'edge']);
  });

  it('follows the publisher, except without functions', () => {
    expect([decide('edge', 1), decide('files', 5_000), decide('edge', 5_000, 'static')]).toEqual(['edge', 'files', 'files']);
  });
});

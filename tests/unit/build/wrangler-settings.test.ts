import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  checkWranglerSettings,
  companionName,
  readWranglerSettings,
  requireNamespace,
  writeStoreId,
} from '../../../src/build/wrangler-settings.ts';
import { projectName, writePublication } from '../../../src/cli/commands/init.ts';
import { upgradePublication } from '../../../src/cli/commands/upgrade.ts';
import { formatProblem } from '../../../src/publication/content-problem.ts';
import { ROOT } from '../../support/paths.ts';
import { callAkg } from '../../support/run-akg.ts';
import { sharedFolder } from '../publication/content-world.ts';

const folder = sharedFolder();
let written: string;
let scripts: Readonly<Record<string, string>>;

beforeAll(async () => {
  const site = join(folder, 'my-site');
  const answers = { name: 'My site', tagline: 'Notes', base_url: 'https://my.example', contact_email: 'me@my.example', language: 'en' };
  await writePublication(site, answers, '^1.0.0');
  written = await readFile(join(site, 'wrangler.toml'), 'utf8');
  ({ scripts } = JSON.parse(await readFile(join(site, 'package.json'), 'utf8')) as { scripts: Record<string, string> });
});

const IDS = { KV: '0123456789abcdef0123456789abcdef', D1: '01234567-89ab-cdef-0123-456789abcdef' };
const withIds = (text: string): string => text.replace(/"0{32}"/, `"${IDS.KV}"`).replace(/"0{8}(-0{4}){3}-0{12}"/, `"${IDS.D1}"`);

async function problemsOf(text: string, storage: 'kv' | 'assets' = 'kv'): Promise<string[]> {
  await writeFile(join(folder, 'wrangler.toml'), text);
  return (await checkWranglerSettings(folder, storage)).map((problem) => `${problem.level ?? 'error'} ${formatProblem(problem)}`);
}

test.each(['orders list', 'agents list', 'audit', 'insights', 'intake list', 'orders list --remote'])(
  'akg %s says in a folder without a database that it has none',
  async (command) => {
    expect(await callAkg(command.split(' '), folder)).toMatchObject({
      exit: 1,
      output: expect.stringMatching(/^this folder has no wrangler\.toml/),
    });
  },
);

describe('akg init', () => {
  const init = (...args: readonly string[]) =>
    callAkg(['init', ...args, '--yes', '--engine', '^1.0.0'], folder, { PATH: join(folder, 'bin') });

  test('says in one line that a folder cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    const { exit, output } = await init('file/new');
    expect({ exit, output }).toEqual({
      exit: 1,
      output: expect.stringMatching(/^\S+file\/new cannot be written \(ENOTDIR\); name another folder\n$/),
    });
  });

  test.runIf(existsSync('/proc/self'))('says so of a file system that takes no folders, where Node would try for ever', async () => {
    expect(await init('/proc/new/site')).toMatchObject({ exit: 1, output: expect.stringContaining('/proc/new/site cannot be written') });
  });

  test('asks nothing about a folder that is not empty', async () => {
    const { exit, output } = await callAkg(['init', '.'], folder, {});
    expect({ exit, output }).toEqual({ exit: 1, output: expect.stringMatching(/^\. is not empty \(.+\); name a new folder\n$/) });
  });

  test('names the Node of the machine where it is too old for the publication', async () => {
    await mkdir(join(folder, 'bin'));
    for (const [version, said] of [
      ['20.1.0', '; you have 20.1.0: install a newer one first (https://nodejs.org/en/download)\n'],
      ['24.1.0', ' or later\n'],
    ] as const) {
      await writeFile(join(folder, 'bin/node'), `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
      expect((await init(`node-${version}`)).output).toContain(said);
    }
  });
});

test('akg upgrade names packed engines that are no longer used', async () => {
  const site = join(folder, 'upgraded');
  await mkdir(join(site, 'engine'), { recursive: true });
  for (const name of ['old.tgz', 'new.tgz', 'README.md']) await writeFile(join(site, 'engine', name), '');
  await writeFile(
    join(site, 'package.json'),
    '{"dependencies":{"agent-knowledge-gateway":"file:engine/new.tgz"},"akg":{"version":"1.18.0"}}',
  );
  const lines: string[] = [];
  await upgradePublication({ root: site, isTrial: true, report: (line) => lines.push(line) });
  expect(lines).toContain('No longer used, you can delete: engine/old.tgz');
});

describe('wrangler.toml', () => {
  test('of a new publication has nothing wrong but the ids of stores that must be created', async () => {
    expect(await problemsOf(written)).toEqual([
      expect.stringMatching(/^warning wrangler\.toml:9 id: .*"npm run setup"/),
      expect.stringMatching(/^warning wrangler\.toml:14 database_id: .*"npm run setup"/),
    ]);
    expect(await problemsOf(withIds(written))).toEqual([]);
    expect(await problemsOf(withIds(written.replaceAll('# [', '[').replaceAll(/^# (binding|service) =/gm, '$1 =')))).toEqual([]);
  });

  test.each([
    ['name = "my-site"', 'name = my-site', 'wrangler.toml:2 is no valid TOML: '],
    ['"CAPSULES"', '"CAPSULE"', 'wrangler.toml:8 binding: "CAPSULE" is not read: write binding = "CAPSULES"'],
    ['"STATE"', '"state"', 'wrangler.toml:12 binding: "state" is not read: write binding = "STATE"'],
    ['[[kv_namespaces]]', '[kv_namespaces]', 'wrangler.toml:7 kv_namespaces: is one table: write [[kv_namespaces]]'],
    ['[[d1_databases]]', '[[d1_database]]', 'wrangler.toml:11 d1_database: is not read: write [[d1_databases]]'],
    ['"STATE"', '"OTHER"', 'wrangler.toml:11 d1_databases: nothing is bound as STATE: add [[d1_databases]] with binding = "STATE"'],
    [IDS.KV, '<your id>', 'wrangler.toml:9 id: must be 32 hexadecimal digits; "npm run setup" writes them in the place of zeros'],
    [IDS.D1, 'my-site', 'database_id: must be a UUID; "npm run setup" writes it in the place of zeros'],
  ])('with %s written as %s is reported with the line and the cure', async (right, wrong, message) => {
    const problems = await problemsOf(withIds(written).replace(right, wrong));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(/^error /);
  });

  test('needs no KV where blocks are files, and may be absent', async () => {
    expect(await problemsOf(withIds(written).replace(/\[\[kv_namespaces\]\]\n.*\n.*\n/, ''), 'assets')).toEqual([]);
    expect(await checkWranglerSettings(join(folder, 'none'), 'kv')).toEqual([]);
  });

  test('tells the companion its name, which an existing service keeps', async () => {
    await writeFile(join(folder, 'wrangler.toml'), withIds(written));
    expect(await readWranglerSettings(folder)).toEqual({
      project: 'my-site',
      namespaceId: IDS.KV,
      databaseId: IDS.D1,
      databaseName: 'my-site',
      migrationsFolder: 'node_modules/agent-knowledge-gateway/lib/platform/d1/migrations',
      companion: 'my-site-companion',
      isCompanionBound: false,
    });
    await writeFile(join(folder, 'wrangler.toml'), `${written}\n[[services]]\nbinding = "LIMITER"\nservice = "old-name"\n`);
    expect(await readWranglerSettings(folder)).toMatchObject({ companion: 'old-name', databaseId: undefined, namespaceId: undefined });
    expect(companionName(projectName('x'.repeat(90)))).toHaveLength(63);
  });

  test.each([
    ['zeros', /^$/gm, ''],
    ['an empty id', /"0[0-]+"/g, '""'],
    ['no line of an id', /^(?:database_)?id = .*\n/gm, ''],
  ])('takes the ids of stores in the place of %s', async (_place, pattern, replacement) => {
    await writeFile(join(folder, 'wrangler.toml'), written.replace(pattern, replacement));
    await writeStoreId(folder, 'namespace', IDS.KV);
    await writeStoreId(folder, 'database', IDS.D1);
    expect(await readWranglerSettings(folder)).toMatchObject({ namespaceId: IDS.KV, databaseId: IDS.D1 });
    expect((await checkWranglerSettings(folder, 'kv')).map(({ message }) => message)).toEqual([]);
  });

  test('without the id of KV or any functions, a publish says what to run before wrangler is asked', async () => {
    await rm(join(folder, 'wrangler.toml'), { force: true });
    await expect(requireNamespace(folder)).rejects.toThrow(
      'this folder has no wrangler.toml, so its site has neither functions nor stores',
    );
    await writeFile(join(folder, 'wrangler.toml'), written);
    await expect(requireNamespace(folder)).rejects.toThrow('wrangler.toml:9 has no id of the KV namespace CAPSULES: run "npm run setup"');
    await writeFile(join(folder, 'wrangler.toml'), withIds(written));
    await requireNamespace(folder);
  });
});

describe('the guide to deploying', () => {
  test('shows the file that init writes, and names its database, its project and its companion', async () => {
    const guide = await readFile(join(ROOT, 'docs/deploying.md'), 'utf8');
    expect(/```toml\n([\s\S]*?)```/.exec(guide)?.[1]).toBe(written);
    const names = [...guide.matchAll(/wrangler\s+(?:d1 create|pages project create|delete --name)\s+([\w-]+)/g)].map(([, name]) => name);
    expect(names).toEqual(['my-site-companion', 'my-site', 'my-site', 'my-site', 'my-site-companion']);
  });

  test.each(['deploying.md', 'selling.md', 'keys.md', 'your-publication.md'])(
    'every script that %s runs is one of a new publication, with options of its command',
    async (page) => {
      const text = await readFile(join(ROOT, 'docs', page), 'utf8');
      const wrong: string[] = [];
      for (const [line, script = '', rest = ''] of text.matchAll(/npm run (?:--silent )?([a-z:-]+)((?: --)?[^`\n#]*)/g)) {
        if (/^(init|bench:|demo|facilitator:)/.test(script)) continue;
        const [name] = /^akg ([a-z-]+)/.exec(scripts[script] ?? '')?.slice(1) ?? [];
        if (name === undefined) {
          wrong.push(line);
          continue;
        }
        const { command } = (await import(`../../../src/cli/commands/${name}.ts`)) as { command: Command };
        const known = new Set(['--help', ...[command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long))]);
        const [own = ''] = rest.replace(/^ --(?= )/, '').split(/ -- /);
        for (const [option] of own.matchAll(/--[a-z][a-z-]*/g)) if (!known.has(option)) wrong.push(`${line}: ${option}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

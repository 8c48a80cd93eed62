import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { committedText, textsInGit } from '../../../src/build/recover-published-text.ts';
import { gitFacts } from '../../../src/cli/import/sources/read-folder.ts';
import { gitDates } from '../../../src/publication/git-history.ts';
import { sharedFolder } from './content-world.ts';

const base = sharedFolder();
const program = join(base, 'program');
const trace = join(base, 'trace');

beforeAll(async () => {
  await writeFile(program, `#!/bin/sh\n/bin/echo "ran with $LINEAGE_KEY" >> ${trace}\nexit 1\n`);
  await chmod(program, 0o755);
  await makeRepository();
});

const AUTHOR = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@a.example', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@a.example' };
const DATES = { GIT_AUTHOR_DATE: '2021-03-04T12:00:00Z', GIT_COMMITTER_DATE: '2021-03-04T12:00:00Z' };

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1', ...AUTHOR, ...DATES },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A repository whose last commit is signed, so that git may be told to verify it. */
async function repository(name: string): Promise<string> {
  const folder = join(base, name);
  await cp(join(base, 'signed'), folder, { recursive: true });
  return folder;
}

async function makeRepository(): Promise<void> {
  const folder = join(base, 'signed');
  await mkdir(join(folder, 'content/capsules'), { recursive: true });
  await writeFile(join(folder, 'content/capsules/a.md'), 'Text.\n');
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message=A');
  const [head = '', ...message] = git(folder, 'cat-file', 'commit', 'HEAD').split('\n\n');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n';
  await writeFile(join(folder, 'commit'), [`${head}\n${signature}`, ...message].join('\n'));
  const commit = git(folder, 'hash-object', '-t', 'commit', '-w', 'commit').trim();
  git(folder, 'update-ref', 'HEAD', commit);
  await rm(join(folder, 'commit'));
  // Lacks the tree of its first commit, which git would fetch from the remote that is configured.
  const partial = join(base, 'partial');
  await cp(folder, partial, { recursive: true });
  const tree = git(partial, 'rev-parse', 'HEAD^{tree}').trim();
  await appendFile(join(partial, 'content/capsules/a.md'), 'More.\n');
  git(partial, 'commit', '--quiet', '--all', '--message=B');
  await rm(join(partial, '.git/objects', tree.slice(0, 2), tree.slice(2)));
}

const verifying = (): string => `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${program}\n`;

async function partialClone(name: string, settings: string): Promise<string> {
  const folder = join(base, name);
  await cp(join(base, 'partial'), folder, { recursive: true });
  const promisor = '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n';
  await appendFile(join(folder, '.git/config'), promisor + settings);
  return folder;
}

/** Folders that make git run a program, by the way in which they do. */
const ATTACKS: Readonly<Record<string, () => Promise<string>>> = {
  'a setting of the repository': async () => {
    const folder = await repository('setting');
    await appendFile(join(folder, '.git/config'), verifying());
    return folder;
  },
  'a bare repository within a clone': async () => {
    const inner = await repository('inner');
    const outer = join(base, 'outer');
    await cp(join(inner, '.git'), join(outer, 'docs'), { recursive: true });
    await cp(join(inner, 'content'), join(outer, 'docs/content'), { recursive: true });
    await writeFile(join(outer, 'docs/config'), `[core]\n\tbare = true\n\trepositoryformatversion = 0\n${verifying()}`);
    await writeFile(join(outer, 'docs/refs/tags/keep'), '');
    git(outer, 'init', '--quiet', '--initial-branch=main');
    git(outer, 'add', '--all', '--force');
    git(outer, 'commit', '--quiet', '--message=Docs');
    git(base, 'clone', '--quiet', `file://${outer}`, 'clone');
    return join(base, 'clone/docs');
  },
  'an included file': async () => {
    const folder = await repository('included');
    await writeFile(join(folder, 'more.cfg'), verifying());
    await appendFile(join(folder, '.git/config'), '[includeIf "gitdir:**"]\n\tpath = ../more.cfg\n');
    return folder;
  },
  'settings of a worktree': async () => {
    const folder = await repository('worktree');
    await appendFile(join(folder, '.git/config'), '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n');
    await writeFile(join(folder, '.git/config.worktree'), verifying());
    return folder;
  },
  'a file that names another folder': async () => {
    const folder = await repository('named');
    await cp(join(folder, '.git'), join(folder, 'elsewhere'), { recursive: true });
    await rm(join(folder, '.git'), { recursive: true });
    await writeFile(join(folder, '.git'), 'gitdir: elsewhere\n');
    await appendFile(join(folder, 'elsewhere/config'), verifying());
    return folder;
  },
  'a partial clone over ssh': () => partialClone('ssh', `\turl = ssh://git@git.example/docs\n[core]\n\tsshCommand = ${program}\n`),
  'a partial clone of a folder': () => partialClone('local', `\turl = ${join(base, 'signed')}\n\tuploadPack = ${program}\n`),
  'a partial clone over a protocol that its settings allow': () =>
    partialClone('ext', `\turl = ext::${program} x\n[protocol "ext"]\n\tallow = always\n`),
  'a partial clone through a proxy': () => partialClone('proxy', `\turl = git://git.example/docs\n[core]\n\tgitProxy = ${program}\n`),
};

describe('git in a folder of strangers', () => {
  test.for(Object.keys(ATTACKS))('runs no program because of %s', async (name, context) => {
    const folder = (await ATTACKS[name]?.()) ?? '';
    vi.stubEnv('LINEAGE_KEY', 'the private key');
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(trace, { force: true });
    });
    try {
      execFileSync('git', ['log', '--name-only', '--', '.'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: base },
        stdio: 'ignore',
      });
    } catch {
      // A program that fails may end git.
    }
    context.skip(!existsSync(trace), 'this version of git obeys no such folder');
    await rm(trace);
    await gitFacts(folder);
    await gitDates(folder);
    await textsInGit(folder, 'content/capsules', ['a.md']);
    await committedText(folder, 'HEAD', ['a']);
    expect(existsSync(trace)).toBe(false);
  });

  test('runs no program of the folder that is named git, and none of it gets the private key', async () => {
    const folder = await repository('fake');
    const tools = join(base, 'tools');
    await mkdir(tools);
    await writeFile(join(tools, 'git'), `#!/bin/sh\nenv > ${join(base, 'environment')}\n`, { mode: 0o755 });
    await cp(program, join(folder, 'git'));
    vi.stubEnv('LINEAGE_KEY', 'the private key');
    vi.stubEnv('GIT_DIR', '/nowhere');
    vi.stubEnv('PATH', ['.', tools, process.env['PATH']].join(delimiter));
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => {
      process.chdir(before);
      vi.unstubAllEnvs();
    });
    await gitDates(folder);
    expect(existsSync(trace)).toBe(false);
    expect(await readFile(join(base, 'environment'), 'utf8')).not.toMatch(/LINEAGE_KEY|GIT_DIR/);
  });

  test('still reads dates, texts and the remote, whoever owns the folder', async () => {
    const folder = await repository('ordinary');
    git(folder, 'remote', 'add', 'origin', 'git@git.example:team/docs.git');
    if (process.getuid?.() === 0) await chown(folder, 4_321, 4_321);
    expect(await gitFacts(folder)).toEqual({
      dates: new Map([['content/capsules/a.md', { created: '2021-03-04', updated: '2021-03-04' }]]),
      remote: 'https://git.example/team/docs',
    });
    expect(await textsInGit(folder, 'content/capsules', ['a.md'])).toEqual(['Text.\n']);
    expect(await committedText(folder, 'HEAD', ['a'])).toMatchObject({ raw: 'Text.\n', day: '2021-03-04' });
    expect(await gitDates(join(base, 'no-repository'))).toEqual(new Map());
  });
});

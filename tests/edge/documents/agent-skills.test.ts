import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { duringTests } from '../../support/during-tests.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';
import { serveFolder } from '../../support/static-server.ts';

const WRITTEN = new URL(TEST_BASE_URL).host;

interface Index {
  readonly skills: readonly { readonly name: string; readonly url: string }[];
}

async function skillsOf(folder: string): Promise<Map<string, string>> {
  const read = (path: string): Promise<string> => readFile(join(PUBLICATION, folder, path), 'utf8');
  const { skills } = JSON.parse(await read(PATHS.agentSkillsIndex)) as Index;
  return new Map(await Promise.all(skills.map(async ({ name, url }) => [name, await read(new URL(url).pathname)] as const)));
}

const ofService = await skillsOf('dist');
const ofFiles = await skillsOf('dist-static');

describe('skills of a service', () => {
  const gateway = useSharedGateway({ files: 'built' });

  test.each([
    ['ask-and-verify', 'The publisher recorded this text'],
    ['buy', 'minor units'],
    ['mirror', 'The copy is complete.'],
    ['propose', ''],
  ])('%s: its commands work', async (name, printed) => {
    const { host } = new URL(gateway.origin());
    expect(await runSkill(ofService.get(name) ?? '', { written: WRITTEN, listening: host })).toContain(printed);
  });

  test('every skill is run', () => expect([...ofService.keys()].sort()).toEqual(['ask-and-verify', 'buy', 'mirror', 'propose']));
});

describe('skills of files', () => {
  const server = duringTests(() => serveFolder(join(PUBLICATION, 'dist-static')));

  test.each([...ofFiles])('%s: its commands work', async (_name, markdown) => {
    expect(await runSkill(markdown, { written: WRITTEN, listening: new URL(server().origin).host })).not.toBe('');
  });
});

/**
 * Runs the commands of a skill, as they stand in its file, one after the other in one shell and in an empty folder.
 *
 * @param host Host and port of the addresses in the file, and where the site listens instead.
 * @returns What the commands print.
 * @throws If a command fails.
 */
async function runSkill(markdown: string, host: { readonly written: string; readonly listening: string }): Promise<string> {
  const commands = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  if (commands.length === 0) throw new Error('the skill has no commands');
  const redirect = `curl() { command curl --noproxy '*' --connect-to '${host.written}:${host.listening}' "$@"; }`;
  const folder = await mkdtemp(join(tmpdir(), 'skill-'));
  try {
    const script = ['set -euo pipefail', redirect, ...commands].join('\n');
    return (await promisify(execFile)('bash', ['-c', script], { cwd: folder, timeout: 60_000 })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

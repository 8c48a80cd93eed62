import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Runs the commands of a skill, as they stand in its file, one after the other in one shell and in an empty folder.
 *
 * @param host Host and port of the addresses in the file, and where the site listens instead.
 * @returns What the commands print.
 * @throws If a command fails.
 */
export async function runSkill(markdown: string, host: { readonly written: string; readonly listening: string }): Promise<string> {
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

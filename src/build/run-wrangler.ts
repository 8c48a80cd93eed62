import { wranglerProgram } from './local/local-stores.ts';
import { PublishRefusedError } from './publishing/publish-refused-error.ts';
import { runNode } from './run-process.ts';

/**
 * Runs a command of wrangler to its end and gives back what it wrote.
 *
 * @throws {PublishRefusedError} If it fails; the message holds what wrangler said.
 */
export async function runWrangler(root: string, args: readonly string[]): Promise<string> {
  const outcome = await runNode([wranglerProgram(root), ...args], { cwd: root, env: { CI: '1' } });
  if (outcome.exitCode !== 0) throw new PublishRefusedError(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${outcome.output}`);
  return outcome.output;
}

/** The JSON that a command wrote, between whatever else it said: it starts and ends a line. */
export function parseWranglerOutput(output: string, opening: '[' | '{', closing: ']' | '}'): unknown {
  const lines = output.split('\n');
  const first = lines.findIndex((line) => line.startsWith(opening));
  const last = lines.findLastIndex((line) => line.trimEnd().endsWith(closing) && (line.startsWith(closing) || line.startsWith(opening)));
  if (first < 0 || last < first)
    throw new PublishRefusedError(`wrangler answered with something else than was asked for:\n${output.slice(0, 2_000)}`);
  return JSON.parse(lines.slice(first, last + 1).join('\n')) as unknown;
}

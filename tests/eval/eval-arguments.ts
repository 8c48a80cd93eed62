import { parseArgs } from 'node:util';

/**
 * The directories and switches of a command line.
 *
 * @param usage The line that tells how the command is used.
 * @throws {Error} If there is no directory, or a switch that is not in `switches`.
 */
export function evalArguments<Switch extends string>(
  usage: string,
  switches: readonly Switch[],
): { directories: string[]; on: ReadonlySet<Switch> } {
  const options = Object.fromEntries(switches.map((name) => [name, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.length === 0) throw new Error('no directory given');
    return { directories: positionals, on: new Set(switches.filter((name) => values[name] === true)) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\nUse: ${usage}`);
  }
}

/** Runs a command, and tells what stops it in one line on standard error with exit code 1. */
export async function runEval(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

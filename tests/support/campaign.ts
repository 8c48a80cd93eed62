import { defineCommand, wholeNumber } from '../../src/cli/define-command.ts';

export function newScript(name: string, description: string) {
  return defineCommand().name(`npm run ${name} --`).description(description);
}

/** Reads an argument that can be repeated: whole numbers, of at least `min`. */
export function wholeNumbers(min: number): (text: string, before?: readonly number[]) => readonly number[] {
  return (text, before = []) => [...before, wholeNumber(min)(text)];
}

/** The command line of a campaign, all of whose chance follows from a seed. */
export function newCampaign(name: string, description: string) {
  return newScript(name, description).option('--seed <number>', 'repeats the campaign of that seed (default: a new one)', wholeNumber(0));
}

export function newSeed(): number {
  return Date.now() % 1_000_000_000;
}

/**
 * Prints the first line of a campaign, before any of its work: its seed, and the command that repeats it. The line is printed again
 * where the campaign itself fails with an exception, so that whatever was printed meanwhile does not hide it.
 *
 * @param options The other options of its command line, by their names; those that are undefined or false were not given.
 */
export function announceCampaign(
  name: string,
  seed: number,
  options: Readonly<Record<string, string | number | boolean | undefined>> = {},
): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const command = `npm run ${name} -- ${given.map(([option, value]) => `--${option} ${value === true ? '' : `${value} `}`).join('')}--seed ${seed}`;
  console.log(`seed ${seed}; again: ${command}`);
  process.on('uncaughtExceptionMonitor', () => console.log(`\nThe campaign itself failed. Seed ${seed}; again: ${command}`));
}

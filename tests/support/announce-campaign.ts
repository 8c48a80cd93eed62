/** A number of a command line: whole, and at least 0. */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new RangeError(`--${option} takes a whole number, not "${text}"`);
  return Number(text);
}

/** The seed that a command line names, else a new one. */
export function seedFrom(text: string | undefined): number {
  return text === undefined ? Date.now() % 1_000_000_000 : wholeNumber('seed', text);
}

/**
 * Prints the first line of a campaign, before any of its work: its seed, and the command that repeats it. The line is printed again
 * where the campaign itself fails with an exception, so that whatever was printed meanwhile does not hide it.
 *
 * @param options The other options of its command line, by their names; those that are undefined were not given.
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

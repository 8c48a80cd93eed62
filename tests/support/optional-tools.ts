import { execFileSync } from 'node:child_process';

/** Programs that some tests need and not every machine has. */
export type OptionalTool = 'chromium' | 'python3';

/**
 * Path of a program, or `undefined` after one line that says what is skipped.
 *
 * @throws If the program is missing although REQUIRE_ALL=1 forbids to skip.
 */
export function findTool(tool: OptionalTool): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
  } catch {
    if (process.env['REQUIRE_ALL'] === '1') throw new Error(`${tool} is missing, and REQUIRE_ALL=1 forbids to skip its tests`);
    console.log(`skipped: tests that need ${tool}, which is not installed`);
    return undefined;
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/paths.ts';

export const CHECKERS_FOLDER = join(ROOT, 'tests/conformance/checkers');

const MODULES = join(CHECKERS_FOLDER, 'node_modules');

/** No checker reports about its use or looks for newer versions of itself. */
const QUIET = { CI: '1', NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', DO_NOT_TRACK: '1' };

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const checkerProgram = (name: string): string => join(MODULES, '.bin', name);
export const checkerEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, ...QUIET });

/**
 * Runs a program of the checkers to its end.
 *
 * @param preload Module that Node loads before the program.
 */
export function runChecker(program: string, args: readonly string[], preload?: string): Promise<Outcome> {
  const options = { cwd: CHECKERS_FOLDER, env: checkerEnvironment(), maxBuffer: 2 ** 28 };
  const preloading = preload === undefined ? [] : ['--import', pathToFileURL(preload).href];
  return new Promise((resolve) => {
    execFile(process.execPath, [...preloading, checkerProgram(program), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** The JSON in what a program wrote, without the lines of words around it. */
export function readJson<T>({ stdout, stderr }: Outcome): T {
  const start = stdout.indexOf('{');
  if (start === -1) throw new Error(`no JSON in: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(start, stdout.lastIndexOf('}') + 1)) as T;
}

export const importChecker = async <T>(path: string): Promise<T> => (await import(pathToFileURL(join(MODULES, path)).href)) as T;

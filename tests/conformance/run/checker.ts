import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/paths.ts';

export type Mode = 'edge' | 'static';

export interface CheckedSite {
  readonly mode: Mode;
  /** Without a slash at its end. */
  readonly origin: string;
  readonly folder: string;
}

export interface Row {
  readonly checker: string;
  /** What was seen, such as `99 (A)`. */
  readonly value: string;
  readonly goal: string;
  /** `absent`: the site has no such thing; `skipped`: the machine lacks what the checker needs. */
  readonly verdict: 'met' | 'below' | 'absent' | 'skipped';
  /** What keeps it from being better, a line each. */
  readonly notes: readonly string[];
}

export interface Checker {
  readonly name: string;
  readonly modes: readonly Mode[];
  readonly check: (site: CheckedSite) => Promise<readonly Row[]>;
}

export function scoreRow(checker: string, score: number, least: number, notes: readonly string[] = []): Row {
  return { checker, value: String(score), goal: `>= ${least}`, verdict: score >= least ? 'met' : 'below', notes };
}

export function findingsRow(checker: string, findings: readonly string[], checked = ''): Row {
  return {
    checker,
    value: `${findings.length} findings${checked === '' ? '' : ` in ${checked}`}`,
    goal: '0',
    verdict: findings.length === 0 ? 'met' : 'below',
    notes: findings,
  };
}

export const absentRow = (checker: string, why: string): Row => ({ checker, value: 'absent', goal: '', verdict: 'absent', notes: [why] });

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

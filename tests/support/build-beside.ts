import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file that is there once the publication of the tests is built: empty, or why it is not. */
    readonly buildOutcome: string;
  }
}

const PROGRAM = `const { default: build } = await import(${JSON.stringify(join(import.meta.dirname, 'build-once.ts'))}); await build();`;

interface Build {
  readonly outcome: string;
  readonly stop: () => void;
}

/** What all projects of this process wait for. */
const shared = globalThis as { buildBesideTests?: Build };

/** Before the tests of a project: builds their publication in a process of its own, once for all projects; files wait for it. */
export default function buildBeside({ provide }: TestProject): () => void {
  shared.buildBesideTests ??= startBuild();
  provide('buildOutcome', shared.buildBesideTests.outcome);
  return shared.buildBesideTests.stop;
}

function startBuild(): Build {
  const folder = mkdtempSync(join(tmpdir(), 'akg-build-'));
  const outcome = join(folder, 'outcome');
  // Before Node 22.18 types are stripped on request only.
  const flags = process.features.typescript ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
  // A publisher builds without the NODE_ENV that Vitest sets, which would make the functions those of a development server.
  const { NODE_ENV: _mode, ...environment } = process.env;
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', PROGRAM], { stdio: 'inherit', env: environment });
  child.once('exit', (code) => writeFileSync(outcome, code === 0 ? '' : `the publication of the tests was not built (exit code ${code})`));
  return {
    outcome,
    stop: () => {
      child.removeAllListeners('exit').kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { fileURLToPath } from 'node:url';
import { type Checker, scoreRow } from './checker.ts';
import { readJson, runChecker } from './run-checker.ts';

const LEAST = { edge: 99, static: 97 };

/** While it computes for seconds, the local server closes its idle connections, on which its next requests would fail. */
const RETRY = fileURLToPath(new URL('./retry-closed-connections.ts', import.meta.url));

interface Report {
  readonly results: readonly { readonly id: string; readonly status: string; readonly message: string }[];
  readonly scoring: { readonly overall: number; readonly grade: string };
}

/** afdocs: whether agents can read the documentation (agent-ecosystem/agent-docs-spec). */
export const afdocs: Checker = {
  name: 'afdocs',
  modes: ['edge', 'static'],
  check: async ({ mode, origin }) => {
    const args = ['check', origin, '--format', 'json', '--score', '--quiet', '--sampling', 'deterministic', '--request-delay', '0'];
    const { results, scoring } = readJson<Report>(await runChecker('afdocs', args, RETRY));
    const notes = results
      .filter(({ status }) => status === 'warn' || status === 'fail')
      .map(({ id, status, message }) => `${status}: ${id}: ${message}`);
    return [scoreRow('afdocs', scoring.overall, LEAST[mode], notes)];
  },
};

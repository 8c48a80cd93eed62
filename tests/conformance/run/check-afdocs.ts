import { type Checker, scoreRow } from './checker.ts';
import { readJson, runChecker } from './run-checker.ts';

const LEAST = { edge: 99, static: 97 };

/** Most runs while fetches fail. */
const RUNS_MAX = 4;

interface Report {
  readonly requestSummary?: { readonly fetchErrors: number };
  readonly results: readonly { readonly id: string; readonly status: string; readonly message: string }[];
  readonly scoring: { readonly overall: number; readonly grade: string };
}

/** afdocs: whether agents can read the documentation (agent-ecosystem/agent-docs-spec). */
export const afdocs: Checker = {
  name: 'afdocs',
  modes: ['edge', 'static'],
  check: async ({ mode, origin }) => {
    const args = ['check', origin, '--format', 'json', '--score', '--quiet', '--sampling', 'deterministic', '--request-delay', '0'];
    // While it computes for seconds, the local server closes its idle connections, on which its next requests then fail: that is not the site.
    let report = readJson<Report>(await runChecker('afdocs', args));
    for (let run = 1; run < RUNS_MAX && (report.requestSummary?.fetchErrors ?? 0) > 0; run += 1)
      report = readJson<Report>(await runChecker('afdocs', args));
    const { results, scoring } = report;
    const notes = results
      .filter(({ status }) => status === 'warn' || status === 'fail')
      .map(({ id, status, message }) => `${status}: ${id}: ${message}`);
    return [scoreRow('afdocs', scoring.overall, LEAST[mode], notes)];
  },
};

import type { Checker } from './checker.ts';
import { readJson, runChecker } from './run-checker.ts';

interface Discovered {
  readonly ok: boolean;
  readonly resources?: readonly unknown[];
  readonly warnings?: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
}

/** AgentCash: what an agent with a wallet finds of a site. */
export const agentcash: Checker = {
  name: 'agentcash',
  modes: ['edge', 'static'],
  check: async ({ origin }) => {
    const { ok, resources = [], warnings = [] } = readJson<Discovered>(await runChecker('discovery', ['discover', origin, '--json']));
    const notes = warnings.map(({ code, severity, message }) => `${severity}: ${code}: ${message}`);
    const isMet = ok && !warnings.some(({ severity }) => severity === 'error');
    const value = `${ok ? 'ok' : 'not ok'}, ${resources.length} operations`;
    return [{ checker: 'AgentCash discovery', value, goal: 'ok', verdict: isMet ? 'met' : 'below', notes }];
  },
};

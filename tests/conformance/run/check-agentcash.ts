import type { Checker } from './checker.ts';
import { readJson, runChecker } from './run-checker.ts';

interface Discovered {
  readonly ok: boolean;
  readonly resources?: readonly unknown[];
  readonly warnings?: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
}

/** Recipients are optional in challenges of MPP, and payments by Stripe have none; the checker knows those of Tempo alone. */
const UNFOUNDED = 'MPP_CHALLENGE_RECIPIENT_MISSING';

/** AgentCash: what an agent with a wallet finds of a site. */
export const agentcash: Checker = {
  name: 'agentcash',
  modes: ['edge', 'static'],
  check: async ({ origin }) => {
    const { ok, resources = [], warnings = [] } = readJson<Discovered>(await runChecker('discovery', ['discover', origin, '--json']));
    const notes = warnings.map(({ code, severity, message }) => `${severity}: ${code}: ${message}`);
    const isMet = ok && !warnings.some(({ code, severity }) => severity === 'error' && code !== UNFOUNDED);
    const value = `${ok ? 'ok' : 'not ok'}, ${resources.length} operations`;
    return [{ checker: 'AgentCash discovery', value, goal: 'ok', verdict: isMet ? 'met' : 'below', notes }];
  },
};

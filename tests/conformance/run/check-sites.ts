import { fileURLToPath } from 'node:url';
import { PATHS } from '../../../src/schemas/paths.ts';
import { type Checker, findingsRow, importChecker, readJson, runChecker, scoreRow } from './checker.ts';

const AFDOCS_LEAST = { edge: 99, static: 97 };

/** While it computes for seconds, the local server closes its idle connections, on which its next requests would fail. */
const RETRY = fileURLToPath(new URL('./retry-closed-connections.ts', import.meta.url));

interface AfdocsReport {
  readonly results: readonly { readonly id: string; readonly status: string; readonly message: string }[];
  readonly scoring: { readonly overall: number };
}

/** afdocs: whether agents can read the documentation (agent-ecosystem/agent-docs-spec). */
export const afdocs: Checker = {
  name: 'afdocs',
  modes: ['edge', 'static'],
  check: async ({ mode, origin }) => {
    const args = ['check', origin, '--format', 'json', '--score', '--quiet', '--sampling', 'deterministic', '--request-delay', '0'];
    const { results, scoring } = readJson<AfdocsReport>(await runChecker('afdocs', args, RETRY));
    const notes = results
      .filter(({ status }) => status === 'warn' || status === 'fail')
      .map(({ id, status, message }) => `${status}: ${id}: ${message}`);
    return [scoreRow('afdocs', scoring.overall, AFDOCS_LEAST[mode], notes)];
  },
};

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

interface Finding {
  readonly message: string;
}

interface Validator {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly validate_manifest: (text: string, source: string) => unknown;
}

/** The validator of the AI catalog (ards-project/ard-spec), which Lighthouse brings. */
export const aiCatalog: Checker = {
  name: 'ard',
  modes: ['edge', 'static'],
  check: async ({ origin }) => {
    const { ConformanceTester } = await importChecker<{ readonly ConformanceTester: new () => Validator }>(
      'lighthouse/third-party/ard/ard.js',
    );
    const validator = new ConformanceTester();
    const address = `${origin}${PATHS.aiCatalog}`;
    validator.validate_manifest(await (await fetch(address)).text(), address);
    return [
      findingsRow(
        'ARD',
        [...validator.errors, ...validator.warnings].map(({ message }) => message),
      ),
    ];
  },
};

/** A site of files cannot choose by the request: it gives no markdown to those who ask with a header or are known as agents. */
const VERCEL_LEAST = { edge: 97, static: 88 };

interface VercelReport {
  readonly score: number;
  readonly categories: Readonly<Record<string, { readonly checks: readonly VercelCheck[] }>>;
}

interface VercelCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly skipped: boolean;
  readonly detail?: string;
}

/** Vercel's Agent Readability. It asks for a deep page: of a bare origin it tries the impossible address `http://host.md`. */
export const vercel: Checker = {
  name: 'vercel',
  modes: ['edge', 'static'],
  check: async ({ mode, origin }) => {
    const { score, categories } = readJson<VercelReport>(
      await runChecker('agent-readability', ['audit', `${origin}${PATHS.docs}`, '--json']),
    );
    const notes = Object.values(categories)
      .flatMap(({ checks }) => checks)
      .filter(({ passed, skipped }) => !passed && !skipped)
      .map(({ name, detail = '' }) => `${name}: ${detail}`);
    return [scoreRow('Vercel Agent Readability', score, VERCEL_LEAST[mode], notes)];
  },
};

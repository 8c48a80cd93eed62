import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATHS } from '../../../src/schemas/paths.ts';
import { absentRow, type Checker, findingsRow, type Outcome, runChecker } from './checker.ts';

const ARAZZO = '/arazzo.json';

interface ArazzoDocument {
  readonly workflows: readonly { readonly workflowId: string; readonly steps: readonly { readonly stepId: string }[] }[];
}

/** The members of what `respect --json-output` writes that say what ran. */
interface RespectReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly executedWorkflows: readonly {
          readonly workflowId: string;
          readonly executedSteps: readonly {
            readonly stepId: string;
            readonly checks: readonly { readonly name: string; readonly status: string; readonly message?: string }[];
          }[];
        }[];
      }
    >
  >;
}

/** Redocly respect: runs every workflow of the Arazzo document against the service. */
export const respect: Checker = {
  name: 'respect',
  modes: ['edge'],
  check: async ({ origin }) => {
    const address = `${origin}${ARAZZO}`;
    const document = await fetch(address);
    if (document.status === 404) return [absentRow('Redocly respect', `${address} is not there`)];
    const { outcome, report } = await runRespect(address, origin);
    const findings = report === undefined ? [] : respectFindings((await document.json()) as ArazzoDocument, report);
    if (findings.length === 0 && (outcome.code !== 0 || report === undefined))
      findings.push(`respect ended with exit code ${outcome.code}: ${outcome.stderr || outcome.stdout}`);
    return [findingsRow('Redocly respect', findings, `workflows of ${ARAZZO}, description ${PATHS.openApi}`)];
  },
};

async function runRespect(address: string, origin: string): Promise<{ readonly outcome: Outcome; readonly report?: RespectReport }> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-respect-'));
  try {
    const file = join(folder, 'report.json');
    const outcome = await runChecker('redocly', ['respect', address, '--server', `api=${origin}`, '--json-output', file]);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    return text === undefined ? { outcome } : { outcome, report: JSON.parse(text) as RespectReport };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Checks that failed, and steps of the document that did not run. */
function respectFindings({ workflows }: ArazzoDocument, { files }: RespectReport): string[] {
  const executed = Object.values(files).flatMap(({ executedWorkflows }) => executedWorkflows);
  if (workflows.length === 0) return ['the document has no workflows'];
  return workflows.flatMap(({ workflowId, steps }) => {
    const ran = executed.filter((workflow) => workflow.workflowId === workflowId).flatMap(({ executedSteps }) => executedSteps);
    if (steps.length === 0) return [`${workflowId}: has no steps`];
    return steps.flatMap(({ stepId }) => {
      const checks = ran.filter((step) => step.stepId === stepId).flatMap((step) => step.checks);
      if (checks.length === 0) return [`${workflowId}/${stepId}: did not run`];
      return checks
        .filter(({ status }) => status !== 'success')
        .map(({ name, status, message = '' }) => `${workflowId}/${stepId}: ${name}: ${status} ${message}`.trim());
    });
  });
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RespectReport, respectFindings } from '../../conformance/run/check-arazzo.ts';
import { ROOT } from '../../support/paths.ts';

const document = { workflows: [{ workflowId: 'ask', steps: [{ stepId: 'register' }, { stepId: 'query' }] }] };
const passed = { name: 'schema check', status: 'success' };
type Step = RespectReport['files'][string]['executedWorkflows'][number]['executedSteps'][number];
const reportOf = (...executedSteps: Step[]): RespectReport => ({
  files: { 'arazzo.json': { executedWorkflows: [{ workflowId: 'ask', executedSteps }] } },
});

describe('findings of respect', () => {
  it('are none if every step ran and every check passed', () => {
    expect(respectFindings(document, reportOf({ stepId: 'register', checks: [passed] }, { stepId: 'query', checks: [passed] }))).toEqual(
      [],
    );
  });

  it('name a step that did not run, or was not checked', () => {
    expect(respectFindings(document, reportOf())).toEqual(['ask/register: did not run', 'ask/query: did not run']);
    expect(respectFindings(document, reportOf({ stepId: 'register', checks: [passed] }, { stepId: 'query', checks: [] }))).toEqual([
      'ask/query: did not run',
    ]);
    expect(respectFindings(document, { files: {} })).toHaveLength(2);
  });

  it('name a check that failed', () => {
    const failed = { name: 'status code check', status: 'error', message: 'expected 200' };
    const report = reportOf({ stepId: 'register', checks: [passed, failed] }, { stepId: 'query', checks: [passed] });
    expect(respectFindings(document, report)).toEqual(['ask/register: status code check: error expected 200']);
  });

  it('name a document without workflows, and a workflow without steps', () => {
    expect(respectFindings({ workflows: [] }, { files: {} })).toHaveLength(1);
    expect(respectFindings({ workflows: [{ workflowId: 'empty', steps: [] }] }, { files: {} })).toEqual(['empty: has no steps']);
  });
});

describe('the version of Node that checkers need', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'tests/conformance/checkers/package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const oldest = engines.node.replace('>=', '');
  const start = (version: string) => {
    const versions = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
    const args = ['--import', versions, '--import', './tests/conformance/run/require-node.mjs', '--eval', 'console.log("runs")'];
    return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  };

  it('is that of their package', () => {
    expect(start(oldest)).toMatchObject({ status: 0, stdout: 'runs\n' });
    expect(start('99.0.0')).toMatchObject({ status: 0, stdout: 'runs\n' });
  });

  it.each(['20.20.2', '22.18.9'])('stops an older one, %s, with one sentence that says what to do', (version) => {
    const { status, stdout, stderr } = start(version);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^Node ${version} is too old for the checkers, which need ${oldest} or later: npx -y -p node@\\d+ node.*\n$`),
    );
  });
});

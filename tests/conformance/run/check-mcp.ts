import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { absentRow, type Checker, findingsRow, runChecker } from './checker.ts';

/** The two revisions of the protocol whose clients `/mcp` answers. */
const REVISIONS = ['2026-07-28', '2025-11-25'] as const;

/** Why a check cannot apply to a server of a publisher, by the scenario and what the suite says of its failure. */
const NOT_APPLICABLE: readonly { readonly failure: RegExp; readonly why: string }[] = [
  {
    failure: /\btest_\w+|test:\/\/|json_schema_2020_12_tool|^input-required-result-.*InputRequiredResult/,
    why: "calls a tool, prompt or resource of the suite's own test server",
  },
  { failure: /no tool with x-mcp-header/, why: 'needs a tool that takes arguments in headers; no tool here does' },
  {
    failure: /^(logging-|tools-call-with-logging|resources-(un)?subscribe).*Method not found/,
    why: 'calls a method of a capability that the server does not declare: logging or subscriptions',
  },
];

interface SuiteCheck {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Every scenario of the conformance suite of the Model Context Protocol. */
export const mcp: Checker = {
  name: 'mcp',
  modes: ['edge'],
  check: async ({ origin }) => {
    const address = `${origin}/mcp`;
    const { status } = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    if (status === 404 || status === 405) return [absentRow('MCP conformance', `${address} is not there`)];
    const rows = [];
    for (const revision of REVISIONS) rows.push(await rowOf(revision, address));
    return rows;
  },
};

async function rowOf(revision: string, address: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  try {
    await runChecker('conformance', ['server', '--url', address, '--suite', 'all', '--spec-version', revision, '--output-dir', folder]);
    const scenarios = readdirSync(folder).map((scenario) => {
      const checks = JSON.parse(readFileSync(join(folder, scenario, 'checks.json'), 'utf8')) as SuiteCheck[];
      return { name: scenario.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''), checks };
    });
    if (scenarios.length === 0) throw new Error(`the suite ran no scenario of ${revision}`);
    return row(revision, scenarios);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function row(revision: string, scenarios: readonly { readonly name: string; readonly checks: readonly SuiteCheck[] }[]) {
  const findings: string[] = [];
  const notApplicable = new Map<string, string[]>();
  const excused = new Set<string>();
  let passed = 0;
  for (const { name, checks } of scenarios) {
    for (const { id, status, errorMessage = '' } of checks) {
      if (status === 'SUCCESS') passed += 1;
      if (status !== 'FAILURE') continue;
      const finding = `${name}: ${id}: ${errorMessage}`;
      const reason = NOT_APPLICABLE.find(({ failure }) => failure.test(finding));
      if (reason === undefined) findings.push(finding);
      else {
        excused.add(name);
        notApplicable.set(reason.why, [...(notApplicable.get(reason.why) ?? []), name]);
      }
    }
  }
  const found = findingsRow(`MCP conformance ${revision}`, findings, `${passed} checks of ${scenarios.length} scenarios`);
  const excuses = [...notApplicable].map(([why, names]) => `not applicable: ${why}: ${[...new Set(names)].join(', ')}`);
  return { ...found, value: `${found.value} passed, ${excused.size} scenarios not applicable`, notes: [...findings, ...excuses] };
}

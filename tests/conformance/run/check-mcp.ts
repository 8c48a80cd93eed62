import { join } from 'node:path';
import { absentRow, type Checker, findingsRow } from './checker.ts';
import { CHECKERS_FOLDER, runChecker } from './run-checker.ts';

/** Scenarios of both versions of the protocol that a server without state answers. */
const SCENARIOS = {
  '2026-07-28': ['tools-list', 'resources-list', 'http-header-validation', 'dns-rebinding-protection', 'caching', 'server-stateless'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list'],
} as const;

/** The conformance suite of the Model Context Protocol. */
export const mcp: Checker = {
  name: 'mcp',
  modes: ['edge'],
  check: async ({ origin }) => {
    const address = `${origin}/mcp`;
    const { status } = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    if (status === 404 || status === 405) return [absentRow('MCP conformance', `${address} is not there`)];
    const rows = [];
    for (const [version, scenarios] of Object.entries(SCENARIOS)) {
      const failed = [];
      for (const scenario of scenarios) {
        const args = ['server', '--url', address, '--scenario', scenario, '--spec-version', version];
        const baseline = ['--expected-failures', join(CHECKERS_FOLDER, 'mcp-baseline.yml')];
        const { code, stdout, stderr } = await runChecker('conformance', [...args, ...baseline]);
        if (code !== 0) failed.push(`${scenario}: ${lastLines(stdout || stderr)}`);
      }
      rows.push(findingsRow(`MCP conformance ${version}`, failed, `${scenarios.length} scenarios`));
    }
    return rows;
  },
};

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-6).join(' | ');
}

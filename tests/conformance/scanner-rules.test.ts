import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { serveBuiltFiles } from '../support/built-files.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { ownPath } from '../support/links.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { CLOUDFLARE_RULES, CLOUDFLARE_UNMET } from './scanner-rules/cloudflare-rules.ts';
import { PAGE_RULES, PAGE_UNMET } from './scanner-rules/page-rules.ts';
import type { Visitor } from './scanner-rules/rule.ts';

const gateway = useSharedGateway({ files: 'built' });
const RULES = [...CLOUDFLARE_RULES, ...PAGE_RULES];

function isMatched(rules: readonly string[], path: string): boolean {
  return rules.some((rule) => (rule.endsWith('*') ? path.startsWith(rule.slice(0, -1)) : path === rule));
}

/** Asks functions for what `_routes.json` gives them, and the host for the rest, as Pages does. */
let visitor: Visitor;
beforeAll(async () => {
  const { include, exclude } = JSON.parse(await readFile(join(PUBLICATION, 'dist/_routes.json'), 'utf8')) as {
    readonly include: readonly string[];
    readonly exclude: readonly string[];
  };
  const files = await serveBuiltFiles();
  const isOfFunctions = (path: string): boolean => isMatched(include, path) && !isMatched(exclude, path);
  visitor = {
    ask: async (path, init = {}) => {
      const response = isOfFunctions(path.replace(/\?.*/, ''))
        ? await gateway.fetch(path, init)
        : await files(new Request(`${TEST_BASE_URL}${path}`, init));
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    pathOf: (address) => ownPath(address, TEST_BASE_URL),
  };
});

describe('rules of scanners that judge sites online', () => {
  test.each(RULES)('%s', async (_rule, check) => expect(await check(visitor)).toBe(true));

  test('no rule that is not met is checked as well', () => {
    const names = [...CLOUDFLARE_UNMET, ...PAGE_UNMET, ...RULES].map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORM_TOOLS } from '../../../src/site/form-fields-and-errors.ts';
import { ROOT } from '../../support/paths.ts';

const tools = Object.entries(FORM_TOOLS);

test('no form has the name of another tool: a browser would refuse the second one', () => {
  const scripted = [...readFileSync(join(ROOT, 'src/site/scripts/webmcp-tools.ts'), 'utf8').matchAll(/\btool\('([a-z_]+)'/g)].map(
    ([, name]) => name,
  );
  expect(scripted).toContain('search');
  const names = [...scripted, ...tools.map(([, { toolname }]) => toolname)];
  expect(new Set(names).size).toBe(names.length);
  for (const [, { toolname }] of tools) expect(toolname).toMatch(/^[a-z]+(_[a-z]+)+$/);
});

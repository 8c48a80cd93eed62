import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { THEME_PROPERTIES } from '../../../src/publication/check/check-look-and-theme.ts';
import { Look } from '../../../src/schemas/publisher.ts';
import { lookCss } from '../../../src/site/virtual-modules.ts';
import { ROOT } from '../../support/paths.ts';

const STYLES = join(ROOT, 'src/site/styles');
const sheets = readdirSync(STYLES).map((name) => readFileSync(join(STYLES, name), 'utf8'));
const properties = (css: string, pattern: RegExp): string[] => [...new Set([...css.matchAll(pattern)].map(([, name = '']) => name))].sort();
const defined = properties([readFileSync(join(STYLES, 'tokens.css'), 'utf8'), lookCss(Look.parse({}))].join('\n'), /^\s*(--[a-z0-9-]+):/gm);

describe('the custom properties of the theme', () => {
  it('are exactly those that docs/appearance.md promises to keep, and that the check of theme.css knows', () => {
    const page = readFileSync(join(ROOT, 'docs/appearance.md'), 'utf8').split('\n| Property |')[1]?.split('\n\n')[0] ?? '';
    const listed = page
      .split('\n')
      .flatMap((row) => properties(row.split('|')[1] ?? '', /`(--[a-z0-9-]+)`/g))
      .concat(['--space-2', '--space-3', '--space-4', '--space-5']);
    expect(listed.sort()).toEqual(defined);
    expect([...THEME_PROPERTIES.keys()].sort()).toEqual(defined);
  });

  it('are all that the style sheets of the engine use', () => {
    const local = properties(sheets.join('\n'), /^\s*(--[a-z0-9-]+):/gm);
    const used = properties(sheets.join('\n'), /var\((--[a-z0-9-]+)/g);
    expect(used.filter((name) => !defined.includes(name) && !local.includes(name))).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { Publisher, WrittenPublisher } from '../../../src/schemas/publisher.ts';
import { ROOT } from '../../support/paths.ts';

const text = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** Groups of settings whose members have a page of their own. */
const EXPLAINED: Readonly<Record<string, string>> = {
  look: 'appearance.md',
  footer: 'appearance.md',
  home: 'appearance.md',
  editorial: 'writing-capsules.md',
};

/** Rows of the tables of settings: name, and default. */
const rows = [...text('publisher-settings.md').matchAll(/^\| `([\w.]+)` \|.*\| ([^|\n]*) \|$/gm)].map(([, name = '', byDefault = '']) => ({
  name,
  byDefault,
}));

/** Names of the members of a setting; none if it has no members. */
function membersOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) inner = inner.unwrap();
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

test('the page about settings names every setting once, and nothing else', () => {
  const settings = Object.entries(Publisher.shape).flatMap(([name, schema]) => [
    name,
    ...(Object.hasOwn(EXPLAINED, name) ? [] : membersOf(schema).map((member) => `${name}.${member}`)),
  ]);
  expect(settings).toContain('commerce.acp');
  expect(rows.map(({ name }) => name).sort()).toEqual(settings.sort());
});

test('it says which settings are required', () => {
  const required = Object.entries(WrittenPublisher.shape).flatMap(([name, schema]) => (schema.safeParse(undefined).success ? [] : [name]));
  expect(rows.flatMap(({ name, byDefault }) => (byDefault === 'required' ? [name] : [])).sort()).toEqual(required.sort());
});

test.each(Object.entries(EXPLAINED))('every member of %s is named in docs/%s', (name, page) => {
  const members = membersOf(Publisher.shape[name as keyof typeof Publisher.shape]);
  expect(members.length).toBeGreaterThan(3);
  expect(members.filter((member) => !new RegExp(`\`${member}\`|\\b${member}:`).test(text(page)))).toEqual([]);
});

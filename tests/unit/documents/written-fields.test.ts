import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { WrittenOffer } from '../../../src/schemas/commerce/offers.ts';
import { CapsuleSource } from '../../../src/schemas/knowledge/capsule-fields.ts';
import { WrittenCapsule } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { Publisher, WrittenPage, WrittenPublisher } from '../../../src/schemas/publisher.ts';
import { ROOT } from '../../support/paths.ts';

const text = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** Groups of settings whose members have a page of their own. */
const EXPLAINED: Readonly<Record<string, string>> = {
  look: 'appearance.md',
  footer: 'appearance.md',
  home: 'appearance.md',
  editorial: 'writing-capsules.md',
};

const rows = [...text('publisher-settings.md').matchAll(/^\| `([\w.]+)` \|.*\| ([^|\n]*) \|$/gm)].map(([, name = '', byDefault = '']) => ({
  name,
  byDefault,
}));

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

/** What authors write, where it is explained, and what the rest of a file gives each example. */
const WRITTEN = [
  { name: 'a capsule', schema: WrittenCapsule, page: 'writing-capsules.md', rest: {} },
  { name: 'an offer', schema: WrittenOffer, page: 'selling.md', rest: { name: 'An offer' } },
  { name: 'a page', schema: WrittenPage, page: 'writing-capsules.md', rest: {} },
] as const;

const OF_COMMANDS = ['proposed', 'imported'];

/** The examples of front matter in a page that have only fields of a schema; those of other files begin with a comment that names them. */
function examplesIn(page: string, schema: z.ZodObject): Record<string, unknown>[] {
  const fences = [...text(page).matchAll(/^```yaml\n(?!# content\/)([\s\S]*?)^```/gm)].map(
    ([, yaml = '']) => parse(yaml) as Record<string, unknown>,
  );
  return fences.filter((example) => Object.keys(example).every((field) => Object.hasOwn(schema.shape, field)));
}

test.each(WRITTEN)('every field of $name is explained in docs/$page', ({ schema, page }) => {
  const fields = Object.keys(schema.shape);
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((field) => !text(page).includes(`\`${field}\``) && !text(page).includes(`\`${field}:`))).toEqual([]);
});

test.each(WRITTEN)('every field of $name has an example in docs/$page, which a file may have', ({ schema, page, rest }) => {
  const examples = examplesIn(page, schema);
  for (const example of examples) expect(schema.safeParse({ ...rest, ...example }).error?.issues).toBe(undefined);
  const shown = new Set(examples.flatMap((example) => Object.keys(example)));
  const known = [...OF_COMMANDS, ...(page === 'writing-capsules.md' && 'summary' in schema.shape ? ['description'] : [])];
  expect(Object.keys(schema.shape).filter((field) => !shown.has(field) && !known.includes(field))).toEqual([]);
});

test('every member of a source has an example, and every kind is named', () => {
  const sources = examplesIn('writing-capsules.md', WrittenCapsule).flatMap(({ sources: written }) => written ?? []) as object[];
  const page = text('writing-capsules.md');
  const { kind, ...members } = CapsuleSource.shape;
  for (const member of Object.keys(members))
    expect([member, sources.some((one) => Object.hasOwn(one, member)) || page.includes(`\`${member}: `)]).toEqual([member, true]);
  expect(kind.options.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatProblem } from '../../../src/publication/content-problem.ts';
import { type ReadOptions, readContent } from '../../../src/publication/read-content.ts';
import { ROOT } from '../../support/paths.ts';
import { capsule, EASY, type Files, offer, publisher, TODAY, writeWorld } from './content-world.ts';

type Fields = Readonly<Record<string, string | null>>;

interface World {
  readonly files?: Readonly<Record<string, string | null>>;
  readonly capsules?: Readonly<Record<string, Fields | null>>;
  readonly offers?: Readonly<Record<string, Fields | null>>;
  readonly publisher?: Fields;
  /** Ids of all offers. */
  readonly order?: readonly string[];
  /** Lines below those that publisher.yaml needs. */
  readonly added?: string;
}

interface Case extends World {
  readonly name?: string;
  readonly options?: Partial<ReadOptions>;
  /** A change of the file that the group names. */
  readonly from?: string;
  readonly to?: string;
  /** All that readers tell, and front matter of the first capsule. */
  readonly problems?: string | readonly string[];
  readonly warnings?: string | readonly string[];
  readonly fields?: object;
}

interface Group extends World {
  readonly what: string;
  readonly easy?: true;
  readonly edited?: string;
  readonly cases: readonly Case[];
}

const GROUPS = parse(readFileSync(join(ROOT, 'tests/data/content-messages.yaml'), 'utf8')) as readonly Group[];

const orAbsent = (fields: Fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? undefined]));
const below = (folder: string, texts: Readonly<Record<string, Fields | null>> = {}, write: typeof capsule): Files =>
  Object.fromEntries(Object.entries(texts).map(([id, fields]) => [`${folder}/${id}.md`, fields ? write(orAbsent(fields)) : undefined]));
const filesOf = ({ files = {}, capsules, offers, publisher: fields, order, added }: World): Files => ({
  ...orAbsent(files),
  ...below('capsules', capsules, capsule),
  ...below('offers', offers, offer),
  ...(fields && { 'publisher.yaml': publisher(orAbsent(fields), order) }),
  ...(added !== undefined && { 'publisher.yaml': `${EASY['publisher.yaml']}${added}\n` }),
});

describe.each(GROUPS)('$what', ({ easy, edited = '', cases, ...world }) => {
  test.each(cases.map((one) => ({ ...one, name: one.name ?? JSON.stringify(one) })))('$name', async (one) => {
    const files: Files = { ...(easy && EASY), ...filesOf(world), ...filesOf(one) };
    const text = files[edited];
    if (one.from !== undefined) expect(text).toContain(one.from);
    const changed = typeof text === 'string' ? { [edited]: text.replace(one.from ?? '', one.to ?? '') } : {};
    const outcome = await readContent(await writeWorld({ ...files, ...changed }), { today: TODAY, ...one.options });
    const lines = (list: typeof outcome.problems): string[] => list.map((problem) => formatProblem(problem).replace(/^content\//, ''));
    expect(lines(outcome.problems)).toEqual([one.problems ?? []].flat());
    expect(outcome.content === undefined).toBe(one.problems !== undefined);
    if (easy || one.warnings) expect(lines(outcome.warnings)).toEqual([one.warnings ?? []].flat());
    if (one.fields) expect(outcome.content?.capsules[0]?.frontMatter).toMatchObject(one.fields);
  });
});

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { answerVectors } from './answer-vectors.ts';
import { bundleVectors } from './bundle-vectors.ts';
import { capsuleVectors } from './capsule-vectors.ts';
import { editedLineageVectors } from './edited-lineage-vectors.ts';
import { formVectors } from './form-vectors.ts';
import { idVectors } from './id-vectors.ts';
import { jsonVectors } from './json-vectors.ts';
import { knownVectors } from './known-vectors.ts';
import { lineageVectors } from './lineage-vectors.ts';
import { manifestVectors } from './manifest-vectors.ts';
import { signatureVectors } from './signature-vectors.ts';
import { timeVectors } from './time-vectors.ts';
import { tombstoneVectors } from './tombstone-vectors.ts';
import { trustVectors } from './trust-vectors.ts';
import type { Vector } from './vector.ts';

const FOLDER = join(ROOT, 'tests/conformance/vectors');

/** All vectors, made anew; the same each time. */
export async function makeVectors(): Promise<Vector[]> {
  const made = [
    lineageVectors,
    editedLineageVectors,
    signatureVectors,
    trustVectors,
    knownVectors,
    tombstoneVectors,
    jsonVectors,
    idVectors,
    formVectors,
    timeVectors,
    capsuleVectors,
    answerVectors,
    manifestVectors,
    bundleVectors,
  ].map((make) => make());
  return (await Promise.all(made)).flat();
}

/** Longest line of a list in a file of vectors, as the formatter has it. */
const LINE_WIDTH = 140;

function memberOf(name: string, value: unknown, indent: string): string {
  const start = `${indent}${JSON.stringify(name)}: `;
  if (typeof value !== 'object' || value === null) return start + JSON.stringify(value);
  if (!Array.isArray(value)) return start + membersOf(value, indent);
  const items = value.map((item) => JSON.stringify(item));
  const line = `${start}[${items.join(', ')}]`;
  return line.length < LINE_WIDTH ? line : `${start}[\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}]`;
}

function membersOf(value: object, indent: string): string {
  const members = Object.entries(value).map(([name, item]) => memberOf(name, item, `${indent}  `));
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}

/** A vector as its file holds it. */
export const fileOf = (vector: Vector): string => `${membersOf(vector, '')}\n`;

/** All files of vectors, by the names of their vectors. */
export async function readVectorFiles(): Promise<Map<string, string>> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort();
  const files = names.map(async (name) => [name.slice(0, -'.json'.length), await readFile(join(FOLDER, name), 'utf8')] as const);
  return new Map(await Promise.all(files));
}

/** Writes all vectors anew and removes those that are no more. */
export async function writeVectors(): Promise<void> {
  const vectors = await makeVectors();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const vector of vectors) await writeFile(join(FOLDER, `${vector.name}.json`), fileOf(vector));
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { answerVectors } from './answer-vectors.ts';
import { bundleVectors } from './bundle-vectors.ts';
import { capsuleVectors } from './capsule-vectors.ts';
import { editedLineageVectors } from './edited-lineage-vectors.ts';
import { formVectors, idVectors, jsonVectors, timeVectors } from './form-vectors.ts';
import { knownVectors, lineageVectors, tombstoneVectors } from './lineage-vectors.ts';
import { manifestVectors } from './manifest-vectors.ts';
import { signatureVectors, trustVectors } from './signature-vectors.ts';
import type { Vector } from './vector.ts';

/** Files of vectors by their subject, each a list. */
export const VECTORS_FOLDER = join(ROOT, 'tests/conformance/vectors');

const MAKERS: Readonly<Record<string, () => Vector[] | Promise<Vector[]>>> = {
  lineages: lineageVectors,
  'edited-lineages': editedLineageVectors,
  signatures: signatureVectors,
  trust: trustVectors,
  'known-copies': knownVectors,
  tombstones: tombstoneVectors,
  json: jsonVectors,
  ids: idVectors,
  forms: formVectors,
  times: timeVectors,
  capsules: capsuleVectors,
  answers: answerVectors,
  manifests: manifestVectors,
  bundles: bundleVectors,
};

export async function makeVectors(): Promise<Map<string, Vector[]>> {
  const made = Object.entries(MAKERS).map(async ([subject, make]) => [subject, await make()] as const);
  return new Map(await Promise.all(made));
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

export const fileOf = (vectors: readonly Vector[]): string =>
  `[\n${vectors.map((vector) => `  ${membersOf(vector, '  ')}`).join(',\n')}\n]\n`;

export async function readVectorFiles(): Promise<Map<string, string>> {
  const names = (await readdir(VECTORS_FOLDER)).sort();
  const files = names.map(async (name) => [name.replace('.json', ''), await readFile(join(VECTORS_FOLDER, name), 'utf8')] as const);
  return new Map(await Promise.all(files));
}

export async function readVectors(): Promise<Vector[]> {
  const vectors = [...(await readVectorFiles()).values()].flatMap((text) => JSON.parse(text) as Vector[]);
  return vectors.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function writeVectors(): Promise<void> {
  const made = await makeVectors();
  await rm(VECTORS_FOLDER, { recursive: true, force: true });
  await mkdir(VECTORS_FOLDER, { recursive: true });
  for (const [subject, vectors] of made) await writeFile(join(VECTORS_FOLDER, `${subject}.json`), fileOf(vectors));
}

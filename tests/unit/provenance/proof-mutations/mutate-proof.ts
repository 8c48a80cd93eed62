import * as fc from 'fast-check';
import type { Vector } from '../../../support/proof-vectors/proof-vectors.ts';
import { mutateJson, writeTokens } from './mutate-json.ts';

export type Given = Omit<Vector, 'name' | 'about' | 'expect'>;

/** One change of one text of a proof; numbers choose among what there is, whatever their size. */
interface Edit {
  readonly target: number;
  readonly isText: boolean;
  readonly place: number;
  readonly choice: number;
  readonly seed: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({ target: fc.nat(), isText: fc.boolean(), place: fc.nat(), choice: fc.nat(), seed: fc.nat() });

export const edits: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(edit) },
  { weight: 1, arbitrary: fc.array(edit, { minLength: 2, maxLength: 4 }) },
);

/** Letters that mean something in JSON, in timestamps, in digests or in base64url. */
const LETTERS = '"\\{}[]:, \n\t0123456789eE+-._/AaZTzft=\0\u00a0é\ud83d\ufeff';

function editText(text: string, { place, choice, seed }: Edit): string {
  const at = place % (text.length + 1);
  const letter = choice % 4 === 0 ? '' : (LETTERS[seed % LETTERS.length] ?? '');
  return text.slice(0, at) + letter + text.slice(at + ((choice >> 2) % 3));
}

function editSource(text: string, one: Edit): string {
  if (one.isText && one.choice % 3 === 0) return editText(text, one);
  const lines = text.split(/(?<=\n)(?=.)/s);
  const at = one.target % lines.length;
  try {
    const edited = writeTokens(mutateJson(JSON.parse(lines[at] ?? ''), one.place, one.choice, one.seed));
    return lines.with(at, edited + (lines[at]?.endsWith('\n') ? '\n' : '')).join('');
  } catch {
    return editText(text, one);
  }
}

function editOne(proof: Given, one: Edit): Given {
  const { lineages = {}, texts = {}, parts = [] } = proof;
  const targets: (() => Given)[] = [
    () => ({ ...proof, document: editSource(proof.document, one) }),
    () => ({ ...proof, document: editSource(proof.document, one) }),
    ...(['known', 'trust', 'id', 'now'] as const).flatMap((name) => {
      const text = proof[name];
      if (text === undefined) return [];
      const isShort = name === 'id' || name === 'now';
      return isShort && one.seed % 4 > 0 ? [] : [() => ({ ...proof, [name]: isShort ? editText(text, one) : editSource(text, one) })];
    }),
    ...Object.entries(lineages).map(([id, text]) => () => ({ ...proof, lineages: { ...lineages, [id]: editSource(text, one) } })),
    ...Object.entries(texts).map(([address, text]) => () => ({ ...proof, texts: { ...texts, [address]: editText(text, one) } })),
    ...parts.map((part, at) => () => ({ ...proof, parts: parts.with(at, editSource(part, one)) })),
  ];
  return targets[one.target % targets.length]?.() ?? proof;
}

export const mutateProof = (proof: Given, changes: readonly Edit[]): Given => changes.reduce(editOne, proof);

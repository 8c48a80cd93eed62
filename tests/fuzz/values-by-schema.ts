import * as fc from 'fast-check';
import { below, type Random, seedOf } from '../eval/random.ts';
import { chance, oneOf } from './choose.ts';
import type { JsonSchema } from './described-api.ts';
import { type JsonTree, raw, textTree, treeOf } from './json-tree.ts';
import type { RememberedValues } from './remembered-values.ts';

const WORDS: readonly string[] = (
  'how long may a cached answer be reused without asking idempotency key retry after rate limit header agent payment x402 checkout price ' +
  'offer capsule lineage digest signature canonical json markdown problem details cursor page bm25 ranking index edge worker'
).split(' ');

/** Makes values that a schema allows; members that earlier answers have named are used again. */
export function valueFor(
  schema: JsonSchema,
  name: string,
  random: Random,
  resolve: (schema: JsonSchema) => JsonSchema,
  remembered: RememberedValues,
): JsonTree {
  const made = (inner: unknown, innerName = name): JsonTree => valueFor(inner as JsonSchema, innerName, random, resolve, remembered);
  const rule = resolve(schema);
  const variants = (rule['anyOf'] ?? rule['oneOf']) as JsonSchema[] | undefined;
  if (variants) return made(oneOf(random, variants));
  if (rule['const'] !== undefined) return treeOf(rule['const']);
  if (Array.isArray(rule['enum'])) return treeOf(oneOf(random, rule['enum'] as unknown[]));
  const known = chance(random, 0.6) ? remembered.take(name, random) : undefined;
  if (known !== undefined && rule['type'] === 'string') return textTree(known);
  switch (rule['type']) {
    case 'object': {
      const required = new Set((rule['required'] ?? []) as string[]);
      const members = Object.entries((rule['properties'] ?? {}) as Record<string, JsonSchema>);
      const share = oneOf(random, [0, 0.2, 0.5]);
      return {
        kind: 'object',
        members: members
          .filter(([member]) => required.has(member) || chance(random, share))
          .map(([member, inner]) => [member, made(inner, member)]),
      };
    }
    case 'array': {
      const least = Number(rule['minItems'] ?? 0);
      const most = Math.min(Number(rule['maxItems'] ?? 4), least + 4);
      const length = chance(random, 0.05) ? Number(rule['maxItems'] ?? most) : least + below(random, most - least + 1);
      return { kind: 'array', items: Array.from({ length }, () => made(rule['items'] ?? {}, name.replace(/s$/, ''))) };
    }
    case 'integer':
    case 'number':
      return raw(String(numberFor(rule, random)));
    case 'boolean':
      return raw(chance(random, 0.5) ? 'true' : 'false');
    case 'null':
      return raw('null');
    default:
      return textTree(textFor(rule, random));
  }
}

function numberFor(rule: JsonSchema, random: Random): number {
  const least = Number(rule['minimum'] ?? 0);
  const most = Number(rule['maximum'] ?? 1_000);
  return oneOf(random, [least, least + 1, most, Math.min(most, least + below(random, 100)), Math.min(most, 50)]);
}

/** A text that a schema allows: of its pattern, of its format, or words and odd characters of a length within its bounds. */
function textFor(rule: JsonSchema, random: Random): string {
  if (typeof rule['pattern'] === 'string') return oneOf(random, matchesOf(rule['pattern'], Number(rule['maxLength'] ?? 256)));
  if (rule['format'] === 'date') return oneOf(random, ['2026-11-21', '1970-01-01', '9999-12-31', '2024-02-29', '2026-01-01']);
  if (rule['format'] === 'date-time') return '2026-11-21T00:00:00Z';
  const least = Number(rule['minLength'] ?? 0);
  const most = Number(rule['maxLength'] ?? 200);
  if (chance(random, 0.05)) return 'x'.repeat(oneOf(random, [least, most]));
  const words = Array.from({ length: 1 + below(random, 8) }, () => oneOf(random, WORDS)).join(' ');
  const odd = chance(random, 0.2) ? oneOf(random, ['\u00e9', 'e\u0301', '\ud83d\ude00', '\u05d0', '\u4e2d', 'A_b-C.d', '"', '\\']) : '';
  return `${odd}${words}`.slice(0, Math.max(least, most)).padEnd(least, 'x');
}

const known = new Map<string, readonly string[]>();

/** Texts that a pattern matches, the same in every run. */
function matchesOf(pattern: string, maxLength: number): readonly string[] {
  const name = `${maxLength} ${pattern}`;
  const texts =
    known.get(name) ??
    fc.sample(
      fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength),
      { numRuns: 40, seed: seedOf(pattern) },
    );
  known.set(name, texts);
  return texts;
}

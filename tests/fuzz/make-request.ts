import * as fc from 'fast-check';
import { below, chance, oneOf, type Random, seedOf, weighted } from '../eval/random.ts';
import { HOSTILE_NAMES } from '../support/hostile-paths.ts';
import { words } from '../support/words.ts';
import type { DescribedApi, DescribedOperation, JsonSchema } from './described-api.ts';
import { hostileText, longText } from './hostile-values.ts';
import { type JsonTree, mutateTree, raw, textTree, treeOf, writeJson } from './json-tree.ts';
import { makeHeaders } from './make-headers.ts';
import type { PlainRequest } from './plain-request.ts';
import type { RememberedValues } from './remembered-values.ts';

const WORDS: readonly string[] = (
  'how long may a cached answer be reused without asking idempotency key retry after rate limit header agent payment x402 checkout price ' +
  'offer capsule lineage digest signature canonical json markdown problem details cursor page bm25 ranking index edge worker'
).split(' ');

function valueFor(
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

export interface RequestSource {
  readonly api: DescribedApi;
  readonly random: Random;
  readonly remembered: RememberedValues;
  readonly nowMs: number;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND', 'PURGE', 'get', 'Foo'];

/** Paths at which nothing answers, or something that one would not expect. */
const PATHS: readonly string[] = [
  ...words`
    / /api /api/ /api/v1 /api/v2/agent-gateway/query /api/v1/agent-gateway/capsule/ /api/v1/agent-gateway/keys
    /api//v1//agent-gateway//query /API/V1/AGENT-GATEWAY/QUERY /api/%2e%2e/api/v1/x /api/..%2f..%2fetc/passwd
    /api/v1/agent-gateway/%71uery /api/v1/agent-gateway/query%2f /api/v1/agent-gateway/query%00
    /api/v1/agent-gateway/query;jsessionid=1 /api/* /api/:capsule_id /api/__proto__ /api/%zz /api/%c0%ae%c0%ae /api/%F0%9F%98%80
    /buy /buy/ /buy/%2e%2e%2f /.well-known/ /.well-known/x402/ /openapi.json/ /_routes.json /.dev.vars /.akg/generated.js
  `,
];

const FOLDERS: readonly string[] = ['/api/', '/buy/', '/checkout/', '/checkout/a/', '/orders/', '/orders/a/b/'];

export function makeRequest(source: RequestSource): PlainRequest {
  const { random, api } = source;
  if (chance(random, 0.04)) return strayRequest(source);
  const operation = weighted(
    random,
    api.operations.map((each) => [each.parameters.length > 0 || each.body ? 8 : 2, () => each]),
  );
  const faulty = chance(random, 0.6);
  const method =
    faulty && chance(random, 0.12)
      ? oneOf(random, METHODS)
      : operation.method === 'GET' && chance(random, 0.12)
        ? 'HEAD'
        : operation.method;
  const body = bodyFor(operation, method, source, faulty);
  return {
    method,
    target: targetFor(operation, source, faulty),
    headers: makeHeaders(operation, source, faulty, body),
    ...(body === undefined ? {} : { body }),
    ...(body !== undefined && chance(random, 0.1) ? { pieces: oneOf(random, [[1], [7, 1, 4_096], [16_384], [100, 65_536]]) } : {}),
  };
}

function strayRequest({ random }: RequestSource): PlainRequest {
  const path = weighted(random, [
    [2, () => oneOf(random, PATHS)],
    [1, () => `/api/${encode(hostileText(random), random)}`],
    [1, () => oneOf(random, FOLDERS) + oneOf(random, HOSTILE_NAMES)],
  ]);
  return { method: oneOf(random, METHODS), target: plainTarget(path), headers: [] };
}

function targetFor(operation: DescribedOperation, source: RequestSource, faulty: boolean): string {
  const { random } = source;
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const schema = operation.parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    if (faulty && chance(random, 0.02)) return source.remembered.take('api_key', random) ?? 'x';
    if (faulty && chance(random, 0.1)) return oneOf(random, HOSTILE_NAMES);
    if (faulty && chance(random, 0.3)) return encode(hostileText(random), random) || 'x';
    if (name === 'offer')
      return encode(oneOf(random, ['evidence-review', 'page-review', 'evidence-review:1', 'evidence-review:2', 'none', 'invoice']), random);
    return encodeURIComponent(parameterText(name, schema, source)) || 'x';
  });
  const parameters = operation.parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || chance(random, 0.35)))
    .map(({ name, schema }): [string, string] => [
      name,
      faulty && chance(random, 0.3) ? hostileText(random) : parameterText(name, schema, source),
    ]);
  if (faulty && chance(random, 0.1)) parameters.push(['unknown', hostileText(random)]);
  if (faulty && chance(random, 0.05)) parameters.push(...parameters.slice(0, 1));
  if (faulty && chance(random, 0.03))
    parameters.push([oneOf(random, ['api_key', 'token', 'KEY', 'x']), source.remembered.take('api_key', random) ?? 'akg_test_x']);
  if (faulty && chance(random, 0.02)) parameters.push(['x', longText(random, [1_900, 2_040, 2_100, 9_000])]);
  const query = parameters.map(([name, value]) => `${encode(name, random)}=${encode(value, random)}`).join('&');
  const changed = faulty && chance(random, 0.1) ? trickyPath(path, random) : path;
  return plainTarget(query === '' ? changed : `${changed}?${query}`);
}

/** Escapes what cannot stand in a request line or would end the path. */
function plainTarget(target: string): string {
  const rooted = target.startsWith('/') ? target : `/${target}`;
  if (/^[\x21\x22\x24-\x7e]*$/.test(rooted)) return rooted;
  return Array.from(rooted.replace(/#/g, '%23'), (character) =>
    /[\x21-\x7e]/.test(character) ? character : encodeURIComponent(wellFormed(character)),
  ).join('');
}

function trickyPath(path: string, random: Random): string {
  return weighted(random, [
    [2, () => `${path}/`],
    [1, () => `${path}.`],
    [1, () => `/${path}`],
    [1, () => path.replace(/\/(?=[^/]*$)/, '//')],
    [1, () => path.replace(/\/(?=[^/]*$)/, oneOf(random, ['%2f', '%2F', '%5c', '\\', '/./', '/x/../', '/%2e/', '/%2e%2e/']))],
    [1, () => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    [1, () => path.replace(/[a-z](?=[^/]*$)/, (letter) => letter.toUpperCase())],
    [1, () => `${path};x=1`],
    [1, () => `${path}${oneOf(random, ['%00', '%0a', '%20', '%ff', '%', '%zz', '.json', '~'])}`],
  ]);
}

function parameterText(name: string, schema: JsonSchema, { random, api, remembered }: RequestSource): string {
  const tree = valueFor(schema, name, random, api.resolve, remembered);
  const text = writeJson(tree);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** Percent-encoding as it should be, or as it should not. */
function encode(text: string, random: Random): string {
  const plain = encodeURIComponent(wellFormed(text));
  return chance(random, 0.9)
    ? plain
    : weighted(random, [
        [1, () => plain.replaceAll('%', '%25')],
        [1, () => plain.replaceAll('%20', '+')],
        [1, () => text],
        [1, () => plain.toLowerCase()],
      ]);
}

/** The text with U+FFFD for each half of a surrogate pair, which no address can hold. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function bodyFor(operation: DescribedOperation, method: string, source: RequestSource, faulty: boolean): Uint8Array | undefined {
  const { random, api, remembered } = source;
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (operation.body === undefined) return chance(random, 0.3) ? new TextEncoder().encode(hostileText(random)) : undefined;
  if (faulty && chance(random, 0.04)) return undefined;
  const good = chance(random, 0.3) ? (remembered.takeBody(operation.id, random) ?? operation.example) : undefined;
  let tree: JsonTree = good === undefined ? valueFor(operation.body, 'body', random, api.resolve, remembered) : treeOf(good);
  const mutations = faulty ? below(random, 4) : 0;
  for (let turn = 0; turn < mutations; turn += 1) tree = mutateTree(tree, random);
  const text = writeJson(tree);
  const bytes = new TextEncoder().encode(text);
  if (!faulty || chance(random, 0.88)) return bytes;
  return weighted<Uint8Array>(random, [
    [1, () => bytes.slice(0, below(random, bytes.length + 1))],
    [1, () => new TextEncoder().encode(`\ufeff${text}`)],
    [1, () => new TextEncoder().encode(`${text}${oneOf(random, [' ', '\u0000', ',', '{}', '//x', '\n'])}`)],
    [1, () => Uint8Array.from([...bytes.slice(0, -2), 0xc0, 0xaf, 0xed, 0xa0, 0x80, ...bytes.slice(-2)])],
    [1, () => Uint8Array.from(text.slice(0, 500), (character) => character.charCodeAt(0)).slice()],
    [
      1,
      () =>
        new TextEncoder().encode(
          text +
            ' '.repeat(
              oneOf(
                random,
                [16_384 - text.length, 16_385 - text.length, 70_000, 140_000].filter((count) => count > 0),
              ),
            ),
        ),
    ],
    [1, () => Uint8Array.from({ length: below(random, 200) }, () => below(random, 256))],
    [
      1,
      () =>
        new TextEncoder().encode(
          oneOf(random, ['null', '[]', '1', '"x"', 'true', '', ' ', '{', '{"a":', '<xml/>', 'query=x&max_results=1']),
        ),
    ],
  ]);
}

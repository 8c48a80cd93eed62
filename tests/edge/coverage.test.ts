import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/gateway/errors.ts';
import { errorsOf, type Route } from '../../src/http/define-route.ts';
import { statusOf } from '../support/expect-problem.ts';
import { ROUTE_LISTS, refusing, WHOLE_TABLE as TABLE } from '../support/function-routes.ts';
import { words } from '../support/words.ts';

/**
 * Every answer and every error that a route lists has a block of tests that bears its name:
 * `describe('<operationId> <status> <code>')` for an error, `describe('<operationId> <status> <media type>')` for an answer,
 * without a type for a redirect, `describe.each(FUNCTION_ROUTES)('$id <status> <code>')` for all routes of a list at once, or
 * `describe.each(refusing('<code>', '<operationId>'))` for all routes with that error but the named ones. A block without a test fails
 * by itself. One test alone has the name before its own: `test('<operationId> <status> <code>: …')`.
 */
const BLOCK = /^describe(?:\.each\(([A-Z_]+)\))?\((['"`])(.+?)\2/gm;
const ALONE = /^(?:test\b.*|[\]}].*)\(\s*(['"`])(\w+ \d{3}(?: [^\s:]+)?): /gm;
const REFUSING = /^describe\.each\(\s*refusing\(\s*'(\w+)'((?:,\s*'\w+')*),?\s*\),?\s*\)\(/gm;

function neededBlocks(route: Route): string[] {
  const answers = route.responses.map(({ status, content }) =>
    content ? `${route.id} ${status} ${content.type}` : `${route.id} ${status}`,
  );
  const errors = route.servedBy === 'function' ? errorsOf(route).map((code) => errorBlock(route, code)) : [];
  return [...answers, ...errors];
}

const errorBlock = (route: Route, code: ErrorCode): string => `${route.id} ${statusOf(route, code)} ${code}`;

function blocksIn(text: string): string[] {
  const ofErrors = [...text.matchAll(REFUSING)].flatMap(([, code, except = '']) => {
    const routes = refusing(code as ErrorCode, ...[...except.matchAll(/\w+/g)].map(([id]) => id));
    return routes.map(({ route }) => errorBlock(route, code as ErrorCode));
  });
  const named = [...text.matchAll(BLOCK)].flatMap(([, list, , name = '']) =>
    list === undefined ? [name] : (ROUTE_LISTS[list] ?? []).map(({ id }) => name.replace('$id', id)),
  );
  return [...ofErrors, ...named, ...[...text.matchAll(ALONE)].map(([, , name = '']) => name)];
}

async function readTests(): Promise<[path: string, text: string][]> {
  const entries = await readdir(import.meta.dirname, { recursive: true });
  const paths = entries.filter((path) => path.endsWith('.test.ts') && path !== 'coverage.test.ts').sort();
  return Promise.all(paths.map(async (path): Promise<[string, string]> => [path, await readFile(join(import.meta.dirname, path), 'utf8')]));
}

const tests = await readTests();
const present = new Set(tests.flatMap(([, text]) => blocksIn(text)));

test.each(TABLE.map((route) => ({ id: route.id, route })))('$id has a test for each of its answers and errors', ({ route }) => {
  expect(neededBlocks(route).filter((name) => !present.has(name))).toEqual([]);
});

test('every block that is named for an operation names an answer or an error that the operation has', () => {
  const needed = new Set(TABLE.flatMap(neededBlocks));
  const ofProtocol = /^\w+ 405 method_not_allowed$/;
  expect([...present].filter((name) => /^\w+ \d{3}\b/.test(name) && !needed.has(name) && !ofProtocol.test(name))).toEqual([]);
});

test('every code of the table is an error of an operation or of the protocol, so that it is tested', () => {
  const answered = new Set<string>(TABLE.filter(({ servedBy }) => servedBy === 'function').flatMap(errorsOf));
  expect(Object.keys(ERRORS).filter((code) => !answered.has(code))).toEqual([
    'route_not_found',
    // Only where a text was taken down; tests/edge/former-capsules and tests/unit/http have such deployments.
    'capsule_taken_down',
    'capsule_blocked',
    'method_not_allowed',
  ]);
});

test('a missing block is seen', () => {
  const [route] = TABLE;
  if (route === undefined) throw new Error('the table is empty');
  expect(neededBlocks({ ...route, errors: [...route.errors, 'corpus_superseded'] }).filter((name) => !present.has(name))).toEqual([
    `${route.id} 409 corpus_superseded`,
  ]);
  expect(blocksIn("// describe('x 200')\n  describe('y 200', () => {});\ndescribe('z 200 a/b', () => {});")).toEqual(['z 200 a/b']);
});

test('no test is left out unless REQUIRE_ALL forbids it, and none is run alone', () => {
  for (const [path, text] of tests) {
    const left = text.includes('commercePackage(') ? text.replaceAll('describe.skipIf(!isInstalled)', 'describe') : text;
    expect([path, /\b(test|it|describe)\.(only|skip|todo|skipIf|runIf|fails)\b/.exec(left)?.[0]]).toEqual([path, undefined]);
  }
});

test('every folder is named for an operation, or for what it holds of many', () => {
  const folders = new Set(tests.map(([path]) => path.split('/')[0]));
  const known = new Set<string | undefined>([
    ...TABLE.map(({ id }) => id),
    ...words`every-route dashboard documents former-capsules capsule-files client`,
  ]);
  expect([...folders].filter((folder) => !known.has(folder))).toEqual([]);
});

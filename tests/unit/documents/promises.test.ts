import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { promisesDocument, promisesOf } from '../../../src/documents/promises.ts';
import { ERRORS } from '../../../src/gateway/errors.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PROMISE_SUBJECTS, Promises } from '../../../src/schemas/promises.ts';
import { ROOT } from '../../support/paths.ts';

const promises = promisesOf('edge');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** The constants behind the numbers. */
const BOUNDS: Readonly<Record<string, number>> = {
  'exact-quotes': LIMITS.quoteMaxLength,
  'token-budget': LIMITS.tokenBudgetMax,
  'fresh-keys': 0,
  'revoked-keys': LIMITS.revocationMaxSeconds,
  'honest-limits': RATE_LIMITS.query.requests,
  'one-effect': LIMITS.idempotencyHours,
  'one-error-shape': Object.keys(ERRORS).length,
};

describe.each(promises)('the promise $id', ({ promise, subject, bound, command, tests, id }) => {
  it('has a command that there is, with files that there are', () => {
    const [program, verb, ...rest] = command.split(' ');
    expect(program).toBe('npm');
    const script = verb === 'run' ? rest.shift() : verb;
    expect(Object.keys(scripts)).toContain(script);
    for (const argument of rest) if (argument !== '--') expect(existsSync(join(ROOT, argument)), argument).toBe(true);
  });

  it('has tests that there are, under the names that it tells', () => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, name } of tests) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      // A name in the source may hold the name of its operation, and is told without it.
      expect(readFileSync(join(ROOT, file), 'utf8'), file).toContain(name);
    }
  });

  it('is one sentence about a known subject, with the number of the constant', () => {
    expect(PROMISE_SUBJECTS).toContain(subject);
    expect(promise).toMatch(/^[A-Z].*\.$/);
    expect(bound?.value).toBe(BOUNDS[id]);
    if (bound !== undefined && bound.value > 0) expect(promise).toContain(bound.value.toLocaleString('en-US'));
  });
});

describe('the promises', () => {
  it('have names of their own, and none has a number that is not held to a constant', () => {
    expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length);
    expect(promises.filter(({ bound }) => bound !== undefined).map(({ id }) => id)).toEqual(Object.keys(BOUNDS));
  });

  it('leave out what a site of files alone cannot keep', () => {
    const ofFiles = promisesDocument({ mode: 'static', baseUrl: 'https://knowledge.example' });
    expect(Promises.parse(ofFiles)).toEqual(ofFiles);
    expect(ofFiles.page).toBe('https://knowledge.example/promises');
    expect(ofFiles.promises.every(({ applies_to: kind }) => kind !== 'edge')).toBe(true);
    expect(ofFiles.promises.length).toBeGreaterThan(5);
    expect(ofFiles.promises.length).toBeLessThan(promises.length);
  });
});

it('every error of an outage says when to come back', () => {
  const outages = Object.entries(ERRORS).filter(([, { status }]) => status === 503);
  expect(outages.length).toBeGreaterThan(2);
  for (const [code, entry] of outages) expect('retryAfterSeconds' in entry && entry.retryAfterSeconds > 0, code).toBe(true);
});

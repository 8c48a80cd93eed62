import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalog, offersSchema } from '../../../src/documents/capabilities-and-catalog.ts';
import { catalogSchema } from '../../../src/schemas/commerce/offers.ts';
import { realPublication, smallPublication } from './publication-fixture.ts';

const publication = await smallPublication('edge');
const real = await realPublication('edge');
const { baseUrl, checkoutHost } = publication.deployment;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats(ajv);
const published = ajv.compile(offersSchema(publication));
const defined = catalogSchema(publication.deployment);
const valid = JSON.parse(JSON.stringify(catalog(publication))) as Record<string, unknown>;
const verdicts = (value: unknown): [boolean, boolean] => [published(value), defined.safeParse(value).success];

const oddUri = fc.oneof(
  fc.constantFrom(
    ...['/x', '/', '', '/x y', '/é', '/x\n', '/%zz', '/[x]', '/x#a#b', `/${'a'.repeat(2_100)}`].map((path) => `${baseUrl}/buy${path}`),
    ...['/invoice', '/invoice?for=x', '/buy/invoice', '/contact#form', '/contacts', '/other'].map((path) => baseUrl + path),
    ...[`${baseUrl}buy/x`, `${baseUrl}.evil.example/buy/x`, `${baseUrl.replace('.', 'x')}/buy/x`],
    ...[`${checkoutHost}/a`, checkoutHost, `${checkoutHost}/`, `${checkoutHost}.evil/a`, 'http://a', 'https://a:99999/x'],
    ...['https://a:123456/x', 'HTTPS://a/x', 'ftp://a/x', 'javascript:alert(1)', '//a/x', '/buy/x', ''],
  ),
  fc.webUrl(),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ maxLength: 20 }).map((tail) => `${baseUrl}/buy/${tail}`),
  fc.string({ maxLength: 20 }).map((tail) => `${checkoutHost}/${tail}`),
);
const oddTime = fc.oneof(
  fc.constantFrom(
    ...'2026-11-21T00:00:00Z 2026-11-21T00:00:00.123Z 2026-11-21T00:00Z 2026-11-21 2026-02-29T00:00:00Z 2024-02-29T00:00:00Z'.split(' '),
    ...'1900-02-29T00:00:00Z 2000-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-11-31T00:00:00Z 2026-11-21T24:00:00Z'.split(' '),
    ...'2026-11-21T23:59:60Z 2016-12-31T23:59:60Z 2026-11-21t00:00:00z 2026-11-21T00:00:00+00:00 2026-11-21T00:00:00'.split(' '),
    ...['2026-11-21 00:00:00Z', '2026-11-21T00:00:00.Z', ' 2026-11-21T00:00:00Z', '2026-11-21T00:00:00Z\n', '0000-01-01T00:00:00Z'],
    '+12026-11-21T00:00:00Z',
  ),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, -0.01, 0.1, 1e308, 5e-324, '1', null, true),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const oddValue = fc.oneof(
  oddUri,
  oddTime,
  oddNumber,
  fc.constantFrom('USD', 'EUR', 'commerce', 'Commerce', `${baseUrl}/offers.schema.json`),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Paths of every member and item, the root left out. */
function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...pathsIn(child, here)];
  });
}
const paths = pathsIn(valid);

/** Members that the top level or an offer may have, and some that they may not. */
const memberName = fc.oneof(
  fc.constantFrom(
    ...new Set(paths.map((path) => String(path.at(-1)))),
    'preferred_url',
    'extra',
    '$comment',
    'constructor',
    'toString',
    'Offers',
  ),
  fc.string({ maxLength: 6 }).filter((name) => name !== '__proto__'),
);
type Mutation =
  | { kind: 'set'; path: (string | number)[]; value: unknown }
  | { kind: 'remove'; path: (string | number)[] }
  | { kind: 'add'; path: (string | number)[]; name: string; value: unknown };
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), path: fc.constantFrom(...paths), value: oddValue }),
  fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom(...paths) }),
  fc.record({ kind: fc.constant('add' as const), path: fc.constantFrom([], ...paths), name: memberName, value: oddValue }),
);

function apply(base: unknown, change: Mutation): unknown {
  const copy = structuredClone(base);
  const steps = change.kind === 'add' ? change.path : change.path.slice(0, -1);
  const parent = steps.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    copy,
  );
  if (typeof parent !== 'object' || parent === null) return copy;
  const last = change.kind === 'add' ? change.name : (change.path.at(-1) as string);
  // An array has items alone: of a name, its length would be one.
  if (change.kind === 'add' && Array.isArray(parent)) parent.push(change.value);
  else if (change.kind !== 'remove') (parent as Record<string, unknown>)[last] = change.value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<string, unknown>)[last];
  return JSON.parse(JSON.stringify(copy)) as unknown;
}

describe('offersSchema()', () => {
  it('is closed at the top level, has anyOf for the two forms of an offer, and its own address', () => {
    const schema = offersSchema(publication);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${baseUrl}/offers.schema.json`,
      type: 'object',
      additionalProperties: false,
      required: ['$schema', 'updated_at', 'namespace', 'offers'],
    });
    expect(schema).toHaveProperty('properties.offers.items.anyOf');
    expect(JSON.stringify(schema)).not.toContain('oneOf');
  });

  it('accepts the catalogs that are published', () => {
    expect(verdicts(valid)).toEqual([true, true]);
    const validate = ajv.compile(offersSchema(real));
    expect(validate(catalog(real)), JSON.stringify(validate.errors)).toBe(true);
  });

  it('refuses what the interface refuses', () => {
    const offer = (valid['offers'] as object[])[0];
    for (const broken of [
      { ...valid, extra: 1 },
      { ...valid, namespace: 'shop' },
      { ...valid, currency: 'EUR' },
      { ...valid, $schema: 'https://other.example/offers.schema.json' },
      { ...valid, offers: [{ ...offer, price: -1, price_usd: -1 }] },
      { ...valid, offers: [{ name: 'x' }] },
      { ...valid, fast_paid_starts: [] },
      { ...valid, checkout_routes: { a: `${checkoutHost}/x` } },
      { ...valid, recommendedFirstDirectPaymentCheckoutUrl: `${baseUrl}/buy/x` },
      { ...valid, links: { label: 'x', contact_url: `${baseUrl}/contact`, href: `${baseUrl}/pricing` } },
    ])
      expect(verdicts(broken)).toEqual([false, false]);
    const { offers: _offers, ...without } = valid;
    expect(verdicts(without)).toEqual([false, false]);
  });

  it('accepts either form of an offer, with members of its own', () => {
    const a = { id: 'x', name: 'X', price_usd: 0, cadence: 'free', canonical_path: `${baseUrl}/buy/x`, own: { of: ['the', 'seller'] } };
    const b = { name: 'X', price: 1.5, route_url: `${baseUrl}/buy/x`, checkout_url: `${checkoutHost}/x`, own: null };
    const { $schema, updated_at, namespace } = valid;
    for (const offers of [[], [a], [b], [a, b]]) expect(verdicts({ $schema, updated_at, namespace, offers })).toEqual([true, true]);
  });

  it('agrees with the definition that catalogs are checked with, on changed catalogs', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (changes) => {
        const [byPublished, byDefinition] = verdicts(changes.reduce(apply, valid as unknown));
        if (byDefinition) accepted += 1;
        else refused += 1;
        return byPublished === byDefinition;
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(25);
  });
});

import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { ERRORS, type ErrorCode, errorEntry } from '../../src/gateway/errors.ts';
import { errorsOf } from '../../src/http/define-route.ts';
import { functionPaths, routeTable } from '../../src/routes/route-table.ts';
import { LIMITS, RATE_LIMITS } from '../../src/schemas/limits.ts';
import * as paths from '../../src/schemas/paths.ts';

const BASE_URL = 'https://signpost.example';
const table = routeTable({
  baseUrl: BASE_URL,
  checkoutHost: 'https://checkout.example',
  commerce: { acp: true, ucp: true },
  payments: { payTo: '0x000000000000000000000000000000000000dEaD', network: 'eip155:84532', facilitator: 'https://facilitator.example' },
});
const codes = Object.keys(ERRORS) as ErrorCode[];
const VERBS =
  /^(ask|browse|buy|call|cancel|complete|create|discover|fetch|get|list|open|query|read|register|request|revoke|rotate|search|send|start|submit|take|update|verify|view)[A-Z]/;

describe.each(codes)('error %s', (code) => {
  const entry = errorEntry(code);

  test('has a permanent code, a title, an explanation and a next action', () => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(entry.title.length).toBeGreaterThan(10);
    expect(entry.title).not.toMatch(/\.$/);
    expect(entry.explanation).toMatch(/^[A-Z].*\.$/);
    expect(entry.nextActions.length).toBeGreaterThan(0);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
  });

  test('sends the caller only to operations that exist, with their own method', () => {
    for (const action of entry.nextActions) {
      expect(action.description).toMatch(/^[A-Z].*\.$/);
      if (action.path === undefined) continue;
      expect(table.filter(({ path, method }) => path === action.path && method === action.method)).toHaveLength(1);
    }
  });

  test('is an answer of some operation, or of every address', () => {
    const elsewhere = ['route_not_found', 'method_not_allowed', 'capsule_taken_down', 'capsule_blocked'];
    expect(table.some((route) => errorsOf(route).includes(code)) || elsewhere.includes(code)).toBe(true);
  });
});

test('limits keep the names under which capabilities publish them', () => {
  const names = `
    id_max_length query_max_length max_results_default max_results_max token_budget_min token_budget_max filter_tags_max
    exclude_ids_max facet_values_max other_kinds_max related_max browse_limit_default browse_limit_max changes_limit_default
    changes_limit_max fetch_items_max quote_min_length quote_default_length quote_unsure_length quote_max_length passages_max queries_max
    fused_capsules_max sorted_capsules_max recent_days_max suggested_values_max agent_name_max_length short_text_max_length
    idempotency_key_max_length idempotency_key_min_length own_idempotency_key_min_length idempotency_hours body_max_bytes
    intake_body_max_bytes json_max_depth json_max_keys rpc_batch_max json_string_max_length intake_string_max_length
    proposal_text_max_length request_url_max_length url_max_length key_ttl_days pass_days_max key_overlap_minutes_default key_overlap_minutes_max
    revocation_max_seconds challenge_minutes challenge_bits_min challenge_bits_max budget_challenge_bits
    challenge_solution_max_length decision_kept_days intake_queue_max lineage_max_nodes lineage_max_depth lineage_max_relatives
    cart_items_max quantity_max buy_segment_max_length catalog_page_default catalog_page_max catalog_lookup_max
    session_total_max_minor cart_text_max_length invoice_address_max_length invoice_note_max_length session_hours session_kept_days
    free_order_kept_days invoice_waits_days invoice_kept_days handled_kept_days processor_event_max_bytes signature_max_age_seconds
    notice_attempts_max payment_header_max_length payment_repeat_hours payment_kept_days failed_payment_kept_days`;
  const published = Object.keys(LIMITS).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(published).toEqual(names.trim().split(/\s+/));
});

test('no two errors have one title', () => expect(new Set(codes.map((code) => errorEntry(code).title)).size).toBe(codes.length));

describe.each(table)('operation $id', (route) => {
  test('has an id of a verb and a noun, a summary and a description', () => {
    expect(route.id).toMatch(/^[a-z]+([A-Z0-9][a-z0-9]*)+$/);
    expect(route.id).toMatch(VERBS);
    expect(route.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(route.description).toMatch(/^[A-Z].*\.$/);
  });

  test('names only errors and limits that exist, each once', () => {
    for (const code of errorsOf(route)) expect(codes).toContain(code);
    expect(new Set(route.errors).size).toBe(route.errors.length);
    expect(Object.keys(RATE_LIMITS)).toContain(route.rateLimit);
  });

  test('describes every parameter of its path and no other, and every member of its input', () => {
    const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    expect(Object.keys((route.pathParameters as z.ZodObject | undefined)?.shape ?? {})).toEqual(named);
    for (const schema of [route.pathParameters, route.queryParameters, route.body]) {
      for (const field of Object.values((schema as z.ZodObject | undefined)?.shape ?? {}))
        expect((field as z.ZodType).description ?? '').not.toBe('');
    }
  });

  test('has a handler exactly when a function serves it, and a success answer', () => {
    expect(route.handle !== undefined).toBe(route.servedBy === 'function');
    expect(route.responses.length).toBeGreaterThan(0);
  });

  test('has a path without a slash at the end and without a doubled slash', () => {
    for (const path of [route.path, ...(route.staticPath === undefined ? [] : [route.staticPath])]) expect(path).toMatch(/^(\/[^/\s]+)+$/);
  });

  test('tells caches nothing that is meant for one caller', () => {
    if (route.method === 'POST' || route.access !== 'open') expect(route.cache).toBe('no-store');
  });
});

test('operation ids are unique, and so are method and path together', () => {
  expect(new Set(table.map(({ id }) => id)).size).toBe(table.length);
  expect(new Set(table.map(({ method, path }) => `${method} ${path}`)).size).toBe(table.length);
});

test('a route that needs a key is limited by key, an open one by network; so is revoking, which no thief may use up', () => {
  // What has to do with buying is counted for the key where there is one, and for the network elsewhere.
  for (const route of table.filter(({ rateLimit }) => rateLimit !== 'buy'))
    expect([route.id, RATE_LIMITS[route.rateLimit].per]).toEqual([
      route.id,
      route.access === 'open' || route.id === 'revokeKey' ? 'network' : 'key',
    ]);
});

test('every route of the published interface answers at its fixed path', () => {
  const published = [
    'POST /api/v1/agent-gateway/register',
    'GET /api/v1/agent-gateway/capabilities',
    'POST /api/v1/agent-gateway/query',
    'GET /api/v1/agent-gateway/capsule/{capsule_id}',
    'GET /api/v1/agent-gateway/capsule/{capsule_id}/lineage',
    'POST /api/v1/capsules/fetch',
    'GET /api/v1/capsules/public/browse',
    'GET /api/v1/capsules/public/changes',
    'GET /api/v1/capsules/public/status',
    'GET /api/v1/capsules/public/intake',
    'GET /.well-known/acp.json',
    'GET /api/v1/acp/discover',
    'GET /.well-known/x402',
    'GET /openapi.agent.json',
    'GET /openapi.json',
    'GET /offers.json',
    'GET /buy.json',
    'GET /pricing.json',
    'GET /offers.schema.json',
  ];
  expect(table.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(published));
});

test('a frontend-only deployment publishes, of what functions serve, documents and what GET reads without a key or the index', () => {
  const kept = table.filter(({ servedBy, edge }) => servedBy === 'function' && !edge).map(({ id }) => id);
  expect(kept.sort()).toEqual([
    ...['browseCapsules', 'discoverOffers', 'getAcpDiscovery', 'getCapabilities', 'getCapsule', 'getCapsuleLineage', 'getIntake'],
    ...['getOpenApi', 'getStatus', 'getX402Descriptor', 'getX402Items', 'listChanges'],
  ]);
  expect(table.filter(({ servedBy, edge }) => servedBy !== 'function' && edge)).toEqual([]);
});

test('every route by a function is among the paths that are given to functions, and the paths are few', () => {
  const given = functionPaths(table);
  expect(given).toContain('/api/*');
  expect(given.length).toBeLessThan(25);
  for (const { path, servedBy } of table) {
    const matches = given.some((pattern) => new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', '.*')}$`).test(path));
    expect([path, matches]).toEqual([path, servedBy === 'function']);
  }
});

test('no address has a slash at the end, a doubled slash or a capital letter', () => {
  const made = [
    // The format prescribes the capital letters of AGENTS.md (agents.md).
    ...Object.values(paths.PATHS).filter((path) => path !== paths.PATHS.agentsMd),
    ...[
      paths.capsulePath,
      paths.capsuleMarkdownPath,
      paths.capsuleFilePath,
      paths.lineageFilePath,
      paths.capsuleApiPath,
      paths.lineageApiPath,
      paths.buyPath,
      paths.problemPath,
    ].map((make) => make('a-b')),
    ...paths.GUIDE_IDS.map(paths.docPath),
    paths.capsuleVersionPath('a-b', '1.0.0'),
    paths.bundlePartPath('0'.repeat(64)),
  ];
  for (const path of made.filter((path) => path !== '/')) expect(path).toMatch(/^(\/[a-z0-9._-]+)+$/);
  expect(new Set(Object.values(paths.PATHS)).size).toBe(Object.keys(paths.PATHS).length);
});

test('addresses under /buy that are pages of their own are reserved', () => expect(paths.RESERVED_BUY_IDS).toEqual(['index', 'invoice']));

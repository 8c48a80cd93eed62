import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { addressOf } from './mixed-requests.ts';
import { type LoadRequest, rawRequest } from './raw-request.ts';

/** Networks that requests come from, besides the one that reaches its limit early; others reach theirs if the load lasts. */
const TURNS = 1_000;

/** Of these bodies that are too large, one is nearly as large as is read to its end. */
const LARGEST_EVERY = 20;

/**
 * Requests that are refused though they bring a body: without a key, with a wrong one, too large (up to eight times the bound, which
 * is read to its end), no JSON, and so often from one network that its limit is reached.
 */
export function rejectedRequests(host: string): LoadRequest[] {
  const query = `${PATHS.gateway}/query`;
  const register = `${PATHS.gateway}/register`;
  const small = JSON.stringify({ query: 'x'.repeat(200) });
  const large = JSON.stringify({ agent_name: 'x'.repeat(LIMITS.bodyMaxBytes) });
  const largest = JSON.stringify({ agent_name: 'x'.repeat(8 * LIMITS.bodyMaxBytes - 100) });
  const refusal = (
    route: string,
    statuses: readonly number[],
    path: string,
    network: number,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): LoadRequest => ({
    route,
    statuses,
    bytes: rawRequest(host, { method: 'POST', path, body, headers: { 'CF-Connecting-IP': addressOf(network), ...headers } }),
  });
  // A network of its own for each turn but that which reaches its limits.
  return Array.from({ length: TURNS }, (_, turn) => [
    refusal('without a key', [401], query, turn, small),
    refusal('with a wrong key', [401], query, turn, small, { Authorization: 'Bearer akg_test_wrong' }),
    refusal('too large', [413, 429], register, turn, turn % LARGEST_EVERY === 0 ? largest : large),
    refusal('no JSON', [400, 429], register, turn, '{"agent_name":'),
    refusal('too often', [201, 429], register, TURNS, JSON.stringify({ agent_name: 'load' })),
  ]).flat();
}

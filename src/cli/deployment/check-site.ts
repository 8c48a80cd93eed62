import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isLoopbackOrigin } from '../../build/describe-deployment.ts';
import { readWranglerSettings } from '../../build/wrangler-settings.ts';
import { Capabilities } from '../../schemas/capabilities.ts';
import { StatusResponse } from '../../schemas/knowledge/corpus-responses.ts';
import { lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { reportVerification } from '../commands/verify.ts';
import { forEachConcurrently } from '../verify/site-reader.ts';
import type { Check } from './cloudflare-requirements.ts';

interface SiteExpectations {
  /** Address that the documents of the site name, wherever it is asked. */
  readonly baseUrl: string;
  /** Folder of the publication and corpus version of the build that the site should serve. */
  readonly built?: { readonly root: string; readonly generation: string } | undefined;
  /** Whether it is a preview, which has no secrets: keys and checkouts cannot work there. */
  readonly isPreview?: boolean;
  readonly nowMs: () => number;
}

/** Time in which each document has to arrive, in milliseconds. */
const DEADLINE_MS = 15_000;

/** How far the clock of the site may differ, in milliseconds, as for signatures and challenges (RFC 9421, section 7.2.2, leaves it open). */
const CLOCK_MAX_MS = 5 * 60_000;

const WITH_SECRETS: readonly string[] = ['keys', 'checkout'];

const DEPLOY = 'npm run deploy';

const UNREACHED =
  'npm run deploy, if it was never deployed; otherwise compare the DNS record of its domain, which needs some minutes when it is new';

/** Asks a site what its agents and readers ask: status, documents, a query, a capsule, a price. @param address Without a slash at its end. */
export async function checkSite(address: string, { baseUrl, built, isPreview = false, nowMs }: SiteExpectations): Promise<Check[]> {
  const home = await read(`${address}${PATHS.home}`);
  if ('failure' in home) return [lacking('site', `${address} ${home.failure}`, isLoopbackOrigin(address) ? 'npm start' : UNREACHED)];
  const checks: Check[] = [{ name: 'site', ok: true, detail: `${address} answers` }, checkClock(home.response, nowMs())];
  const status = await readJson(`${address}${PATHS.statusApi}`, StatusResponse);
  if ('failure' in status) return [...checks, lacking('status', status.failure)];
  for (const { name, ok, detail } of status.value.checks) {
    if (isPreview && WITH_SECRETS.includes(name)) continue;
    checks.push(ok ? { name, ok, detail } : { name, ok, detail, mend: MENDS[name] ?? DEPLOY });
  }
  const { corpus_version: served } = status.value.corpus;
  const isBuilt = built === undefined || built.generation === served;
  const newest = `the site serves ${served.slice(0, 12)}, and the newest build is ${built?.generation.slice(0, 12)}`;
  checks.push(check('corpus', isBuilt, `${served.slice(0, 12)}${built ? ', the newest build' : ''}`, newest));
  const capabilities = await readJson(`${address}${PATHS.gateway}/capabilities`, Capabilities);
  if ('failure' in capabilities) return [...checks, lacking('capabilities', capabilities.failure)];
  const { documents, rate_limits, base_url } = capabilities.value;
  const named = `documents name ${base_url}`;
  checks.push(
    check('addresses', base_url === baseUrl, named, `${named}, not ${baseUrl}`),
    await checkDocuments(Object.values(documents).map((uri) => address + uri.slice(base_url.length))),
    ...(await checkCapsule(address)),
    ...(documents['offers'] === undefined ? [] : [await checkPrice(address, built?.root)]),
    rate_limits.enforcement === 'isolate'
      ? { ...lacking('limits', 'every isolate counts for itself', await mendOfLimits(built?.root)), isOptional: true }
      : { name: 'limits', ok: true, detail: `counted by ${rate_limits.enforcement}` },
  );
  return checks;
}

async function mendOfLimits(root: string | undefined): Promise<string> {
  const isBound = root !== undefined && (await readWranglerSettings(root)).isCompanionBound;
  return isBound
    ? 'the companion that wrangler.toml binds does not count for this deployment: npm run deploy:companion, then npm run deploy'
    : 'npm run setup deploys and binds the companion, which counts for a location; the site uses it from the next npm run deploy';
}

const MENDS: Partial<Record<StatusResponse['checks'][number]['name'], string>> = {
  keys: 'npm run setup, then npm run deploy',
  database: 'npm run setup, then npm run deploy',
  checkout: 'npm run setup with the variable STRIPE_SECRET_KEY, then npm run deploy',
};

function lacking(name: string, detail: string, mend = DEPLOY): Check {
  return { name, ok: false, detail, mend };
}

function check(name: string, isPassed: boolean, passed: string, failed: string, mend = DEPLOY): Check {
  return isPassed ? { name, ok: true, detail: passed } : lacking(name, failed, mend);
}

function checkClock(response: Response, nowMs: number): Check {
  const skewMs = Math.abs(Date.parse(response.headers.get('Date') ?? '') - nowMs);
  const differ = `this machine and the site differ by ${Math.round(skewMs / 60_000)} minutes`;
  const mend = 'set the clock of this machine, on Linux with "timedatectl set-ntp true"';
  // Without the header nothing is known.
  return check('clock', !(skewMs > CLOCK_MAX_MS), 'this machine and the site agree', differ, mend);
}

async function checkDocuments(addresses: readonly string[]): Promise<Check> {
  const found = await forEachConcurrently(addresses, async (uri) => ({ uri, ...(await read(uri)) }));
  const failures = found.flatMap((one) => ('failure' in one ? [`${one.uri} ${one.failure}`] : []));
  return check('documents', failures.length === 0, `${addresses.length} documents answer`, failures.join('; '));
}

const Listed = z.object({ items: z.array(z.object({ capsule_id: z.string(), title: z.string() })) });
const Found = z.object({ results: z.array(z.object({ capsule_id: z.string().optional() })) });

async function checkCapsule(address: string): Promise<Check[]> {
  const list = await readJson(`${address}${PATHS.publicCapsules}/browse?limit=1`, Listed);
  if ('failure' in list) return [lacking('search', list.failure)];
  const [capsule] = list.value.items;
  if (capsule === undefined) return [];
  const { capsule_id: id, title } = capsule;
  const found = await readJson(`${address}${PATHS.gateway}/search?${new URLSearchParams({ q: title, max_results: '3' })}`, Found);
  const isFound = 'value' in found && found.value.results.some(({ capsule_id }) => capsule_id === id);
  const { exit, lines } = await reportVerification(address + lineageFilePath(id), {});
  // Exit code 2: everything holds, and no trusted key was given here.
  const isProved = exit === 0 || exit === 2;
  const verdict = lines.at(-1) ?? '';
  const missed = 'failure' in found ? found.failure : `does not find "${id}" by its title`;
  return [
    check('search', isFound, `finds "${id}" by its title`, missed),
    check('lineage', isProved, `"${id}": ${verdict}`, `"${id}": ${verdict}`),
  ];
}

const Catalog = z.object({ offers: z.array(z.object({ id: z.string(), price_usd: z.number() })) });

async function checkPrice(address: string, root: string | undefined): Promise<Check> {
  const catalog = await readJson(address + PATHS.offersJson, Catalog);
  if ('failure' in catalog) return lacking('prices', catalog.failure);
  const { offers } = catalog.value;
  const text = root === undefined ? undefined : await readFile(join(root, 'dist', PATHS.offersJson), 'utf8').catch(() => undefined);
  const built = text === undefined ? offers : Catalog.parse(JSON.parse(text)).offers;
  const differing = built.filter(({ id, price_usd }) => offers.find((offer) => offer.id === id)?.price_usd !== price_usd);
  const passed = `${offers.length} offers${text === undefined ? '' : ' as built'}`;
  return check('prices', differing.length === 0, passed, `differ from the build: ${differing.map(({ id }) => id).join(', ')}`);
}

async function read(address: string): Promise<{ readonly response: Response; readonly text: string } | { readonly failure: string }> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const text = await response.text();
    return response.ok ? { response, text } : { failure: `answers ${response.status}` };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { failure: isLate ? `does not answer within ${DEADLINE_MS / 1_000} s` : 'cannot be reached' };
  }
}

async function readJson<T>(address: string, schema: z.ZodType<T>): Promise<{ readonly value: T } | { readonly failure: string }> {
  const found = await read(address);
  if ('failure' in found) return { failure: `${address} ${found.failure}` };
  try {
    return { value: schema.parse(JSON.parse(found.text)) };
  } catch {
    return { failure: `${address} is not what this version of the engine makes` };
  }
}

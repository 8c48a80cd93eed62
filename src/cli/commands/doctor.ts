import * as z from 'zod';
import { CloudflareError, cloudflareApi } from '../../build/cloudflare-api.ts';
import { isLoopbackOrigin, today } from '../../build/describe-deployment.ts';
import { documentationPage } from '../../build/engine-package.ts';
import { formatBytes } from '../../build/kv/publish-blocks.ts';
import { readBuilt } from '../../build/kv/publishing-state.ts';
import { checkWranglerSettings, readWranglerSettings } from '../../build/wrangler-settings.ts';
import { formatProblem, isWarning } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { FREE_PLAN } from '../../schemas/limits.ts';
import { DAY_MS, dayOf } from '../../schemas/time.ts';
import { defineCommand, examples, readAddress } from '../define-command.ts';
import { checkSite } from '../deployment/check-site.ts';
import { type Check, describeCheck, hostAddress, inspectRequirements } from '../deployment/cloudflare-requirements.ts';

export const command = defineCommand()
  .description(
    `Check the deployment, and change nothing: settings of this folder, what Cloudflare has (stores, tables, project, secrets) and how much of its plan is used, and the site itself (status, documents, a query, a capsule, prices, limits, clocks). Each problem is followed by the command that mends it.

Exit codes: 0 everything needed works, 1 something does not.

Environment: BASE_URL, CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID.`,
  )
  .argument('[address]', 'check only the site at this address, such as http://127.0.0.1:8788', readAddress)
  .option('--json', 'print the checks as JSON, for monitors')
  .addHelpText('after', examples('npm run doctor', 'npm run doctor -- http://127.0.0.1:8788', 'npm run doctor -- --json'))
  .action(async (address, { json }) => {
    const checks: Check[] = [];
    const site = address?.href.replace(/\/$/, '');
    const found = site === undefined ? checksOfDeployment(process.cwd()) : await checkSite(site, { baseUrl: site, nowMs: Date.now });
    for await (const check of found) {
      checks.push(check);
      if (!json) console.log(describeCheck(check));
    }
    const failed = checks.filter(({ ok, isOptional }) => !ok && !isOptional);
    if (json) console.log(JSON.stringify({ ok: failed.length === 0, checks }, null, 2));
    else console.log(failed.length === 0 ? 'Everything needed works.' : `${failed.length} of ${checks.length} checks fail.`);
    if (failed.length > 0) process.exitCode = 1;
  });

async function* checksOfDeployment(root: string): AsyncGenerator<Check> {
  const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
  const problems = (await checkWranglerSettings(root, publisher.storage)).filter((problem) => !isWarning(problem));
  for (const problem of problems) yield { name: 'settings', ok: false, detail: formatProblem(problem), mend: 'correct this line' };
  if (problems.length > 0) return;
  const found = new Map<string, boolean>();
  for await (const check of inspectRequirements({ root, publisher, environment: process.env, today: today() })) {
    found.set(check.name, check.ok);
    yield check;
  }
  if (found.get('account')) yield* await checkUsage(root, Date.now());
  const built = await readBuilt(root);
  const expected = built === undefined || isLoopbackOrigin(built.baseUrl) ? undefined : { root, generation: built.generation };
  const isBeforeDomain = found.get('project') && !found.get('domain');
  const address = (isBeforeDomain && (await hostAddress(root, publisher))) || publisher.base_url;
  yield* await checkSite(address, { baseUrl: publisher.base_url, built: expected, nowMs: Date.now });
}

interface Usage {
  readonly limit: number;
  /** Of the days in all; of stored bytes, the newest value. */
  readonly used: number;
  /** Most on one day, and that day. */
  readonly most: number;
  readonly mostOn: string;
  /** Day on which the limit is reached if use goes on as in these days; absent if that is more than a year away. */
  readonly reachedOn?: string;
}

/** Days that are looked at: Cloudflare keeps 31. */
const DAYS = 30;

/** Days ahead within which a limit that will be reached needs attention, and within which it is mentioned. */
const NEAR_DAYS = 30;
const AHEAD_DAYS = 365;

/** Share of a limit that needs attention, as in notifications. */
const NEAR_SHARE = 0.8;

const Group = z.object({
  dimensions: z.object({ date: z.string(), actionType: z.string().optional() }),
  sum: z.record(z.string(), z.number()).optional(),
  max: z.record(z.string(), z.number()).optional(),
});
const Groups = z.record(z.string(), z.array(Group));

const OF_DAYS = 'date_geq: $from, date_leq: $to';
const FIELDS = `
  functions: pagesFunctionsInvocationsAdaptiveGroups(limit: 10000, filter: { ${OF_DAYS} }) { sum { requests } dimensions { date } }
  workers: workersInvocationsAdaptive(limit: 10000, filter: { ${OF_DAYS} }) { sum { requests } dimensions { date } }
  kv: kvOperationsAdaptiveGroups(limit: 10000, filter: { ${OF_DAYS} }) { sum { requests } dimensions { date actionType } }
  kvStorage: kvStorageAdaptiveGroups(limit: 10000, filter: { ${OF_DAYS} }) { max { byteCount } dimensions { date namespaceId } }
  rows: d1AnalyticsAdaptiveGroups(limit: 10000, filter: { ${OF_DAYS} }) { sum { rowsRead rowsWritten } dimensions { date } }
  database: d1StorageAdaptiveGroups(limit: 10000, filter: { ${OF_DAYS}, databaseId: $database }) { max { databaseSizeBytes } dimensions { date } }`;

const LIMITED = [
  { name: 'requests to functions', limit: FREE_PLAN.requestsADay, from: ['functions', 'workers'], value: 'requests' },
  { name: 'KV reads', limit: FREE_PLAN.kvReadsADay, from: ['kv'], value: 'requests', action: 'read' },
  { name: 'KV writes', limit: FREE_PLAN.kvWritesADay, from: ['kv'], value: 'requests', action: 'write' },
  { name: 'KV storage', limit: FREE_PLAN.kvBytes, from: ['kvStorage'], value: 'byteCount', isStored: true },
  { name: 'rows read', limit: FREE_PLAN.rowsReadADay, from: ['rows'], value: 'rowsRead' },
  { name: 'rows written', limit: FREE_PLAN.rowsWrittenADay, from: ['rows'], value: 'rowsWritten' },
  { name: 'database size', limit: FREE_PLAN.databaseBytes, from: ['database'], value: 'databaseSizeBytes', isStored: true },
] as const satisfies readonly Limited[];

interface Limited {
  readonly name: string;
  readonly limit: number;
  readonly from: readonly string[];
  readonly value: string;
  readonly action?: string;
  /** Whether values are bytes at a time, and not counts of a day. */
  readonly isStored?: true;
}

/** What the account used of each limit of the free plan in the last {@link DAYS} days, and when it ends at this rate, as optional checks. */
export async function checkUsage(root: string, nowMs: number): Promise<(Check & { readonly usage?: Usage })[]> {
  const { databaseId: database = '' } = await readWranglerSettings(root);
  const [from, to] = [dayOf(nowMs - (DAYS - 1) * DAY_MS), dayOf(nowMs)];
  try {
    const groups = Groups.parse(await cloudflareApi(root).analytics(FIELDS, { from, to, database }));
    return LIMITED.map((limited) => describeUsage(limited, usageOf(limited, groups, to), nowMs));
  } catch (error) {
    if (!(error instanceof CloudflareError || error instanceof z.ZodError)) throw error;
    const detail = `not known, because ${error instanceof CloudflareError ? error.message : 'Cloudflare answered in a form of its own'}`;
    const mend = 'use a token in CLOUDFLARE_API_TOKEN that may also read Account Analytics';
    return [{ name: 'use of the plan', isOptional: true, ok: false, detail, mend }];
  }
}

function usageOf({ limit, from, value, action, isStored }: Limited, groups: z.infer<typeof Groups>, today: string): Usage {
  const days = new Map<string, number>();
  for (const { dimensions, sum, max } of from.flatMap((name) => groups[name] ?? []))
    if (action === undefined || dimensions.actionType === action)
      days.set(dimensions.date, (days.get(dimensions.date) ?? 0) + ((sum ?? max)?.[value] ?? 0));
  const values = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const [mostOn, most] = values.reduce((found, one) => (one[1] > found[1] ? one : found), [today, 0]);
  // The counts of today are not all there yet.
  const reachedOn = dayReached(limit, isStored ? values : values.filter(([day]) => day < today), today);
  const used = isStored ? (values.at(-1)?.[1] ?? 0) : values.reduce((all, [, count]) => all + count, 0);
  return { limit, used, most, mostOn, ...(reachedOn !== undefined && { reachedOn }) };
}

/** The day on which the straight line that fits values best (least squares) reaches a limit. */
function dayReached(limit: number, values: readonly (readonly [day: string, value: number])[], today: string): string | undefined {
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const ages = values.map(([day]) => (Date.parse(day) - Date.parse(today)) / DAY_MS);
  const [age, value] = [mean(ages), mean(values.map(([, count]) => count))];
  const spread = mean(ages.map((one) => (one - age) ** 2));
  const slope = mean(values.map(([, count], at) => ((ages[at] ?? 0) - age) * (count - value))) / spread;
  const ahead = Math.round(age + (limit - value) / slope);
  return slope > 0 && ahead <= AHEAD_DAYS ? dayOf(Date.parse(today) + Math.max(0, ahead) * DAY_MS) : undefined;
}

function describeUsage({ name, limit, isStored }: Limited, usage: Usage, nowMs: number): Check & { readonly usage: Usage } {
  const { used, most, mostOn, reachedOn } = usage;
  const format = isStored ? formatBytes : (value: number): string => value.toLocaleString('en');
  const share = Math.ceil((100 * most) / limit);
  const amount = isStored
    ? `${format(used)} of ${format(limit)} (${share} %)`
    : `${format(used)} in ${DAYS} days, at most ${format(most)} of ${format(limit)} a day (${share} %${most === 0 ? '' : `, ${mostOn}`})`;
  const outlook = reachedOn === undefined ? 'it lasts for more than a year' : `the free plan ends on ${reachedOn}`;
  const detail = `${amount}; ${most >= limit ? 'the free plan does not suffice' : `at this rate ${outlook}`}`;
  const isNear = most >= NEAR_SHARE * limit || (reachedOn !== undefined && Date.parse(reachedOn) <= nowMs + NEAR_DAYS * DAY_MS);
  const found = isNear ? { ok: false as const, mend: `${documentationPage('deploying.md')}, "Costs"` } : { ok: true as const };
  return { name, isOptional: true, ...found, detail, usage };
}

import { type DeliveryReport, sendWebhooks } from '../gateway/commerce/orders/send-webhooks.ts';
import { systemRuntime } from '../platform/clock-and-deadlines.ts';
import { COUNTED_LIMITS_HEADER, LOCATION_LIMITS } from '../platform/companion-rate-limits.ts';
import { countStatusCheck } from '../platform/d1/database.ts';
import { d1Orders, d1WebhookDeliveries } from '../platform/d1/order-store.ts';
import { runMaintenance } from '../platform/d1/retention.ts';
import { type Environment, readSigningSecrets } from '../platform/environment.ts';
import { type NotifyEnvironment, notifyPublisher } from '../platform/notify-publisher.ts';
import { webhookSender } from '../platform/outgoing-requests.ts';
import { writeAcpOrderEvent } from '../protocols/acp/order-event.ts';
import type { RateLimitName } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';

interface CompanionEnvironment extends NotifyEnvironment {
  readonly STATE?: D1Database;
  readonly LIMIT_QUERY?: RateLimit;
  readonly LIMIT_NETWORK?: RateLimit;
  readonly LIMIT_QUERY_RAISED?: RateLimit;
  readonly LIMIT_BUY?: RateLimit;
  /** The signing secrets of the project; without them, the companion sends no webhooks. */
  readonly SIGNING_SECRETS?: string;
  /** Base URL of the project, and the allowed hosts of webhooks, comma-separated; `npm run deploy:companion` sets both. */
  readonly BASE_URL?: string;
  readonly WEBHOOK_HOSTS?: string;
}

type SiteEnvironment = Environment & CompanionEnvironment;

/** Webhooks per run: together with the other queries, fewer than the 50 statements of the free plan. */
const WEBHOOKS_MAX = 5;

/** The companion Worker: rate limits across a location, and scheduled maintenance, which Pages does not offer. Only a service binding reaches it. */
export default { fetch: countRequest, scheduled: runSchedule } satisfies ExportedHandler<CompanionEnvironment>;

/** `POST /limits/<name>` with the caller as body counts a request: 204 within the limit, else 429. */
async function countRequest(request: Pick<Request, 'url' | 'method' | 'text'>, environment: CompanionEnvironment): Promise<Response> {
  const limiters = limitersOf(environment);
  const [, name] = /^\/limits\/([a-z_]+)$/.exec(new URL(request.url).pathname) ?? [];
  const limiter = limiters.get(name as RateLimitName);
  const caller = await request.text();
  if (request.method !== 'POST' || limiter === undefined) return new Response(null, { status: 404 });
  const { success } = await limiter.limit({ key: caller });
  return new Response(null, { status: success ? 204 : 429, headers: { [COUNTED_LIMITS_HEADER]: [...limiters.keys()].join(', ') } });
}

/** Checks the service, runs maintenance, sends due webhooks and tells the publisher what happened. All tolerate late, missing and duplicate runs. */
async function runSchedule({ scheduledTime }: ScheduledController, environment: CompanionEnvironment): Promise<void> {
  const { STATE, BASE_URL = '' } = environment;
  if (STATE === undefined) return;
  const asFailure = (error: unknown) => ({ failed: String(error) });
  const check = await checkService(STATE, BASE_URL, scheduledTime).catch(asFailure);
  const maintenance = await runMaintenance(STATE, scheduledTime);
  const webhooks = await sendDueWebhooks(STATE, environment).catch(asFailure);
  const notices = await notifyPublisher(STATE, environment, scheduledTime).catch(asFailure);
  // What is undefined is left out.
  console.log(JSON.stringify({ level: 'info', check, maintenance, webhooks, notices }));
}

/** The Worker of a site (`target: workers`) with the companion inside: it asks itself for limits, and runs on the schedule. */
export function withCompanion(site: { readonly fetch: ExportedHandlerFetchHandler<Environment> }): ExportedHandler<SiteEnvironment> {
  return {
    fetch: (request, environment, context) => {
      const LIMITER = { fetch: (...call: ConstructorParameters<typeof Request>) => countRequest(new Request(...call), environment) };
      return site.fetch(request, { ...environment, LIMITER: LIMITER as Fetcher }, context);
    },
    scheduled: runSchedule,
  };
}

/** Time in which the service has to respond, in milliseconds: its own checks have shorter deadlines. */
const CHECK_DEADLINE_MS = 15_000;

async function checkService(database: D1Database, baseUrl: string, nowMs: number): Promise<{ readonly status: string } | undefined> {
  if (baseUrl === '') return undefined;
  const signal = AbortSignal.timeout(CHECK_DEADLINE_MS);
  const status = await fetch(baseUrl + PATHS.statusApi, { signal })
    .then(async (response) => (response.ok ? `${((await response.json()) as { status?: unknown }).status}` : `${response.status}`))
    .catch(String);
  await countStatusCheck(database, nowMs, status !== 'ok');
  return { status };
}

async function sendDueWebhooks(database: D1Database, environment: CompanionEnvironment): Promise<DeliveryReport | undefined> {
  const { SIGNING_SECRETS, BASE_URL = '', WEBHOOK_HOSTS = '' } = environment;
  const hosts = WEBHOOK_HOSTS.split(',').filter((host) => host !== '');
  const secrets = await readSigningSecrets(SIGNING_SECRETS, BASE_URL.startsWith('https:') ? 'live' : 'local');
  if (BASE_URL === '' || hosts.length === 0 || 'missing' in secrets) return undefined;
  const { clock, randomness, timers } = systemRuntime;
  const sending = {
    deliveries: d1WebhookDeliveries(database),
    orders: d1Orders(database, randomness),
    writeOrderEvent: writeAcpOrderEvent,
    sendWebhook: webhookSender(hosts, timers),
    secrets,
    baseUrl: BASE_URL,
  };
  return sendWebhooks(sending, clock.nowMs(), WEBHOOKS_MAX);
}

function limitersOf(environment: CompanionEnvironment): ReadonlyMap<RateLimitName, RateLimit> {
  const { LIMIT_QUERY: query, LIMIT_NETWORK: network, LIMIT_QUERY_RAISED: query_raised, LIMIT_BUY: buy } = environment;
  const bound: Partial<Record<RateLimitName, RateLimit | undefined>> = { query, network, query_raised, buy };
  return new Map(LOCATION_LIMITS.flatMap((name) => (bound[name] ? [[name, bound[name]] as const] : [])));
}

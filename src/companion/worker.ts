import { type DeliveryReport, sendWebhooks } from '../gateway/commerce/orders/send-webhooks.ts';
import { d1Orders } from '../platform/d1/orders.ts';
import { runMaintenance } from '../platform/d1/retention.ts';
import { d1WebhookDeliveries } from '../platform/d1/webhook-deliveries.ts';
import { COUNTED_LIMITS_HEADER, LOCATION_LIMITS } from '../platform/location-limiter.ts';
import { systemRuntime } from '../platform/runtime.ts';
import { readSigningSecrets } from '../platform/signing-secrets.ts';
import { webhookSender } from '../platform/webhook-sender.ts';
import { writeAcpOrderEvent } from '../protocols/acp/order-event.ts';
import type { RateLimitName } from '../schemas/limits.ts';

/** Bindings, as wrangler.toml beside this file gives them. */
interface CompanionEnvironment {
  readonly STATE?: D1Database;
  readonly LIMIT_QUERY?: RateLimit;
  readonly LIMIT_NETWORK?: RateLimit;
  readonly LIMIT_QUERY_RAISED?: RateLimit;
  readonly LIMIT_BUY?: RateLimit;
  /** The signing secrets of the project; without them no webhooks are sent from here. */
  readonly SIGNING_SECRETS?: string;
  /** Base URL of the project, and the hosts that webhooks may be sent to, comma-separated; `npm run deploy:companion` writes both. */
  readonly BASE_URL?: string;
  readonly WEBHOOK_HOSTS?: string;
}

/** Webhooks sent per run: with the run's other queries, fewer than the 50 statements of the free plan. */
const WEBHOOKS_MAX = 8;

/**
 * A small Worker beside the Pages project, which lacks two things that a Worker has: rate limits of the platform and a schedule.
 * It has no address; only the project reaches it, by a service binding.
 */
export default {
  /** `POST /limits/<name>` with the caller as body counts one request: 204 if it is within the limit, 429 if not. */
  fetch: async (request, environment) => {
    const limiters = limitersOf(environment);
    const [, name] = /^\/limits\/([a-z_]+)$/.exec(new URL(request.url).pathname) ?? [];
    const limiter = limiters.get(name as RateLimitName);
    const caller = await request.text();
    if (request.method !== 'POST' || limiter === undefined) return new Response(null, { status: 404 });
    const { success } = await limiter.limit({ key: caller });
    return new Response(null, { status: success ? 204 : 429, headers: { [COUNTED_LIMITS_HEADER]: [...limiters.keys()].join(', ') } });
  },
  /** Runs maintenance and sends due webhooks. Scheduled runs may be late, missing or doubled; both tolerate that. */
  scheduled: async ({ scheduledTime }, environment) => {
    const { STATE } = environment;
    if (STATE === undefined) return;
    const maintenance = await runMaintenance(STATE, scheduledTime);
    const notices = await sendDueWebhooks(STATE, environment).catch((error: unknown) => ({ failed: String(error) }));
    console.log(JSON.stringify({ level: 'info', maintenance, ...(notices === undefined ? {} : { notices }) }));
  },
} satisfies ExportedHandler<CompanionEnvironment>;

/** Sends due webhooks of orders, if the companion is configured for it. */
async function sendDueWebhooks(
  database: D1Database,
  { SIGNING_SECRETS, BASE_URL = '', WEBHOOK_HOSTS = '' }: CompanionEnvironment,
): Promise<DeliveryReport | undefined> {
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

/** Limits that are bound, by name. */
function limitersOf(environment: CompanionEnvironment): ReadonlyMap<RateLimitName, RateLimit> {
  const { LIMIT_QUERY: query, LIMIT_NETWORK: network, LIMIT_QUERY_RAISED: query_raised, LIMIT_BUY: buy } = environment;
  const bound: Partial<Record<RateLimitName, RateLimit | undefined>> = { query, network, query_raised, buy };
  return new Map(
    LOCATION_LIMITS.flatMap((name) => {
      const limiter = bound[name];
      return limiter === undefined ? [] : [[name, limiter] as const];
    }),
  );
}

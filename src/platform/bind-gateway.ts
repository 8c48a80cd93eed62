import { AgentRegistry } from '../gateway/agents/register-agent.ts';
import { RevocationList } from '../gateway/agents/revocation-list.ts';
import type { CommerceDependencies, ProtocolAdapters, WriteOrderEvent } from '../gateway/commerce/orders/order-ports.ts';
import type { TextSales } from '../gateway/commerce/payments/capsule-paywall.ts';
import { type AddCounts, Insights } from '../gateway/insights.ts';
import { intakeQueue } from '../gateway/intake/proposal-queue.ts';
import { Corpus, type DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { BlockCache } from '../gateway/knowledge/load-block.ts';
import { budgetLevels, LIFTED_QUOTAS } from '../gateway/limits/quotas.ts';
import { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type {
  BlockStore,
  IdentifyAgent,
  LocationBlocks,
  NotConfigured,
  ReturnableQuotas,
  SigningSecrets,
  Timers,
} from '../gateway/platform-ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { deployedFeatures } from '../schemas/feature-switches.ts';
import { RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { assetBlockStore, BLOCK_CACHE_BYTES, kvBlockStore } from './block-stores.ts';
import { type Runtime, systemRuntime } from './clock-and-deadlines.ts';
import { locationLimiter } from './companion-rate-limits.ts';
import { agentStore, registrationStore } from './d1/agent-store.ts';
import { databaseCheck, statusHistory } from './d1/database.ts';
import { d1KeyBindings } from './d1/idempotency.ts';
import { addInsightCounts } from './d1/insight-counts.ts';
import { d1InvoiceRequests, d1Orders, d1WebhookDeliveries } from './d1/order-store.ts';
import { d1Proposals } from './d1/proposal-store.ts';
import { d1Budgets, d1Quotas, networkDigest } from './d1/quotas.ts';
import { boundEnvironment, type Environment, readSigningSecrets, stripeWebhookReader } from './environment.ts';
import { webhookSender } from './outgoing-requests.ts';
import { stripeOf } from './stripe/stripe-payments.ts';
import type { agentVerifier } from './web-bot-auth.ts';

const NO_BLOCKS: BlockStore = {
  read: () => Promise.reject(new Error('no KV namespace is bound as CAPSULES')),
};

/**
 * The gateway's dependencies on Cloudflare, without the documents, which the build makes. Adapters of protocols are loaded once they are needed.
 *
 * @param location A cache of blocks in front of KV.
 */
export async function bindGateway(
  bindings: Environment,
  deployment: Deployment,
  generation: DeployedGeneration,
  ranking: ConstructorParameters<typeof Corpus>[3],
  loadAdapters: () => Promise<ProtocolAdapters>,
  runtime: Runtime = systemRuntime,
  location?: LocationBlocks,
) {
  const environment = boundEnvironment(bindings, runtime.timers);
  const { STATE, ASSETS, ANALYTICS, SIGNING_SECRETS } = environment;
  const secrets = await readSigningSecrets(SIGNING_SECRETS, deployment.keyPrefix === 'akg_live_' ? 'live' : 'local');
  const proposals = STATE ? d1Proposals(STATE) : undefined;
  const agents = STATE ? agentStore(STATE) : undefined;
  const isBench = deployment.rateLimits === 'bench';
  const quotas = quotasOf(STATE, secrets, isBench);
  const features = deployedFeatures(deployment);
  const counts = STATE && deployment.insights;
  const add = STATE && addInsightCounts(STATE);
  const insights =
    counts &&
    add &&
    new Insights(ANALYTICS ? insightEvents(ANALYTICS, add) : add, runtime.clock, counts === 'questions', ANALYTICS === undefined);
  let sales: TextSales | undefined;
  const writeOrderEvent: WriteOrderEvent = async (...order) => (await loadAdapters()).writeOrderEvent(...order);
  const buckets = Object.entries(RATE_LIMITS).map(([name, limit]) => [name, new TokenBuckets(limit, 10_000)]);
  return {
    deployment,
    features,
    corpus: new Corpus(
      generation,
      blockStore(environment, deployment, runtime.timers),
      new BlockCache(BLOCK_CACHE_BYTES, runtime.timers),
      ranking,
      runtime.clock,
      deployment.storage === 'assets' ? undefined : location,
      insights && ((question) => insights.countUnanswered(question)),
    ),
    insights,
    clock: runtime.clock,
    randomness: runtime.randomness,
    secrets,
    registrations: STATE ? registrationStore(STATE) : undefined,
    agents,
    revocations: new RevocationList(agents, runtime.timers),
    registry: new AgentRegistry(agents, quotas),
    proposals,
    intakeQueue: intakeQueue(proposals, runtime.clock),
    keys: STATE ? d1KeyBindings(STATE) : undefined,
    checkDatabase: databaseCheck(STATE),
    statusHistory: statusHistory(STATE, runtime.clock),
    quotas,
    budgets: budgetLevels(STATE && !isBench ? d1Budgets(STATE) : undefined, runtime.clock, features),
    // Only counts and limits of agents read who signed.
    identifyAgent: insights || deployment.signedAgents ? lazyVerifier(deployment.baseUrl, environment.CAPSULES, runtime) : undefined,
    agentLimiters: new Map(
      Object.entries(deployment.signedAgents ?? {}).map(([agent, requests]) => [
        agent,
        new TokenBuckets({ requests, windowSeconds: 60 }, 1),
      ]),
    ),
    limiters: isBench ? undefined : (Object.fromEntries(buckets) as Record<RateLimitName, TokenBuckets>),
    commerce: {
      orders: STATE ? d1Orders(STATE, runtime.randomness) : undefined,
      webhooks: STATE ? d1WebhookDeliveries(STATE) : undefined,
      invoices: STATE ? d1InvoiceRequests(STATE) : undefined,
      processor: deployment.commerce.processor === 'stripe' ? stripeOf(environment, deployment.keyPrefix) : undefined,
      readPaymentWebhook: stripeWebhookReader(environment.STRIPE_WEBHOOK_SECRETS),
      writeOrderEvent,
      sendWebhook: webhookSender(deployment.commerce.webhookHosts, runtime.timers),
    } satisfies CommerceDependencies,
    loadSales: async () => {
      if (sales !== undefined) return sales;
      if (deployment.payments === undefined) return { schemes: [], payments: undefined };
      const [{ payments }, { paymentDependencies }] = await Promise.all([loadAdapters(), import('./payment-dependencies.ts')]);
      const selling = await paymentDependencies(environment, secrets, deployment, deployment.payments, runtime, quotas, payments);
      sales ??= { schemes: payments.schemes, payments: selling };
      return sales;
    },
    location: environment.LIMITER && !isBench ? locationLimiter(environment.LIMITER, runtime.clock, runtime.timers) : undefined,
    serveFile: (request: Request) => ASSETS.fetch(request),
  };
}

/** Verifies who signed a request. Few requests are signed, so what verifies them is loaded for the first one. */
function lazyVerifier(...settings: Parameters<typeof agentVerifier>): IdentifyAgent {
  let verify: IdentifyAgent | undefined;
  return async (...request) => {
    const module = await import('./web-bot-auth.ts');
    verify ??= module.agentVerifier(...settings);
    return verify(...request);
  };
}

function quotasOf(
  database: D1Database | undefined,
  secrets: SigningSecrets | NotConfigured,
  isBench: boolean,
): ReturnableQuotas | undefined {
  if (database === undefined || 'missing' in secrets) return undefined;
  return isBench ? LIFTED_QUOTAS : d1Quotas(database, networkDigest(secrets));
}

function blockStore({ CAPSULES, ASSETS }: Environment, { storage }: Deployment, timers: Timers): BlockStore {
  if (storage === 'assets') return assetBlockStore(ASSETS, timers);
  return CAPSULES ? kvBlockStore(CAPSULES) : NO_BLOCKS;
}

/** Writes counts as data points of the Analytics Engine; texts of questions go to the database, which deletes them earlier. */
export function insightEvents(dataset: AnalyticsEngineDataset, addToDatabase: AddCounts): AddCounts {
  return async (dayMs, counts, nowMs) => {
    const questions = counts.filter(({ kind }) => kind === 'question');
    for (const { kind, name, count } of counts)
      if (kind !== 'question') dataset.writeDataPoint({ indexes: [kind], blobs: ['insight', kind, name], doubles: [count] });
    if (questions.length > 0) await addToDatabase(dayMs, questions, nowMs);
  };
}

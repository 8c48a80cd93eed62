import { AgentRegistry } from '../gateway/agents/register-agent.ts';
import { RevocationList } from '../gateway/agents/revocation-list.ts';
import type { ProtocolAdapters } from '../gateway/commerce/orders/order-ports.ts';
import { IntakeQueue } from '../gateway/intake/intake-queue.ts';
import { Corpus, type DeployedGeneration, type Ranking } from '../gateway/knowledge/corpus.ts';
import { BlockCache } from '../gateway/knowledge/load-block.ts';
import { LIFTED_QUOTAS } from '../gateway/limits/consume-quota.ts';
import { BudgetLevels } from '../gateway/limits/report-limits.ts';
import { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type { BlockStore, LocationBlocks, LocationLimiter, ReturnableQuotas, Timers } from '../gateway/ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { deployedFeatures } from '../schemas/features.ts';
import { RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { assetBlockStore, BLOCK_CACHE_BYTES, kvBlockStore } from './block-stores.ts';
import { commerceDependencies, paymentDependencies } from './commerce-dependencies.ts';
import { agentStore, registrationClaims } from './d1/agent-store.ts';
import { databaseCheck } from './d1/database.ts';
import { d1KeyBindings } from './d1/idempotency.ts';
import { d1Budgets, d1Quotas, networkDigest } from './d1/quotas.ts';
import { d1Submissions } from './d1/submissions.ts';
import { boundEnvironment, type Environment } from './environment.ts';
import { locationLimiter } from './location-limiter.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { readSigningSecrets } from './signing-secrets.ts';

/** Callers that one isolate counts at a time. */
const MAX_BUCKETS = 10_000;

function tokenBuckets(): Readonly<Record<RateLimitName, TokenBuckets>> {
  const buckets = Object.entries(RATE_LIMITS).map(([name, limit]) => [name, new TokenBuckets(limit, MAX_BUCKETS)]);
  return Object.fromEntries(buckets) as Record<RateLimitName, TokenBuckets>;
}

const NO_BLOCKS: BlockStore = {
  read: () => Promise.reject(new Error('no KV namespace is bound as CAPSULES')),
};

/**
 * The gateway's dependencies on Cloudflare, without the documents, which the build makes.
 *
 * @param bindings Each call of them gets a deadline.
 * @param location Blocks in front of KV; blocks among the files of the deploy are as near, and free to read.
 */
export async function gatewayDependencies(
  bindings: Environment,
  deployment: Deployment,
  generation: DeployedGeneration,
  ranking: Ranking,
  adapters: ProtocolAdapters,
  runtime: Runtime = systemRuntime,
  location?: LocationBlocks,
) {
  const environment = boundEnvironment(bindings, runtime.timers);
  const { STATE, ASSETS, SIGNING_SECRETS } = environment;
  const secrets = await readSigningSecrets(SIGNING_SECRETS, deployment.keyPrefix === 'akg_live_' ? 'live' : 'local');
  const submissions = STATE ? d1Submissions(STATE) : undefined;
  const agents = STATE ? agentStore(STATE) : undefined;
  const quotas = quotasOf(STATE, secrets, deployment);
  const features = deployedFeatures(deployment);
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
    ),
    clock: runtime.clock,
    randomness: runtime.randomness,
    secrets,
    claims: STATE ? registrationClaims(STATE) : undefined,
    agents,
    revocations: new RevocationList(agents, runtime.timers),
    registry: new AgentRegistry(agents, quotas),
    submissions,
    intakeQueue: new IntakeQueue(submissions, runtime.clock),
    keys: STATE ? d1KeyBindings(STATE) : undefined,
    checkDatabase: databaseCheck(STATE),
    quotas,
    budgets: new BudgetLevels(STATE && deployment.rateLimits !== 'bench' ? d1Budgets(STATE) : undefined, runtime.clock, features),
    limiters: deployment.rateLimits === 'bench' ? undefined : tokenBuckets(),
    commerce: commerceDependencies(environment, deployment, runtime, adapters.writeOrderEvent),
    paymentSchemes: adapters.payments.schemes,
    payments: paymentDependencies(environment, secrets, deployment, runtime, quotas, adapters.payments),
    location: locationOf(environment, deployment, runtime),
    serveFile: (request: Request) => ASSETS.fetch(request),
  };
}

function quotasOf(
  database: D1Database | undefined,
  secrets: Awaited<ReturnType<typeof readSigningSecrets>>,
  { rateLimits }: Deployment,
): ReturnableQuotas | undefined {
  if (database === undefined || 'missing' in secrets) return undefined;
  return rateLimits === 'bench' ? LIFTED_QUOTAS : d1Quotas(database, networkDigest(secrets));
}

function locationOf({ LIMITER }: Environment, { rateLimits }: Deployment, runtime: Runtime): LocationLimiter | undefined {
  return LIMITER === undefined || rateLimits === 'bench' ? undefined : locationLimiter(LIMITER, runtime.clock, runtime.timers);
}

function blockStore({ CAPSULES, ASSETS }: Environment, { storage }: Deployment, timers: Timers): BlockStore {
  if (storage === 'assets') return assetBlockStore(ASSETS, timers);
  return CAPSULES ? kvBlockStore(CAPSULES) : NO_BLOCKS;
}

import { BlockCache } from '../gateway/knowledge/block-cache.ts';
import { Corpus, type DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import type { Ranking } from '../gateway/knowledge/start-ranking.ts';
import { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type { BlockStore } from '../gateway/ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { RATE_LIMITS } from '../schemas/limits.ts';
import { assetBlockStore } from './assets/block-store.ts';
import { databaseCheck } from './d1/check-database.ts';
import { registrationClaims } from './d1/registration-claims.ts';
import type { Environment } from './environment.ts';
import { kvBlockStore } from './kv/block-store.ts';
import { BLOCK_CACHE_BYTES } from './isolate-memory.ts';
import { readSigningSecrets } from './signing-secrets.ts';

/** Callers that one isolate counts at a time. */
const MAX_BUCKETS = 10_000;

const NO_BLOCKS: BlockStore = {
  read: () => Promise.reject(new Error('no KV namespace is bound as CAPSULES')),
};

/** What the gateway works with on Cloudflare: everything but the documents, which the build decided. */
export async function gatewayDependencies(
  environment: Environment,
  deployment: Deployment,
  generation: DeployedGeneration,
  ranking: Ranking,
) {
  const { STATE, ASSETS, SIGNING_SECRETS } = environment;
  return {
    deployment,
    corpus: new Corpus(generation, blockStore(environment, deployment), new BlockCache(BLOCK_CACHE_BYTES), ranking),
    clock: { nowMs: () => Date.now() },
    randomness: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
    secrets: await readSigningSecrets(SIGNING_SECRETS),
    claims: STATE ? registrationClaims(STATE) : undefined,
    checkDatabase: databaseCheck(STATE),
    limiters:
      deployment.rateLimits === 'bench'
        ? undefined
        : {
            query: new TokenBuckets(RATE_LIMITS.query, MAX_BUCKETS),
            network: new TokenBuckets(RATE_LIMITS.network, MAX_BUCKETS),
            register: new TokenBuckets(RATE_LIMITS.register, MAX_BUCKETS),
          },
    serveFile: (request: Request) => ASSETS.fetch(request),
  };
}

function blockStore({ CAPSULES, ASSETS }: Environment, { storage }: Deployment): BlockStore {
  if (storage === 'assets') return assetBlockStore(ASSETS);
  return CAPSULES ? kvBlockStore(CAPSULES) : NO_BLOCKS;
}

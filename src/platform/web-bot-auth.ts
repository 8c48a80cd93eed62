import { component, isSignatureError, type Verifier, verifySignature, webcrypto } from 'http-message-sig';
import { calculateJwkThumbprint } from 'jose';
import { type Dictionary, type Item, isInnerList, parseDictionary, parseItem } from 'structured-headers';
import * as z from 'zod';
import { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import { LruCache } from '../gateway/memory-caches.ts';
import type { IdentifyAgent, SignedRequest } from '../gateway/platform-ports.ts';
import { attempt } from '../gateway/result.ts';
import { signatureDirectoryKey } from './block-stores.ts';
import type { Runtime } from './clock-and-deadlines.ts';
import { boundedText, type Fetch, LOOPBACK, sendInTime, systemFetch } from './outgoing-requests.ts';

/** Well-known path of the keys of an agent (draft-ietf-webbotauth-httpsig-protocol-00). */
const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';
const DIRECTORY_TYPE = 'application/http-message-signatures-directory+json';
const TAG = 'web-bot-auth';

/** Longest of the three headers, most signatures of a request that are looked at, and most keys of a directory. */
const HEADER_MAX_LENGTH = 4_096;
const SIGNATURES_MAX = 3;
const KEYS_MAX = 20;

/** Longest validity of a signature and tolerance of clocks, in seconds. */
const MAX_AGE_SECONDS = 86_400;
const CLOCK_SKEW_SECONDS = 60;

const DIRECTORY_DEADLINE_MS = 1_000;

/** How long a directory is used without asking again, in milliseconds: as it says itself, within bounds. The lower one is the wait after a failure. */
const LIFETIME_MS = { least: 300_000, usual: 3_600_000, most: 86_400_000 } as const;

/** How long keys are used after that while their directory does not answer, in milliseconds. Keys have no revocation, so their age is bounded. */
const STALE_MS = 86_400_000;

/** Downloads a minute, and writes to KV an hour: anybody can have any number of directories, and KV has 1,000 writes a day on the free plan. */
const DOWNLOADS = { each: { requests: 5, windowSeconds: 60 }, all: { requests: 30, windowSeconds: 60 } } as const;
const WRITES = { requests: 5, windowSeconds: 3_600 } as const;

/** Published private keys of RFC 9421, appendix B.1, by their thumbprints: a signature with them proves nothing. */
const KNOWN_PRIVATE_KEYS = ['poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U', 'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA'];

const PublicKey = z.object({
  kty: z.enum(['OKP', 'RSA']),
  crv: z.string().exactOptional(),
  x: z.string().max(64).exactOptional(),
  // RSA from 2,048 to 4,096 bits.
  n: z.string().min(340).max(684).exactOptional(),
  e: z.string().max(8).exactOptional(),
  nbf: z.number().exactOptional(),
  exp: z.number().exactOptional(),
});

const Jwks = z.object({ keys: z.array(z.unknown()) });

const Directory = z.object({ keys: z.array(PublicKey), freshUntilMs: z.number() });
type Directory = z.infer<typeof Directory>;

type Asking = Parameters<IdentifyAgent>[1];

interface DirectoryStore {
  get(key: string, options: { readonly type: 'text' }): Promise<string | null>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
}

/** A signature that cannot be checked now, which is not an error: the request counts as unsigned. */
class UnverifiedError extends Error {
  override readonly name = 'UnverifiedError';
}

/**
 * Who signed a request with Web Bot Auth (RFC 9421, draft-ietf-webbotauth-httpsig-protocol-00). Never throws. A request whose directory is
 * being downloaded for another one is unverified, because no request may wait for the promise of another. On a loopback `baseUrl`, directories
 * may be on this machine, without TLS. `store` keeps them between isolates.
 */
export function agentVerifier(
  baseUrl: string,
  store: DirectoryStore | undefined,
  { clock, timers }: Pick<Runtime, 'clock' | 'timers'>,
  fetch: Fetch = systemFetch,
): IdentifyAgent {
  const site = new URL(baseUrl);
  const isLocal = site.protocol === 'http:';
  const directories = new LruCache<string, Directory>(200);
  const retryAtMs = new LruCache<string, number>(1_000);
  const seen = new LruCache<string, true>(2_000);
  const downloads = { each: new TokenBuckets(DOWNLOADS.each, 1_000), all: new TokenBuckets(DOWNLOADS.all, 1) };
  const writes = new TokenBuckets(WRITES, 1);

  const download = (address: string): Promise<Directory> => {
    const read = async (response: Response): Promise<Directory> => {
      if (response.status !== 200) throw new UnverifiedError(`the directory returned ${response.status}`);
      const { keys } = Jwks.parse(JSON.parse(await boundedText(response, 'the directory')));
      const known = keys.slice(0, KEYS_MAX).flatMap((key) => PublicKey.safeParse(key).data ?? []);
      return { keys: known, freshUntilMs: clock.nowMs() + lifetimeMs(response.headers.get('cache-control') ?? '') };
    };
    const request = { name: 'the directory', deadlineMs: DIRECTORY_DEADLINE_MS, timers, fetch };
    return sendInTime(address, { headers: { Accept: DIRECTORY_TYPE } }, read, request);
  };

  const directoryAt = async (address: string, { network, defer }: Asking): Promise<Directory> => {
    const nowMs = clock.nowMs();
    const known = directories.get(address);
    if (known !== undefined && nowMs < known.freshUntilMs) return known;
    const isFresh = (directory: Directory | undefined): directory is Directory =>
      directory !== undefined && nowMs < directory.freshUntilMs + STALE_MS;
    const mayAsk = nowMs >= (retryAtMs.get(address) ?? 0) && downloads.each.take(network, nowMs).allowed;
    if (!mayAsk || !downloads.all.take('all', nowMs).allowed) {
      if (isFresh(known)) return known;
      throw new UnverifiedError('the directory was asked a short time ago');
    }
    retryAtMs.set(address, nowMs + LIFETIME_MS.least);
    const text = await store?.get(signatureDirectoryKey(address), { type: 'text' }).catch(() => undefined);
    const kept = Directory.safeParse(attempt((): unknown => JSON.parse(text ?? ''))).data;
    const isKept = kept !== undefined && nowMs < kept.freshUntilMs;
    const found = isKept ? kept : await download(address).catch(() => [known, kept].find(isFresh));
    if (found === undefined) throw new UnverifiedError('the directory did not answer');
    directories.set(address, found);
    if (store && !isKept && nowMs < found.freshUntilMs && writes.take('all', nowMs).allowed)
      defer(store.put(signatureDirectoryKey(address), JSON.stringify(found), { expirationTtl: (LIFETIME_MS.most + STALE_MS) / 1_000 }));
    return found;
  };

  const verify = async (request: Request, { label, target, agent, key }: Candidate, asking: Asking): Promise<SignedRequest> => {
    const now = Math.floor(clock.nowMs() / 1_000);
    const { components, parameters, signature } = await verifySignature(request, {
      label,
      policy: {
        algorithms: ['ed25519', 'rsa-pss-sha512'],
        requiredComponents: [target, component('signature-agent', key === undefined ? {} : { key })],
        requiredParameters: ['created', 'expires', 'keyid', 'tag'],
        maxAge: MAX_AGE_SECONDS,
        clockSkew: CLOCK_SKEW_SECONDS,
        now,
      },
      resolveVerifier: async ({ parameters: { keyid = '', expires = 0, created = 0 } }) => {
        if (expires - created > MAX_AGE_SECONDS) throw new TypeError('the signature is valid for more than a day');
        if (!isLocal && KNOWN_PRIVATE_KEYS.includes(keyid)) throw new TypeError('the private key is public');
        const directory = await directoryAt(agent + DIRECTORY_PATH, asking);
        return verifierOf(directory, keyid, now);
      },
    });
    const once = `${agent} ${signature.join()}`;
    const isRepeated = seen.get(once) === true;
    seen.set(once, true);
    if (isRepeated && parameters.nonce !== undefined) return { agent, outcome: 'invalid', reason: 'the nonce was used before' };
    const covered = components.map(({ name }) => name);
    const coversAddress = covered.includes('@target-uri') || covered.includes('@path');
    return { agent, outcome: 'verified', unlocks: !isRepeated && covered.includes('@method') && coversAddress };
  };

  return async (request, asking) => {
    if (new URL(request.url).host !== site.host) return undefined;
    let first: SignedRequest | undefined;
    for (const candidate of candidatesOf(request.headers, site.host, isLocal)) {
      const outcome = await verify(request, candidate, asking).catch((error: unknown): SignedRequest => {
        const cause = isSignatureError(error) && error.code === 'ResolverFailed' ? error.cause : error;
        const reason = cause instanceof Error ? cause.message : String(cause);
        return { agent: candidate.agent, outcome: cause instanceof UnverifiedError ? 'unverified' : 'invalid', reason };
      });
      if (outcome.outcome === 'verified') return outcome;
      first ??= outcome;
    }
    return first;
  };
}

/** The key of a directory with a thumbprint (RFC 7638), which is computed anew: what the directory calls it proves nothing. */
async function verifierOf({ keys }: Directory, keyid: string, nowSeconds: number): Promise<Verifier> {
  for (const { nbf = 0, exp = Number.POSITIVE_INFINITY, ...key } of keys) {
    if (seconds(nbf) > nowSeconds || seconds(exp) <= nowSeconds) continue;
    if ((await calculateJwkThumbprint(key).catch(() => undefined)) !== keyid) continue;
    const algorithm = key.kty === 'RSA' ? { name: 'RSA-PSS', hash: 'SHA-512' } : { name: 'Ed25519' };
    return webcrypto.verifier(await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify']));
  }
  throw new UnverifiedError('the directory has no such key');
}

/** Some directories state times in milliseconds. */
const seconds = (time: number): number => (time > 1e11 && Number.isFinite(time) ? time / 1_000 : time);

/** How long a directory says that it may be kept (RFC 9111 section 5.2.2.1), within our bounds. */
function lifetimeMs(cacheControl: string): number {
  const [, maxAge] = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl) ?? [];
  const { least, usual, most } = LIFETIME_MS;
  return maxAge === undefined ? usual : Math.min(most, Math.max(least, Number(maxAge) * 1_000));
}

interface Candidate {
  readonly label: string;
  readonly target: string;
  readonly agent: string;
  /** Its key in the dictionary `Signature-Agent`; absent where that header is a bare string, as older agents send it. */
  readonly key?: string;
}

function candidatesOf(headers: Headers, ownHost: string, isLocal: boolean): Candidate[] {
  const [inputs, sent] = [headers.get('signature-input'), headers.get('signature-agent')];
  if (inputs === null || sent === null || inputs.length > HEADER_MAX_LENGTH || sent.length > HEADER_MAX_LENGTH) return [];
  const members: Dictionary | undefined = attempt(() => parseDictionary(inputs));
  const agents: Dictionary | undefined = sent.startsWith('"') ? undefined : attempt(() => parseDictionary(sent));
  const legacy: Item | undefined = sent.startsWith('"') ? attempt(() => parseItem(sent)) : undefined;
  const found = [...(members ?? [])].flatMap(([label, member]): Candidate[] => {
    if (!isInnerList(member) || member[1].get('tag') !== TAG) return [];
    const covered = member[0].find(([name]) => name === 'signature-agent');
    const key = covered?.[1].get('key');
    const named = typeof key === 'string' ? agents?.get(key) : legacy;
    const isDirectory = named !== undefined && !isInnerList(named) && (named[1].get('type') ?? 'directory') === 'directory';
    const agent = isDirectory ? agentOrigin(named[0], ownHost, isLocal) : undefined;
    const target = member[0].some(([name]) => name === '@target-uri') ? '@target-uri' : '@authority';
    return agent === undefined ? [] : [{ label, target, agent, ...(typeof key === 'string' ? { key } : {}) }];
  });
  return found.slice(0, SIGNATURES_MAX);
}

/** Names under which no agent of the internet is. */
const NOT_PUBLIC = /(^|\.)(localhost|local|internal|test|invalid|example|onion|arpa)$/;

/** The origin that an agent names, if a request to it cannot reach this site, an address or a host of a local network. */
function agentOrigin(value: unknown, ownHost: string, isLocal: boolean): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || url.host === ownHost || url.href !== `${url.origin}/`) return undefined;
  if (isLocal && url.protocol === 'http:' && LOOPBACK.test(url.host)) return url.origin;
  const isName = /\.[a-z][a-z0-9-]*$/.test(url.hostname) && !NOT_PUBLIC.test(url.hostname);
  return url.protocol === 'https:' && url.port === '' && isName ? url.origin : undefined;
}

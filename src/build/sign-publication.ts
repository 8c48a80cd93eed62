import { hash } from 'node:crypto';
import { pageOf } from '../gateway/knowledge/record-pages.ts';
import { canonicalJson } from '../provenance/canonical-json.ts';
import type { LoggedChange } from '../provenance/change-log.ts';
import type { DetachedSignature } from '../provenance/lineage-records.ts';
import { makeSigner, PrivateKeyError, type Signer, type StatementKind } from '../provenance/sign.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import type { CachedResults } from '../publication/build-cache.ts';
import { UserError } from '../publication/content-problem.ts';
import { KEYS_FILE } from '../publication/read/read-keys.ts';
import type { CorpusManifest, CorpusManifestStatement } from '../schemas/knowledge/corpus-responses.ts';
import type { LineageProof, Tombstone } from '../schemas/knowledge/lineage.ts';
import { DAY_MS, dayOf } from '../schemas/time.ts';
import type { PublishedCapsule } from '../text/publication-model.ts';

/** @throws {UserError} If it is not a usable private key. The message does not show it. */
export async function readSigner(secret: string | undefined): Promise<Signer | undefined> {
  if (secret === undefined || secret === '') return undefined;
  try {
    return await makeSigner(secret);
  } catch (error) {
    if (!(error instanceof PrivateKeyError)) throw error;
    throw new UserError(`LINEAGE_KEY ${error.message}; "npm run keys:new" creates a key, and prints it after "LINEAGE_KEY="`);
  }
}

interface SigningOptions {
  readonly today: string;
  readonly mode: 'edge' | 'static';
  /** Whether a publication with an active key may be built without it. */
  readonly mayBeUnsigned: boolean;
}

/**
 * What signs a build; `undefined` if `LINEAGE_KEY` is not set.
 *
 * @throws {UserError} Without the key, if it is not of an active key in content/keys.yaml, or is not set although one is active.
 */
export async function readSigning(
  secret: string | undefined,
  content: AuthoredContent,
  { today, mode, mayBeUnsigned }: SigningOptions,
): Promise<Signing | undefined> {
  const signer = await readSigner(secret);
  if (signer === undefined) {
    if (!mayBeUnsigned && hasActiveSigningKey(content))
      throw new UserError(
        `${KEYS_FILE} lists an active key, but LINEAGE_KEY is not set: set it to the private half of that key, or build without signatures: npm run build${mode === 'static' ? ':static' : ''} -- --unsigned`,
      );
    return undefined;
  }
  const { kid, x } = signer.publicKey;
  const listed = content.keys.find((key) => key.kid === kid);
  if (listed === undefined)
    throw new UserError(
      `LINEAGE_KEY is not in ${KEYS_FILE}: run "npm run keys:new" and use the key that it prints, or add the public half of this one: { kid: "${kid}", x: "${x}", created: "${today}" }`,
    );
  if (listed.retired !== undefined)
    throw new UserError(
      `LINEAGE_KEY is the key ${kid}, retired on ${listed.retired} in ${KEYS_FILE}: use an active key, or create one with "npm run keys:new"`,
    );
  return { signer, today, validDays: content.publisher.proof_days };
}

function hasActiveSigningKey({ keys }: Pick<AuthoredContent, 'keys'>): boolean {
  return keys.some(({ retired }) => retired === undefined);
}

/** How a build is signed. A missing key is easily overlooked, so the line is in capitals. */
export function signingLine(signing: Signing | undefined, content: AuthoredContent): string {
  if (signing !== undefined) return `records are signed by ${signing.signer.publicKey.kid}`;
  return hasActiveSigningKey(content)
    ? 'UNSIGNED, although content/keys.yaml lists a key: LINEAGE_KEY is not set'
    : 'unsigned, because LINEAGE_KEY is not set (npm run keys:new creates a key)';
}

export interface Signing {
  readonly signer: Signer;
  readonly today: string;
  /** Days from the issue of a head or manifest until it expires. */
  readonly validDays: number;
}

/** Signatures of earlier builds, each under everything that it was made from: those of Ed25519 have no randomness (RFC 8032). */
export type SignatureCache = Pick<CachedResults<DetachedSignature>, 'get' | 'set'>;

interface SigningWork {
  readonly cache?: SignatureCache | undefined;
  readonly onSigned?: ((signed: number, all: number) => void) | undefined;
}

/** Capsules that are signed at once: each waits with its statements in memory. */
const BATCH_CAPSULES = 256;

/** Signs the records and heads of all capsules; without a key, returns them unsigned. */
export async function signCapsules(
  capsules: readonly PublishedCapsule[],
  signing: Signing | undefined,
  { cache, onSigned }: SigningWork = {},
): Promise<PublishedCapsule[]> {
  if (signing === undefined) return [...capsules];
  const count = { signed: 0, all: 0 };
  const sign = async (kind: StatementKind, statement: object, digest: string): Promise<DetachedSignature> => {
    const from = `${signing.signer.publicKey.kid} ${kind} ${digest}`;
    count.all += 1;
    const known = cache?.get(from);
    if (known !== undefined) return known;
    count.signed += 1;
    const signature = await signing.signer.sign(kind, statement);
    cache?.set(from, signature);
    return signature;
  };
  const signProof = async <Proof extends LineageProof>(proof: Proof, renewed: string): Promise<Proof> => {
    const statement = { ...proof.head.statement, ...validity(proof.head.statement.issued, signing, renewed) };
    const versions = proof.versions.map(async (link) => ({ ...link, signatures: [await sign('record', link.record, link.recordDigest)] }));
    return {
      ...proof,
      versions: await Promise.all(versions),
      head: { statement, signatures: [await sign('head', statement, hash('sha256', canonicalJson(statement)))] },
    };
  };
  const signCapsule = async (capsule: PublishedCapsule): Promise<PublishedCapsule> => {
    const renewed = renewalMonth(capsule.id, signing);
    const { formerly } = capsule.lineage;
    const signedFormerly = formerly && (await Promise.all(formerly.map((proof) => signProof(proof, renewed))));
    const lineage = await signProof(capsule.lineage, renewed);
    return { ...capsule, lineage: { ...lineage, ...(signedFormerly === undefined ? {} : { formerly: signedFormerly }) } };
  };
  const signed: PublishedCapsule[] = [];
  for (let start = 0; start < capsules.length; start += BATCH_CAPSULES)
    signed.push(...(await Promise.all(capsules.slice(start, start + BATCH_CAPSULES).map(signCapsule))));
  onSigned?.(count.signed, count.all);
  return signed;
}

/** Tombstones, signed if there is a key. They do not expire: nothing follows them. */
export async function signTombstones(tombstones: readonly Tombstone[], signing: Signing | undefined): Promise<Tombstone[]> {
  if (signing === undefined) return [...tombstones];
  return Promise.all(
    tombstones.map(async ({ id, versions, head: { statement } }) => ({
      id,
      versions,
      head: { statement, signatures: [await signing.signer.sign('tombstone', statement)] },
    })),
  );
}

export async function signManifest(statement: CorpusManifestStatement, signing: Signing | undefined): Promise<CorpusManifest> {
  if (signing === undefined) return { statement, signatures: [] };
  const signed = { ...statement, ...validity(statement.issued, signing, firstOfMonth(monthOf(signing.today))) };
  return { statement: signed, signatures: [await signing.signer.sign('corpus', signed)] };
}

/** A head is renewed every this many days of its validity, in months: with 180 days every third month, when about half of it has passed. */
const DAYS_PER_RENEWAL_MONTH = 60;

/** Groups of ids that are renewed together. From as many pages of lineages on, which the same hash chooses, a group has pages of its own. */
const RENEWAL_GROUPS = 64;

/**
 * The newest month in which the head of a capsule was due, as the time at which it began. Each month another part of all capsules is due, so
 * that a renewal rewrites a part of the lineages. It follows from the id alone, so that a build without changes gives the same bytes.
 */
function renewalMonth(capsuleId: string, { today, validDays }: Signing): string {
  const period = Math.max(1, Math.floor(validDays / DAYS_PER_RENEWAL_MONTH));
  const due = Math.floor((pageOf(capsuleId, RENEWAL_GROUPS) * period) / RENEWAL_GROUPS);
  const month = monthOf(today);
  return firstOfMonth(month - ((month - due) % period));
}

function monthOf(day: string): number {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return year * 12 + month - 1;
}

function firstOfMonth(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01T00:00:00Z`;
}

/** @param changed When the statement began to hold. @param renewed When it was to be issued anew. */
function validity(changed: string, { validDays }: Signing, renewed: string): { issued: string; validUntil: string } {
  const issued = changed > renewed ? changed : renewed;
  return { issued, validUntil: `${dayOf(Date.parse(issued) + validDays * DAY_MS)}T00:00:00Z` };
}

/** Dates every head with the newest event of its capsule, if that is later: a head with another status must be issued after the one before it. */
export function dateHeads(capsules: readonly PublishedCapsule[], log: readonly LoggedChange[]): PublishedCapsule[] {
  const days = new Map<string, string>();
  for (const { capsule_id, date } of log) if (date > (days.get(capsule_id) ?? '')) days.set(capsule_id, date);
  const dated = ({ statement, signatures }: LineageProof['head']): LineageProof['head'] => {
    const day = days.get(statement.id);
    const issued = day === undefined || `${day}T00:00:00Z` <= statement.issued ? statement.issued : `${day}T00:00:00Z`;
    return { statement: { ...statement, issued }, signatures };
  };
  return capsules.map((capsule) => {
    const { head, formerly } = capsule.lineage;
    return {
      ...capsule,
      lineage: {
        ...capsule.lineage,
        head: dated(head),
        ...(formerly === undefined ? {} : { formerly: formerly.map((proof) => ({ ...proof, head: dated(proof.head) })) }),
      },
    };
  });
}

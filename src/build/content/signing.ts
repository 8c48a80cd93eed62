import type { LoggedChange } from '../../provenance/change-log.ts';
import { makeSigner, PrivateKeyError, type Signer } from '../../provenance/sign.ts';
import type { PublishedCapsule } from '../../publication/capsules/published-capsules.ts';
import type { Content } from '../../publication/content.ts';
import { KEYS_FILE } from '../../publication/read-keys.ts';
import type { CorpusManifest, CorpusManifestStatement } from '../../schemas/knowledge/changes.ts';
import type { LineageProof } from '../../schemas/knowledge/lineage.ts';
import { UserError } from '../user-error.ts';

/**
 * Signer of `LINEAGE_KEY`, or `undefined` if that is not set.
 *
 * @throws {UserError} If it is no private key that may be used. The message does not show it.
 */
export async function readSigner(secret: string | undefined): Promise<Signer | undefined> {
  if (secret === undefined || secret === '') return undefined;
  try {
    return await makeSigner(secret);
  } catch (error) {
    if (!(error instanceof PrivateKeyError)) throw error;
    throw new UserError(`LINEAGE_KEY ${error.message}; npm run keys:new makes one, and what stands behind "LINEAGE_KEY=" is it`);
  }
}

/** What decides whether and how a build is signed. */
export interface SigningOptions {
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether a publication that has an active key may be built without it. */
  readonly mayBeUnsigned: boolean;
}

/**
 * What signs a build, or `undefined` if `LINEAGE_KEY` is not set.
 *
 * @throws {UserError} If it is no private key, or not that of an active key in content/keys.yaml; or if it is not set, although
 * there is an active key. The message does not show it.
 */
export async function readSigning(
  secret: string | undefined,
  content: Content,
  { today, mayBeUnsigned }: SigningOptions,
): Promise<Signing | undefined> {
  const signer = await readSigner(secret);
  if (signer === undefined) {
    if (!mayBeUnsigned && hasActiveSigningKey(content))
      throw new UserError(
        `${KEYS_FILE} lists an active key, and LINEAGE_KEY is not set: set it to the private half of that key, or build without signatures by "npm run build -- --unsigned"`,
      );
    return undefined;
  }
  const { kid, x } = signer.publicKey;
  const listed = content.keys.find((key) => key.kid === kid);
  if (listed === undefined)
    throw new UserError(
      `LINEAGE_KEY is not the key of any entry in ${KEYS_FILE}: run "npm run keys:new" and use the key that it makes, or add the public half of this one there: { kid: "${kid}", x: "${x}", created: "${today}" }`,
    );
  if (listed.retired !== undefined)
    throw new UserError(
      `LINEAGE_KEY is the key ${kid}, which ${KEYS_FILE} says was retired on ${listed.retired}: use one that is active, or make one with "npm run keys:new"`,
    );
  return { signer, today, validDays: content.publisher.proof_days };
}

/** Whether readers of a publication can expect that it is signed. */
export function hasActiveSigningKey({ keys }: Pick<Content, 'keys'>): boolean {
  return keys.some(({ retired }) => retired === undefined);
}

/** What signs the statements of a build, and for how long they may be relied on. */
export interface Signing {
  readonly signer: Signer;
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
  /** Days from when a head or a manifest is issued until it expires. */
  readonly validDays: number;
}

/** Signs the records and heads of all capsules; without a key they stay as they are. */
export async function signCapsules(capsules: readonly PublishedCapsule[], signing: Signing | undefined): Promise<PublishedCapsule[]> {
  if (signing === undefined) return [...capsules];
  return Promise.all(
    capsules.map(async (capsule) => ({ ...capsule, lineage: { ...capsule.lineage, ...(await signProof(capsule.lineage, signing)) } })),
  );
}

async function signProof({ versions, head }: LineageProof, signing: Signing): Promise<Pick<LineageProof, 'versions' | 'head'>> {
  const { signer } = signing;
  const statement = { ...head.statement, ...validity(head.statement.issued, signing) };
  return {
    versions: await Promise.all(versions.map(async (link) => ({ ...link, signatures: [await signer.sign('record', link.record)] }))),
    head: { statement, signatures: [await signer.sign('head', statement)] },
  };
}

/** The manifest of a corpus, signed if there is a key. */
export async function signManifest(statement: CorpusManifestStatement, signing: Signing | undefined): Promise<CorpusManifest> {
  if (signing === undefined) return { statement, signatures: [] };
  const signed = { ...statement, ...validity(statement.issued, signing) };
  return { statement: signed, signatures: [await signing.signer.sign('corpus', signed)] };
}

/**
 * When a statement is issued and until when it holds. It is issued anew on the first of every month, and not with every build, so
 * that a build that changes nothing gives the same bytes; a change after that day bears its own.
 */
function validity(changed: string, { today, validDays }: Signing): { issued: string; validUntil: string } {
  const month = `${today.slice(0, 'YYYY-MM'.length)}-01T00:00:00Z`;
  const issued = changed > month ? changed : month;
  const validUntil = new Date(Date.parse(issued) + validDays * 86_400_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return { issued, validUntil: `${validUntil}T00:00:00Z` };
}

/**
 * Gives every head the day of the newest event of its capsule, if that is after the day of its newest version: a head that states
 * another state is issued later than the one before it, and so cannot be taken for it.
 */
export function dateHeads(capsules: readonly PublishedCapsule[], log: readonly LoggedChange[]): PublishedCapsule[] {
  const days = new Map<string, string>();
  for (const { capsule_id, date } of log) if (date > (days.get(capsule_id) ?? '')) days.set(capsule_id, date);
  return capsules.map((capsule) => {
    const { statement, signatures } = capsule.lineage.head;
    const day = days.get(capsule.id);
    const issued = day === undefined || `${day}T00:00:00Z` <= statement.issued ? statement.issued : `${day}T00:00:00Z`;
    return { ...capsule, lineage: { ...capsule.lineage, head: { statement: { ...statement, issued }, signatures } } };
  });
}

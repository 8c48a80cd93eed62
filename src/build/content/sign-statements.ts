import type { Signer } from '../../provenance/sign.ts';
import type { PublishedCapsule } from '../../publication/capsules/published-capsules.ts';
import type { CorpusManifest, CorpusManifestStatement } from '../../schemas/knowledge/changes.ts';
import type { LineageProof } from '../../schemas/knowledge/lineage.ts';

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

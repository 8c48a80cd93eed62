import type { Source } from '../provenance/bytes.ts';
import type { Proof, Verdict } from '../provenance/verify/checks.ts';
import { toText } from '../provenance/verify/documents.ts';
import { verify } from '../provenance/verify/verify.ts';
import type { Capsule } from '../schemas/knowledge/capsule.ts';
import type { Lineage } from '../schemas/knowledge/lineage.ts';
import type { QueryResponse, QueryResult } from '../schemas/knowledge/query.ts';
import type { SearchResponse, SiteResult } from '../schemas/knowledge/search.ts';

/** What can be verified: an answer with all members of its results, a capsule, or a lineage. */
export type VerifiableDocument = QueryResponse | SearchResponse | Capsule | Lineage;

/** What a document is verified against; what is missing of lineages and texts is read from the site. */
export type Evidence = Partial<Omit<Proof, 'document' | 'kind' | 'parts'>>;

/** Reads from the site. */
export interface EvidenceReader {
  readonly lineage: (id: string) => Promise<Lineage>;
  /** Bytes at a root-relative address. */
  readonly text: (path: string) => Promise<Source>;
}

/**
 * Verifies a document as `/verify.js` does. Quotes and texts of an answer are compared with the records in the lineages; those of guides, offers and
 * errors, which have none, with the digest in the result. Signatures are checked if `trust` has the keys of the publisher.
 */
export async function verifyDocument(
  document: VerifiableDocument,
  evidence: Evidence & Pick<Proof, 'now'>,
  read: EvidenceReader,
): Promise<Verdict> {
  const lineages: Record<string, Source> = { ...evidence.lineages };
  const texts: Record<string, Source> = { ...evidence.texts };
  const textAt = async (path: string): Promise<Source> => {
    const text = texts[path] ?? (await read.text(path));
    texts[path] = text;
    return text;
  };
  const results = 'results' in document ? document.results : [];
  const capsules = results.filter((result) => result.kind === 'capsule') as QueryResult[];
  const others = results.filter((result) => result.kind !== 'capsule') as SiteResult[];

  const readEvidence = async ({ capsule_id, version, access }: QueryResult | Capsule): Promise<void> => {
    const lineage = lineages[capsule_id] ?? JSON.stringify(await read.lineage(capsule_id));
    lineages[capsule_id] = lineage;
    const { versions } = JSON.parse(toText(lineage)) as Lineage;
    const record = versions.find((link) => link.record.version === version)?.record;
    if ('results' in document && access !== 'paid' && record) await textAt(record.canonical);
  };
  await Promise.all(('capsule_id' in document ? [document] : capsules).map(readEvidence));

  await Promise.all(others.map(({ markdown_url: address }) => textAt(new URL(address).pathname)));
  return verify({ ...evidence, document: JSON.stringify(document), lineages, texts });
}

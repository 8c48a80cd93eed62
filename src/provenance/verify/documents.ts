/** A statement, as far as checks read it. */
export interface Statement {
  readonly $schema: string;
  readonly issuer: { readonly id: string };
  readonly issued: string;
  readonly validUntil?: string;
}

/** A text that a version rests on. */
export interface Derivation extends Source {
  readonly relation: string;
  readonly uri: string;
}

/** What records and capsules say of a source in the same words. */
export interface Source {
  readonly key?: string;
  readonly title?: string;
  readonly publisher?: string;
  readonly retrieved?: string;
}

/** What is told of bytes. */
export interface Described {
  readonly size?: number;
  readonly digest?: { readonly 'sha-256': string };
}

/** Record of a version; no form is sure of members that are read by the check `fields` alone. */
export interface VersionRecord extends Statement, Described {
  readonly id: string;
  readonly version: string;
  readonly sequence: number;
  readonly canonical: string;
  readonly previous?: unknown;
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly language: string;
  readonly evidence: string;
  readonly license: string;
  readonly tags: readonly string[];
  readonly derivedFrom: readonly Derivation[];
  readonly cites: readonly string[];
}

/** Head of a lineage. */
export interface HeadStatement extends Statement {
  readonly id: string;
  readonly status: string;
  readonly statusReason?: string;
  readonly supersededBy?: string;
  readonly head: string;
  readonly version: string;
  readonly count: number;
}

/** Flattened JWS with detached payload (RFC 7515, appendix F). */
export interface Signature {
  readonly protected: string;
  readonly signature: string;
}

/** Statement with its signatures. */
export interface Signed<S> {
  readonly statement: S;
  readonly signatures: readonly Signature[];
}

/** Lineage of a capsule. */
export interface Lineage {
  readonly id: string;
  readonly versions: readonly {
    readonly record: VersionRecord;
    readonly recordDigest: string;
    readonly signatures: readonly Signature[];
  }[];
  readonly head: Signed<HeadStatement>;
}

/** Manifest of a corpus. */
export interface ManifestStatement extends Statement {
  readonly corpusDigest: string;
  readonly capsules: number;
  readonly versions: number;
  readonly bundle: {
    readonly parts: readonly (Described & { readonly lines: number })[];
  };
  readonly changes: { readonly count: number };
}

/** One line of a bundle. */
export interface BundleLine {
  readonly lineage: Lineage;
  readonly texts: readonly { readonly markdown: string | null }[];
}

/** A capsule, or a result of a query; no form is sure of members that are read by the check `fields` alone. */
export interface Item {
  readonly capsule_id: string;
  readonly version: string;
  readonly license: string;
  readonly access?: string;
  readonly quote: { readonly start: number; readonly end: number; readonly text: string };
}

/** A capsule, with what results have not. */
export interface Capsule extends Item {
  readonly markdown?: string;
  readonly sources: readonly (Source & { readonly url: string; readonly key: string })[];
  readonly supersedes: readonly { readonly capsule_id: string }[];
  readonly derived_from: readonly string[];
  readonly cites: readonly string[];
  readonly versions: readonly {
    readonly version: string;
    readonly issued: string;
    readonly content_sha256: string;
    readonly record_digest: string;
  }[];
}

/** Members of documents of all kinds; a document has those of its own. */
export type Document = Lineage & Signed<ManifestStatement> & Omit<Capsule, 'versions'> & { readonly results: readonly Item[] };

/** A statement, as far as checks read it. */
export interface Statement {
  readonly issuer: { readonly id: string };
  readonly issued: string;
  readonly validUntil?: string;
}

/** Record of a version, as far as checks read it. */
export interface VersionRecord extends Statement {
  readonly id: string;
  readonly version: string;
  readonly sequence: number;
  readonly size: number;
  readonly digest: { readonly 'sha-256': string };
  readonly previous?: { readonly version: string; readonly recordDigest: string };
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly language: string;
  readonly evidence: string;
  readonly license: string;
  readonly tags: readonly string[];
  readonly canonical?: unknown;
  readonly derivedFrom?: unknown;
  readonly cites?: unknown;
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
    readonly parts: readonly {
      readonly uri: string;
      readonly size: number;
      readonly lines: number;
      readonly digest: { readonly 'sha-256': string };
    }[];
  };
  readonly changes: { readonly count: number };
}

/** One line of a bundle. */
export interface BundleLine {
  readonly lineage: Lineage;
  readonly texts: readonly { readonly version: string; readonly markdown: string }[];
}

/** A capsule, or a result of a query, with members that are not looked at before `fields`. */
export interface Item extends Readonly<Record<string, unknown>> {
  readonly capsule_id: string;
  readonly version: string;
  readonly markdown: string;
  readonly quote: { readonly start: number; readonly end: number; readonly text: string };
}

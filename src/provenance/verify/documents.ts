import type { LogEnd } from '../change-log.ts';
import type { ChainLink, Derivation, DetachedSignature, LineageHead, VersionRecord } from '../lineage-records.ts';

/*
 * Documents as they are published. A document under verification may have any other form: checks use only members whose form they have
 * checked, and fail where a comparison throws.
 */

/** The members of a statement by which its signatures and time are verified. */
export interface SignedStatement extends Pick<VersionRecord, '$schema' | 'issued'> {
  readonly issuer: { readonly id: string };
  readonly validUntil?: string | undefined;
}

/** Size and digest of bytes. */
export interface ByteDigest {
  readonly size?: number;
  readonly digest?: { readonly 'sha-256': string };
}

/** Statement with its signatures. */
interface Signed<S> {
  readonly statement: S;
  readonly signatures: readonly DetachedSignature[];
}

/** Lineage of a capsule. */
export interface VerifiedLineage {
  readonly id: string;
  readonly versions: readonly ChainLink[];
  /** In a tombstone, whose `versions` are empty, the statement names the versions that are gone. */
  readonly head: Signed<LineageHead & { readonly versions: readonly Pick<ChainLink, 'recordDigest'>[] }>;
}

/** Manifest of a corpus. */
interface ManifestStatement extends SignedStatement {
  readonly corpusDigest: string;
  readonly capsules: number;
  readonly versions: number;
  readonly bundle: { readonly parts: readonly (ByteDigest & { readonly lines: number })[] };
  readonly changes: LogEnd;
}

/** The manifest of a corpus with its signatures. */
export type VerifiedManifest = Signed<ManifestStatement>;

/** One line of a bundle. */
export interface BundleLine {
  readonly lineage: VerifiedLineage;
  readonly texts: readonly { readonly markdown: string | null }[];
}

/** A capsule, or a result of a query; results that are no capsules have the optional members, and no id of a capsule. */
export interface CapsuleClaims {
  readonly capsule_id: string;
  readonly kind?: string;
  readonly id?: string;
  readonly markdown_url?: string;
  readonly content_sha256?: string;
  readonly version: string;
  readonly license: string;
  readonly access?: string;
  readonly quote: { readonly start: number; readonly end: number; readonly text: string };
}

/** A capsule document, with the members that a result lacks. */
export interface CapsuleDocument extends CapsuleClaims {
  readonly markdown?: string;
  readonly sources: readonly (Pick<Derivation, 'title' | 'publisher' | 'retrieved'> & { readonly url: string; readonly key: string })[];
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

/** Members of documents of all kinds; each document has those of its kind. */
export type Document = VerifiedLineage &
  VerifiedManifest &
  Omit<CapsuleDocument, 'versions'> & { readonly results: readonly CapsuleClaims[] };

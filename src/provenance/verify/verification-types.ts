import { type Source, sha256Hex, toBytes } from '../bytes-and-sha256.ts';
import type { LogEnd } from '../change-log.ts';
import type { ChainLink, Derivation, DetachedSignature, LineageHead, VersionRecord } from '../lineage-records.ts';

export type Kind = 'lineage' | 'capsule' | 'answer' | 'manifest';

const ALL: readonly Kind[] = ['lineage', 'capsule', 'answer', 'manifest'];

/** The checks in order, with the kinds of documents that each is made of. */
const KINDS = {
  ...{ json: ALL, form: ALL, subject: ALL, records: ALL, chain: ALL, head: ALL, fresh: ALL },
  known: ['lineage', 'manifest'],
  text: ALL,
  fields: ['capsule', 'answer'],
  quote: ['answer'],
  ...{ parts: ['manifest'], corpus: ['manifest'] },
  signature: ALL,
} satisfies Readonly<Record<string, readonly Kind[]>>;
export type CheckName = keyof typeof KINDS;

export interface Check {
  readonly check: CheckName;
  readonly ok: boolean;
  /** The first subject that failed, or the last that passed. */
  readonly detail: string;
}

export interface Proof {
  /** A lineage, a capsule, an answer to a query, or a manifest. */
  readonly document: Source;
  /** Kind of the document; by default derived from its members. */
  readonly kind?: Kind;
  /** Lineages by capsule id, for a capsule or an answer. */
  readonly lineages?: Readonly<Record<string, Source>>;
  /** Exact texts, by the `canonical` address of their records. */
  readonly texts?: Readonly<Record<string, Source>>;
  /** Parts of the bundle, in order, for a manifest; a large bundle need not be in memory. */
  readonly parts?: (Iterable<Source> | AsyncIterable<Source>) & { readonly length: number };
  readonly id?: string;
  /** An older copy of the lineage or manifest. */
  readonly known?: Source | undefined;
  /** JWK Set or DID document. */
  readonly trust?: Source | undefined;
  /** Time of verification: `YYYY-MM-DDThh:mm:ssZ`. */
  readonly now: string;
}

export interface Verdict {
  readonly kind: Kind;
  /** Every check that was made, once each, in the order of first use. */
  readonly checks: readonly Check[];
  /** 1 if a check other than `signature` failed, else 2 if that failed, else 0. */
  readonly exit: 0 | 1 | 2;
}

export const checksOf = (kind: Kind): CheckName[] =>
  (Object.keys(KINDS) as CheckName[]).filter((check) => (KINDS[check] as readonly Kind[]).includes(kind));

/*
 * Documents as they are published. A document under verification may have any other form: checks use only members whose form they have
 * checked, and fail where a comparison throws.
 */

export interface SignedStatement extends Pick<VersionRecord, '$schema' | 'issued'> {
  readonly issuer: { readonly id: string };
  readonly validUntil?: string | undefined;
}

export interface ByteDigest {
  readonly size?: number;
  readonly digest?: { readonly 'sha-256': string };
}

interface Signed<S> {
  readonly statement: S;
  readonly signatures: readonly DetachedSignature[];
}

export interface VerifiedLineage {
  readonly id: string;
  readonly versions: readonly ChainLink[];
  /** In a tombstone, whose `versions` are empty, the statement names the versions that are gone. */
  readonly head: Signed<LineageHead & { readonly versions: readonly Pick<ChainLink, 'recordDigest'>[] }>;
}

interface ManifestStatement extends SignedStatement {
  readonly corpusDigest: string;
  readonly capsules: number;
  readonly versions: number;
  readonly bundle: { readonly parts: readonly (ByteDigest & { readonly lines: number })[] };
  readonly changes: LogEnd;
}

export type VerifiedManifest = Signed<ManifestStatement>;

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
  readonly answer?: { readonly start: number; readonly end: number; readonly text: string };
}

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

const DEPTH_MAX = 64;

/** Brackets and colons of JSON outside of its strings; escapes occur only in strings. */
const skeleton = (json: string): string => json.replace(/\\./g, '').replace(/"[^"]*"|[^[\]{}:]/g, '');

/** @throws {Error} If a document does not have its form. */
export function demand(hasForm: unknown): asserts hasForm {
  if (!hasForm) throw new Error('form');
}

/** Text of bytes, with any byte order mark. @throws {TypeError} If they are not UTF-8. */
export const toText = (source: Source): string =>
  typeof source === 'string' ? source : new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(source);

/**
 * Value of a JSON document in well-formed Unicode without duplicate member names (RFC 7493, sections 2.1 and 2.3). A duplicate member is
 * parsed once, so serializing the value again gives fewer colons; a lone surrogate is serialized as an escape.
 *
 * @throws {Error} If the document is anything else.
 */
export function readJson(source: Source): unknown {
  const text = toText(source);
  const value: unknown = JSON.parse(text);
  const serialized = JSON.stringify(value);
  let nested = skeleton(text);
  demand(nested.length === skeleton(serialized).length && !/[^\\](\\\\)*\\ud/.test(serialized));
  for (let depth = DEPTH_MAX; depth--; ) nested = nested.replace(/\[]|{:*}/g, '');
  demand(!nested);
  return value;
}

/** RFC 8785, without undefined members. @throws {Error} If a number is not an integer, or too large to be exact. */
export function canonical(value: unknown): string {
  demand(typeof value !== 'number' || Number.isSafeInteger(value));
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item))}]`;
  if (Object(value) !== value) return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return `{${names.sort().map((name) => `${canonical(name)}:${canonical(members[name])}`)}}`;
}

export const hasDigest = async (claim: ByteDigest | undefined, source: Source): Promise<boolean> =>
  claim?.size === toBytes(source).length && claim.digest?.['sha-256'] === (await sha256Hex(source));

/** Digest of a statement's canonical form, which identifies it. */
export const statementDigest = async (statement: unknown): Promise<string> => `sha256:${await sha256Hex(canonical(statement))}`;

import { fromBase64Url, type Source, sha256, sha256Hex, toBase64Url, toBytes } from '../bytes-and-sha256.ts';
import type { Derivation, DetachedSignature, VersionRecord } from '../lineage-records.ts';
import {
  type BundleLine,
  type CapsuleClaims,
  type CapsuleDocument,
  type Check,
  type CheckName,
  canonical,
  type Document,
  demand,
  hasDigest,
  type Kind,
  type Proof,
  readJson,
  type SignedStatement,
  statementDigest,
  toText,
  type Verdict,
  type VerifiedLineage,
  type VerifiedManifest,
} from './verification-types.ts';

export type { Check, CheckName, Kind, Proof, Verdict } from './verification-types.ts';

/** Verifies a document with all checks of the proof format (docs/proof-format.md). Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const { kind, id, trust } = proof;
  const texts = { __proto__: null, ...proof.texts } as unknown as Verification['texts'];
  const run: Verification = { proof, texts, kind: kind ?? 'lineage', checks: {}, subject: '', thrown: 'json' };
  try {
    const document = open(run, proof.document, 'document', (value) => {
      run.kind =
        kind ?? ('results' in value ? 'answer' : 'statement' in value ? 'manifest' : 'capsule_id' in value ? 'capsule' : 'lineage');
      return run.kind;
    }) as Document;
    if (trust !== undefined)
      try {
        run.verifySignatures = await signatureVerifier(trust);
      } catch (error) {
        note(run, 'signature', false, error);
      }
    if (run.kind === 'lineage') {
      await checkLineage(run, document, id ?? document.id);
      checkKnown(run, (old) => continuesLineage(old, document));
    } else if (run.kind === 'manifest') {
      await checkStatement(run, document.statement, document.signatures);
      if (proof.parts) await checkParts(run, document.statement, proof.parts);
      checkKnown(run, ({ statement }) => continuesManifest(statement, document.statement));
    } else await checkClaims(run, document);
  } catch (error) {
    note(run, run.thrown, false, error);
  }
  const checks = Object.values(run.checks);
  const failed = checks.filter(({ ok }) => !ok);
  return { kind: run.kind, checks, exit: failed.some(({ check }) => check !== 'signature') ? 1 : failed.length ? 2 : 0 };
}

/** A verification: its checks so far, and what the current one is about. */
interface Verification {
  readonly proof: Proof;
  readonly texts: Readonly<Record<string, Source | undefined>>;
  kind: Kind;
  readonly checks: Partial<Record<CheckName, Check>>;
  subject: string;
  /** The check that fails if an error is thrown. */
  thrown: CheckName;
  verifySignatures?: VerifySignatures;
}

type Manifest = VerifiedManifest['statement'];

function note(run: Verification, check: CheckName, ok: unknown, problem: unknown = ''): void {
  if (run.checks[check]?.ok !== false) run.checks[check] = { check, ok: !!ok, detail: ok ? run.subject : `${run.subject} ${problem}` };
}

/** Reads a document and checks its form; errors thrown later fail the check of the form too. */
function open(run: Verification, source: Source, name: string, formOf: (value: object) => keyof typeof FORMS): unknown {
  run.subject = name;
  run.thrown = 'json';
  const value = readJson(source) as object;
  note(run, 'json', true);
  run.thrown = 'form';
  demand(fits(value, FORMS[formOf(value)]));
  note(run, 'form', true);
  return value;
}

function checkKnown(run: Verification, continues: (old: Document) => unknown): void {
  const { known } = run.proof;
  if (known === undefined) return;
  run.thrown = 'known';
  const old = readJson(known) as Document;
  note(run, 'known', fits(old, FORMS[run.kind]) && continues(old));
}

async function checkStatement(run: Verification, statement: SignedStatement, signatures: readonly DetachedSignature[]): Promise<void> {
  const { now, trust } = run.proof;
  const { issued, validUntil } = statement;
  if (validUntil) note(run, 'fresh', isTimestamp(now) && now <= validUntil && issued <= validUntil);
  demand(trust === undefined || Array.isArray(signatures));
  if (run.verifySignatures) note(run, 'signature', await run.verifySignatures(statement, signatures));
}

async function checkLineage(
  run: Verification,
  { id, versions, head }: VerifiedLineage,
  expectedId: string,
  ownTexts?: BundleLine['texts'],
): Promise<void> {
  const { statement } = head;
  let sequence = 0;
  let before: { readonly version: string; readonly recordDigest: string } | undefined;
  for (const { record, recordDigest, signatures } of versions) {
    const { version } = record;
    const text = ownTexts ? ownTexts[sequence]?.markdown : (run.texts[record.canonical] ?? null);
    run.subject = `${id} ${version}`;
    await checkStatement(run, record, signatures);
    note(run, 'subject', record.id === expectedId && record.issuer.id === statement.issuer.id);
    note(run, 'records', recordDigest === (await statementDigest(record)));
    note(
      run,
      'chain',
      record.sequence === sequence &&
        canonical(record.previous) === canonical(before) &&
        version.localeCompare(before?.version ?? '', 'en', { numeric: true }) > 0,
    );
    // In a line of the bundle a paid text is null.
    if (text !== null) note(run, 'text', await hasDigest(record, text as Source));
    before = { version, recordDigest };
    sequence += 1;
  }
  run.subject = id;
  await checkStatement(run, statement, head.signatures);
  note(run, 'subject', id === expectedId && statement.id === expectedId);
  note(run, 'head', statement.head === before?.recordDigest && statement.version === before?.version && statement.count === sequence);
}

/** Checks the bundle of a manifest. */
async function checkParts(
  run: Verification,
  { bundle, capsules, versions, corpusDigest }: Manifest,
  parts: NonNullable<Proof['parts']>,
): Promise<void> {
  const listed = bundle.parts;
  demand(listed !== undefined);
  const claimed = Array.isArray(listed) ? (listed as typeof bundle.parts) : [];
  const corpus: unknown[] = [];
  let index = 0;
  let before = '';
  let count = 0;
  note(run, 'parts', claimed === listed && parts.length === claimed.length);
  for await (const part of parts) {
    const lines = toText(part).split(/^|(?<=\n)/);
    const name = `part ${index}`;
    run.subject = name;
    note(run, 'parts', claimed[index]?.lines === lines.length && (await hasDigest(claimed[index], part)));
    index += 1;
    for (const line of lines) {
      const { lineage, texts } = open(run, line, name, () => 'line') as BundleLine;
      const { id, versions, head } = lineage;
      const { status, statusReason, supersededBy } = head.statement;
      await checkLineage(run, lineage, id, texts);
      note(run, 'corpus', before < id);
      before = id;
      count += versions.length;
      corpus.push({ id, status, statusReason, supersededBy, versions: versions.map(({ recordDigest }) => recordDigest) });
    }
  }
  note(run, 'corpus', capsules === corpus.length && versions === count && corpusDigest === (await statementDigest(corpus)));
}

/** Checks a capsule, or the results of an answer, against lineages. */
async function checkClaims(run: Verification, document: Document): Promise<void> {
  const { id, lineages: sources } = run.proof;
  const isCapsule = run.kind === 'capsule';
  const lineages: VerifiedLineage[] = [];
  for (const about in sources) {
    const lineage = open(run, sources[about] as Source, about, () => 'lineage') as VerifiedLineage;
    lineages.push(lineage);
    await checkLineage(run, lineage, about);
  }
  for (const item of isCapsule ? [document] : document.results) {
    const { capsule_id, version } = item;
    if (capsule_id === undefined && (item.kind ?? 'capsule') !== 'capsule') {
      // A guide, an offer or an error has no record: its result has the digest of its text.
      const exact = run.texts[new URL(item.markdown_url as string).pathname];
      run.subject = `${item.kind} ${item.id}`;
      if (exact !== undefined) checkQuotes(run, item, exact, (await sha256Hex(exact)) === item.content_sha256);
      continue;
    }
    const lineage = lineages.find(({ id }) => id === capsule_id);
    const record = lineage?.versions.find((link) => link.record.version === version)?.record;
    const isPaid = item.access === 'paid';
    run.subject = `${capsule_id} ${version}`;
    note(run, 'subject', capsule_id === (id ?? capsule_id));
    const text = isPaid ? record?.summary : record && run.texts[record.canonical];
    if (isCapsule) {
      if (record && !(isPaid && document.markdown === undefined)) note(run, 'text', await hasDigest(record, document.markdown as Source));
    } else if (text !== undefined) checkQuotes(run, item, text);
    run.thrown = 'fields';
    const wrong = lineage && record ? differingField(item, record, lineage, isCapsule) : 'no record';
    note(run, 'fields', !wrong, wrong);
    run.thrown = 'form';
  }
}

function checkQuotes(run: Verification, { quote, answer }: CapsuleClaims, source: Source, isExact = true): void {
  const whole = toText(source);
  for (const part of [quote, answer === undefined ? quote : answer]) {
    demand(fits(part, {}));
    const { start, end, text } = part;
    const quoted = whole.slice(start, end);
    note(run, 'quote', isExact && quoted === text && whole.slice(0, start).length === start && end === start + quoted.length);
  }
}

const continuesLineage = ({ versions, head }: Document, document: Document): boolean =>
  versions.every(
    ({ recordDigest }, at) => recordDigest === (document.versions[0] ? document : document.head.statement).versions[at]?.recordDigest,
  ) && head.statement.issued <= document.head.statement.issued;

const continuesManifest = (old: Manifest, { changes, issued }: Manifest): boolean =>
  [old.changes, changes].every(({ count }) => Number.isSafeInteger(count)) &&
  (old.changes.count < changes.count || canonical(old.changes) === canonical(changes)) &&
  old.issued <= issued;

/** `text` after a prefix. @throws {TypeError} For a value that is not a string. */
const withPrefix = (prefix: string, text: string): string => text.replace(/^/, prefix);
const page = (id: string): string => withPrefix('/capsules/', id);

/** A source or relation in the form that is compared. */
const origin = (isRevision: boolean, uri: string, entry: Partial<Derivation>): unknown => [
  isRevision,
  uri,
  entry.key,
  entry.title,
  entry.publisher,
  entry.retrieved,
];

/**
 * Name of the first field in which a capsule or a result differs from its lineage; `false` if none does.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
function differingField(item: CapsuleClaims, record: VersionRecord, lineage: VerifiedLineage, isCapsule: boolean): unknown {
  const { statement } = lineage.head;
  const claimed: Readonly<Record<string, unknown>> = { ...item, license: withPrefix('https://spdx.org/licenses/', item.license) };
  const proven: Record<string, unknown> = {
    type: record.kind,
    content_sha256: record.digest?.['sha-256'],
    updated: record.issued.slice(0, 10),
    status: statement.status,
    status_reason: statement.statusReason,
    superseded_by: statement.supersededBy,
  };
  for (const name of ['title', 'summary', 'language', 'evidence', 'tags', 'license'] as const) proven[name] = record[name];
  return (
    Object.keys(proven).find((name) => canonical(claimed[name]) !== canonical(proven[name])) ??
    (isCapsule && claimsOfCapsule(item as CapsuleDocument) !== claimsOfLineage(record, lineage) && 'sources')
  );
}

const claimsOfCapsule = (capsule: CapsuleDocument): string =>
  canonical([
    capsule.cites.map(page),
    ...capsule.supersedes.map((entry) => origin(true, page(entry.capsule_id), {})),
    ...capsule.derived_from.map((id) => origin(false, page(id), {})),
    ...capsule.sources.map((entry) => entry.key.match('') && origin(false, entry.url, entry)),
    capsule.versions.map((entry) => [entry.version, entry.issued, entry.content_sha256, entry.record_digest]),
  ]);

const claimsOfLineage = (record: VersionRecord, lineage: VerifiedLineage): string =>
  canonical([
    record.cites,
    ...record.derivedFrom.map((entry) => origin(entry.relation === 'wasRevisionOf', entry.uri, entry)),
    lineage.versions.map((entry) => [
      entry.record.version,
      entry.record.issued.slice(0, 10),
      entry.record.digest?.['sha-256'],
      entry.recordDigest,
    ]),
  ]);

/** Whether a trusted key made one of the signatures on a statement, whose form was checked. */
type VerifySignatures = (statement: SignedStatement, signatures: readonly DetachedSignature[]) => Promise<boolean>;

const LAST_TIMESTAMP = '9999-12-31T23:59:59Z';

interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly exp?: number;
}

/** Members of both kinds of trust, whose form was checked. */
interface Trust {
  readonly keys?: readonly unknown[];
  readonly issuer?: string;
  readonly id?: string;
  readonly verificationMethod: readonly unknown[];
  readonly assertionMethod: readonly unknown[];
}

/**
 * Verifies signatures with the keys of a JWK Set (RFC 7517) or a DID document (DID 1.0, section 5); unusable keys are ignored.
 *
 * @throws If it has another form, or no usable key.
 */
async function signatureVerifier(source: Source): Promise<VerifySignatures> {
  const trust = readJson(source) as Trust;
  demand(fits(trust, JWK_SET, DID_DOCUMENT));
  const { keys, issuer, id, verificationMethod, assertionMethod } = trust;
  const identity = keys ? issuer : id;
  const trusted: [key: CryptoKey, kid: string, expiresAtMs: number][] = [];
  let problem: unknown = 'no key';
  for (const entry of keys ?? verificationMethod)
    try {
      const method = (keys ? { publicKeyJwk: entry } : entry) as { id: string; publicKeyJwk: Jwk; expires?: string };
      demand(fits(method, METHOD) && (keys || (fits(method.id, TEXT) && assertionMethod.includes(method.id))));
      const { expires = LAST_TIMESTAMP, publicKeyJwk } = method;
      const { crv, kty, x, exp = Infinity } = publicKeyJwk;
      trusted.push([
        await crypto.subtle.importKey('jwk', { crv, kty, x }, 'Ed25519', true, ['verify']),
        toBase64Url(await sha256(canonical({ crv, kty, x }))),
        Math.min(exp * 1000, Date.parse(expires)),
      ]);
    } catch (error) {
      problem = error;
    }
  if (!trusted.length) throw problem;
  return async (statement, signatures) => {
    const { $schema, issuer, issued } = statement;
    for (const [key, kid, expiresAtMs] of trusted)
      for (const item of signatures.slice(0, 8)) {
        const { protected: header, signature } = Object(item) as DetachedSignature;
        const bytes = fits(signature, TEXT) ? fromBase64Url(signature) : undefined;
        if (
          (identity ?? issuer.id) === issuer.id &&
          Date.parse(issued) <= expiresAtMs &&
          ['Ed25519', 'EdDSA'].some(
            (alg) => header === toBase64Url(`{"alg":"${alg}","kid":"${kid}","typ":"${$schema.split('/')[2]}+jws"}`),
          ) &&
          bytes?.length === 64 &&
          (await crypto.subtle.verify('Ed25519', key, bytes, toBytes(`${header}.${toBase64Url(canonical(statement))}`)))
        )
          return true;
      }
    return false;
  };
}

/**
 * Form of a JSON value: a pattern for strings, a list of one form for arrays, members for objects (others are allowed), a predicate, or else
 * the value itself; `undefined` is the form of an absent member.
 */
type Form = RegExp | readonly [Form] | Members | ((value: unknown) => unknown) | string | null | undefined;

interface Members {
  readonly [member: string]: Form;
}

const fits = (value: unknown, ...forms: readonly Form[]): boolean => forms.some((form) => hasForm(value, form));

function hasForm(value: unknown, form: Form): unknown {
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value);
  if (typeof form === 'function') return form(value);
  if (Array.isArray(form)) return Array.isArray(value) && value.every((item) => fits(item, form[0]));
  if (Object(form) !== form) return value === form;
  const members = value as Readonly<Record<string, unknown>>;
  return (
    Object(value) === value && !Array.isArray(value) && Object.entries(form as Members).every(([name, inner]) => fits(members[name], inner))
  );
}

const optional =
  (form: Form) =>
  (value: unknown): boolean =>
    fits(value, form, undefined);

const TEXT = /^/;

/** Whether a value is a timestamp: a valid date of the years 0001 to 9999, to the second, in UTC. */
const isTimestamp = (value: unknown): value is string =>
  fits(value, /^(?!0000).{19}Z$/) && new Date(value as string).toJSON() === (value as string).replace('Z', '.000Z');

/** Form of a statement; only integers have a canonical form. */
const statement = (schema: string, members?: { readonly [member: string]: Form }): Form => {
  const form = {
    $schema: `/schemas/${schema}/1.json`,
    issuer: { id: TEXT },
    issued: isTimestamp,
    validUntil: optional(isTimestamp),
    ...members,
  };
  return (value) => canonical(value) && fits(value, form);
};

const RECORD = statement('capsule-version', { canonical: TEXT, version: /^(?!.{33})((^|\b\.)(0|[1-9]\d*)){3}$/ });

const LINEAGE = {
  id: /^(?!.{65})[a-z\d]+(-[a-z\d]+)*$/,
  versions: (versions: unknown) => fits(versions, [{ record: RECORD, recordDigest: TEXT }]) && (versions as readonly unknown[])[0],
  head: { statement: statement('lineage-head') },
};

const TOMBSTONE: Form = {
  ...LINEAGE,
  versions: [] as unknown as readonly [undefined],
  head: { statement: statement('tombstone', { versions: [{ recordDigest: TEXT }] }) },
};

const FORMS = {
  lineage: (value: unknown) => fits(value, LINEAGE, TOMBSTONE),
  capsule: (value: unknown) => fits(value, { markdown: TEXT }, { markdown: undefined, access: 'paid' }),
  answer: { results: [{}] as const },
  manifest: { statement: statement('corpus-manifest') },
  line: { lineage: LINEAGE, texts: [{ markdown: (value: unknown) => fits(value, TEXT, null) }] as const },
} satisfies Readonly<Record<string, Form>>;

const anything = (): boolean => true;

/** Forms of the two kinds of trust; {@link METHOD} is the form of a usable key. */
const JWK_SET: Form = { keys: [anything], issuer: optional(TEXT) };
const DID_DOCUMENT: Form = { keys: undefined, id: TEXT, verificationMethod: [anything], assertionMethod: [anything] };

/**
 * Form of a verification method of a DID document (Controlled Identifiers 1.0, "Verification Methods") with a usable public key (RFC 7517,
 * section 4; RFC 8037, section 2). `x` is 32 bytes; the unused bits of its last character are zero.
 */
const METHOD: Form = {
  revoked: undefined,
  expires: optional(isTimestamp),
  publicKeyJwk: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: /^[\w-]{42}[AEIMQUYcgkosw048]$/,
    use: optional('sig'),
    alg: optional(/^Ed(25519|DSA)$/),
    key_ops: optional((value) => Array.isArray(value) && value.includes('verify')),
    exp: optional((value) => Number.isSafeInteger(value) && (value as number) >= 0),
  },
};

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
  type Proof,
  readJson,
  type SignedStatement,
  statementDigest,
  toText,
  type Verdict,
  type VerifiedLineage,
} from './verification-types.ts';

export type { Check, CheckName, Kind, Proof, Verdict } from './verification-types.ts';

/** Verifies a document with all checks of the proof format (docs/proof-format.md). Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const { id, parts, known, trust, now } = proof;
  const texts = { __proto__: null, ...proof.texts } as unknown as Readonly<Record<string, Source | undefined>>;
  const lineages: VerifiedLineage[] = [];
  const checks: Partial<Record<CheckName, Check>> = {};
  let { kind = 'lineage' } = proof;
  let exit: 0 | 1 | 2 = 0;
  let verifySignatures: VerifySignatures | undefined;
  /** The subject of the current check, and the check that fails if an error is thrown. */
  let subject: string;
  let thrown: CheckName = 'json';

  const note = (check: CheckName, ok: unknown, problem: unknown = ''): void => {
    if (!ok) exit = check === 'signature' ? exit || 2 : 1;
    if (checks[check]?.ok !== false) checks[check] = { check, ok: !!ok, detail: ok ? subject : `${subject} ${problem}` };
  };

  /** Reads a document and checks its form; errors thrown later fail the check of the form too. */
  const open = (source: Source, name: string, formOf: (value: object) => keyof typeof FORMS): unknown => {
    subject = name;
    thrown = 'json';
    const value = readJson(source) as object;
    note(thrown, true);
    thrown = 'form';
    demand(fits(value, FORMS[formOf(value)]));
    note(thrown, true);
    return value;
  };

  const checkStatement = async (statement: SignedStatement, signatures: readonly DetachedSignature[]): Promise<void> => {
    const { issued, validUntil } = statement;
    if (validUntil) note('fresh', isTimestamp(now) && now <= validUntil && issued <= validUntil);
    demand(trust === undefined || Array.isArray(signatures));
    if (verifySignatures) note('signature', await verifySignatures(statement, signatures));
  };

  const checkLineage = async (
    { id, versions, head }: VerifiedLineage,
    expectedId: string,
    ownTexts?: BundleLine['texts'],
  ): Promise<void> => {
    const { statement } = head;
    let sequence = 0;
    let before: { readonly version: string; readonly recordDigest: string } | undefined;
    for (const { record, recordDigest, signatures } of versions) {
      const { version } = record;
      const text = ownTexts ? ownTexts[sequence]?.markdown : (texts[record.canonical] ?? null);
      subject = `${id} ${version}`;
      await checkStatement(record, signatures);
      note('subject', record.id === expectedId && record.issuer.id === statement.issuer.id);
      note('records', recordDigest === (await statementDigest(record)));
      note(
        'chain',
        record.sequence === sequence &&
          canonical(record.previous) === canonical(before) &&
          version.localeCompare(before?.version ?? '', 'en', { numeric: true }) > 0,
      );
      // In a line of the bundle a paid text is null.
      if (text !== null) note('text', await hasDigest(record, text as Source));
      before = { version, recordDigest };
      sequence += 1;
    }
    subject = id;
    await checkStatement(statement, head.signatures);
    note('subject', id === expectedId && statement.id === expectedId);
    note('head', statement.head === before?.recordDigest && statement.version === before?.version && statement.count === sequence);
  };

  try {
    const document = open(proof.document, 'document', (value) => {
      kind =
        proof.kind ?? ('results' in value ? 'answer' : 'statement' in value ? 'manifest' : 'capsule_id' in value ? 'capsule' : 'lineage');
      return kind;
    }) as Document;
    const { statement } = document;
    const checkKnown = (continues: (old: Document) => unknown): void => {
      if (known === undefined) return;
      thrown = 'known';
      const old = readJson(known) as Document;
      note(thrown, fits(old, FORMS[kind]) && continues(old));
    };
    if (trust !== undefined)
      try {
        verifySignatures = await signatureVerifier(trust);
      } catch (error) {
        note('signature', false, error);
      }
    if (kind === 'lineage') {
      await checkLineage(document, id ?? document.id);
      checkKnown(
        ({ versions, head }) =>
          versions.every(
            ({ recordDigest }, at) =>
              recordDigest === (document.versions[0] ? document : document.head.statement).versions[at]?.recordDigest,
          ) && head.statement.issued <= document.head.statement.issued,
      );
    } else if (kind === 'manifest') {
      const { changes, issued } = statement;
      await checkStatement(statement, document.signatures);
      if (parts) {
        const listed = statement.bundle.parts;
        demand(listed !== undefined);
        const claimed = Array.isArray(listed) ? (listed as typeof statement.bundle.parts) : [];
        const corpus: unknown[] = [];
        let index = 0;
        let before = '';
        let count = 0;
        note('parts', claimed === listed && parts.length === claimed.length);
        for await (const part of parts) {
          const lines = toText(part).split(/^|(?<=\n)/);
          const name = `part ${index}`;
          subject = name;
          note('parts', claimed[index]?.lines === lines.length && (await hasDigest(claimed[index], part)));
          index += 1;
          for (const line of lines) {
            const { lineage, texts } = open(line, name, () => 'line') as BundleLine;
            const { id, versions, head } = lineage;
            const { status, statusReason, supersededBy } = head.statement;
            await checkLineage(lineage, id, texts);
            note('corpus', before < id);
            before = id;
            count += versions.length;
            corpus.push({ id, status, statusReason, supersededBy, versions: versions.map(({ recordDigest }) => recordDigest) });
          }
        }
        note(
          'corpus',
          statement.capsules === corpus.length &&
            statement.versions === count &&
            statement.corpusDigest === (await statementDigest(corpus)),
        );
      }
      checkKnown(
        ({ statement: old }) =>
          [old, statement].every((manifest) => Number.isSafeInteger(manifest.changes.count)) &&
          (old.changes.count < changes.count || canonical(old.changes) === canonical(changes)) &&
          old.issued <= issued,
      );
    } else {
      const isCapsule = kind === 'capsule';
      for (const about in proof.lineages) {
        const lineage = open(proof.lineages[about] as Source, about, () => 'lineage') as VerifiedLineage;
        lineages.push(lineage);
        await checkLineage(lineage, about);
      }
      for (const item of isCapsule ? [document] : document.results) {
        const { capsule_id, version, quote } = item;
        const quotes = [quote, item.answer === undefined ? quote : item.answer];
        if (capsule_id === undefined && (item.kind ?? 'capsule') !== 'capsule') {
          // A guide, an offer or an error has no record: its result has the digest of its text.
          const exact = texts[new URL(item.markdown_url as string).pathname];
          subject = `${item.kind} ${item.id}`;
          if (exact !== undefined)
            for (const { start, end, text } of quotes)
              note('quote', (await sha256Hex(exact)) === item.content_sha256 && toText(exact).slice(start, end) === text);
          continue;
        }
        const lineage = lineages.find(({ id }) => id === capsule_id);
        const record = lineage?.versions.find((link) => link.record.version === version)?.record;
        const isPaid = item.access === 'paid';
        const text = isPaid ? record?.summary : record && texts[record.canonical];
        subject = `${capsule_id} ${version}`;
        note('subject', capsule_id === (id ?? capsule_id));
        if (isCapsule) {
          if (record && !(isPaid && document.markdown === undefined)) note('text', await hasDigest(record, document.markdown as Source));
        } else if (text !== undefined) {
          for (const part of quotes) {
            demand(fits(part, {}));
            const { start, end } = part;
            const quoted = toText(text).slice(start, end);
            note('quote', quoted === part.text && toText(text).slice(0, start).length === start && end === start + quoted.length);
          }
        }
        thrown = 'fields';
        const wrong = lineage && record ? differingField(item, record, lineage, isCapsule) : 'no record';
        note(thrown, !wrong, wrong);
        thrown = 'form';
      }
    }
  } catch (error) {
    note(thrown, false, error);
  }
  return { kind, checks: Object.values(checks), exit };
}

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

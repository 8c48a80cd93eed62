import { canonical } from './json.ts';

/**
 * Form of a JSON value: a pattern for strings, a list of one form for arrays, members for objects (others are allowed), a predicate, or else
 * the value itself; `undefined` is the form of an absent member.
 */
type Form = RegExp | readonly [Form] | Members | ((value: unknown) => unknown) | string | null | undefined;

interface Members {
  readonly [member: string]: Form;
}

/** Whether a value has one of some forms; no value is converted. */
export const fits = (value: unknown, ...forms: readonly Form[]): boolean => forms.some((form) => hasForm(value, form));

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

/** Form of an optional member. */
const optional =
  (form: Form) =>
  (value: unknown): boolean =>
    fits(value, form, undefined);

export const TEXT = /^/;

/** Whether a value is a timestamp: a valid date of the years 0001 to 9999, to the second, in UTC. */
export const isTimestamp = (value: unknown): value is string =>
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

/** Form of the lineage of a capsule that was taken down: no record is left. */
const TOMBSTONE: Form = {
  ...LINEAGE,
  versions: [] as unknown as readonly [undefined],
  head: { statement: statement('tombstone', { versions: [{ recordDigest: TEXT }] }) },
};

/** Forms of documents. */
export const FORMS = {
  lineage: (value: unknown) => fits(value, LINEAGE, TOMBSTONE),
  capsule: (value: unknown) => fits(value, { markdown: TEXT }, { markdown: undefined, access: 'paid' }),
  answer: { results: [{}] as const },
  manifest: { statement: statement('corpus-manifest') },
  line: { lineage: LINEAGE, texts: [{ markdown: (value: unknown) => fits(value, TEXT, null) }] as const },
} satisfies Readonly<Record<string, Form>>;

/** Form of any value. */
const anything = (): boolean => true;

/** Forms of the two kinds of trust; {@link METHOD} is the form of a usable key. */
export const JWK_SET: Form = { keys: [anything], issuer: optional(TEXT) };
export const DID_DOCUMENT: Form = { keys: undefined, id: TEXT, verificationMethod: [anything], assertionMethod: [anything] };

/**
 * Form of a verification method of a DID document (Controlled Identifiers 1.0, "Verification Methods") with a usable public key (RFC 7517,
 * section 4; RFC 8037, section 2). `x` is 32 bytes; the unused bits of its last character are zero.
 */
export const METHOD: Form = {
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

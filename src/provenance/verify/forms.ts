import type { BundleLine } from './documents.ts';
import { isObject, type Loose } from './json-text.ts';

/**
 * Form of a value: of a text its pattern, of an array the form of its items and how few there may be, of an object the forms of its
 * members, or a condition. A name that ends with `?` is of a member that may be absent; the empty name is of the object itself.
 */
export type Form = RegExp | readonly [form: Form, fewest?: number] | { readonly [member: string]: Form } | ((value: never) => boolean);

/** Path to the first part of a value that has not its form; an empty text if all have. */
export function misformed(form: Form, value: unknown): string {
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value) ? '' : ' ';
  if (typeof form === 'function') return form(value as never) ? '' : ' ';
  const isList = Array.isArray(form);
  if (isList ? !Array.isArray(value) || value.length < form[1] : !isObject(value)) return ' ';
  for (const key of Object.keys(isList ? (value as object) : form)) {
    const name = key.replace('?', '');
    const part = name ? (value as Loose)[name] : value;
    const wrong = (name === key || part !== undefined) && misformed(isList ? form[0] : (form as Record<string, Form>)[key], part);
    if (wrong) return `.${name}${wrong}`;
  }
  return '';
}

const text = /^/;
const id = /^(?=.{1,64}$)[a-z\d]+(-[a-z\d]+)*$/;
const version = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;
const hex = /^[\da-f]{64}$/;
const name = /^sha256:[\da-f]{64}$/;
const digest = { 'sha-256': hex };
const whole = Number.isSafeInteger;
const count = (value: number): boolean => whole(value) && value >= 0;
const timestamp = (value: string): boolean =>
  !misformed(text, value) && value.length === 20 && new Date(value).toJSON()?.replace('.000', '') === value;
const wholeNumbers = (value: unknown): boolean =>
  typeof value === 'number' ? whole(value) : typeof value !== 'object' || Object.values(value ?? {}).every(wholeNumbers);

const signatures: Form = [{ protected: text, signature: text }];
const statement = (type: string, schema: string, members: Readonly<Record<string, Form>>): Form => ({
  '': wholeNumbers,
  type: (value) => value === type,
  $schema: (value) => value === `/schemas/${schema}/1.json`,
  issuer: { id: text },
  issued: timestamp,
  'validUntil?': timestamp,
  ...members,
});
const item = { capsule_id: id, version, content_sha256: hex };

/** Form of a capsule. */
export const capsuleForm: Form = { ...item, markdown: text };

/** Form of an answer to a query. */
export const answerForm: Form = { results: [{ ...item, quote: { start: whole, end: whole, text } }] };

/** Form of a manifest. */
export const manifestForm: Form = {
  statement: statement('CorpusManifest', 'corpus-manifest', {
    corpusDigest: name,
    capsules: count,
    versions: count,
    bundle: { parts: [{ uri: text, size: count, lines: count, digest }] },
    changes: {
      count,
      '': (log: { count: number; digest: unknown }) => !misformed(name, log.digest) || (log.count === 0 && log.digest === null),
    },
  }),
  signatures,
};

/** Form of a lineage. */
export const lineageForm: Form = {
  id,
  versions: [
    {
      record: statement('CapsuleVersion', 'capsule-version', {
        id,
        version,
        sequence: count,
        size: count,
        digest,
        'previous?': { version, recordDigest: name },
        title: text,
        summary: text,
        kind: text,
        language: text,
        evidence: text,
        license: text,
        tags: [text],
      }),
      recordDigest: name,
      signatures,
    },
    1,
  ],
  head: {
    statement: statement('LineageHead', 'lineage-head', {
      id,
      version,
      head: name,
      count: (value: number) => count(value) && value > 0,
      status: /^(current|superseded|retracted)$/,
      'statusReason?': text,
      'supersededBy?': text,
    }),
    signatures,
  },
};

/** Form of a line of a bundle: with a text for each record, in their order. */
export const lineForm: Form = {
  lineage: lineageForm,
  texts: [{ version, markdown: text }],
  '': ({ lineage, texts }: BundleLine) =>
    `${texts.map(({ version }) => version)}` === `${lineage.versions.map(({ record }) => record.version)}`,
};

import { isObject } from './json-text.ts';

/** Says which part of the value at `path` has the wrong form; an empty text if none has. */
export type Form = (value: unknown, path: string) => string;

/** Forms of the members of an object, or of the items of an array. */
type Members = Readonly<Record<string, Form>>;

const is =
  (holds: (value: unknown) => boolean): Form =>
  (value, path) =>
    holds(value) ? '' : path;

const members = (forms: Members, value: Readonly<Record<string, unknown>>, path: string): string => {
  let wrong = '';
  for (const name in forms) wrong ||= (forms[name] as Form)(value[name], `${path}.${name}`);
  return wrong;
};
const object =
  (forms: Members): Form =>
  (value, path) =>
    isObject(value) ? members(forms, value, path) : path;
const list =
  (form: Form): Form =>
  (value, path) =>
    Array.isArray(value) ? members({ ...value.map(() => form) }, { ...value }, path) : path;
const both =
  (one: Form, other: Form): Form =>
  (value, path) =>
    one(value, path) || other(value, path);
const optional =
  (form: Form): Form =>
  (value, path) =>
    value === undefined ? '' : form(value, path);

const like = (pattern: RegExp): Form => is((value) => typeof value === 'string' && pattern.test(value));
const text = like(/^/);
const whole = is(Number.isSafeInteger);
const count = is((value) => Number.isSafeInteger(value) && (value as number) >= 0);
const id = like(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/);
const version = like(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/);
const hex = like(/^[\da-f]{64}$/);
const name = like(/^sha256:[\da-f]{64}$/);
const digest = object({ 'sha-256': hex });
const status = like(/^(current|superseded|retracted)$/);

/** Whether a text is a timestamp: 20 characters, a real date, UTC. */
export const isTimestamp = (value: unknown): boolean =>
  typeof value === 'string' && value.length === 20 && new Date(value).toJSON()?.replace('.000', '') === value;
const timestamp = is(isTimestamp);

const wholeNumbers = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value !== 'object' || Object.values(value ?? {}).every(wholeNumbers);

/** A statement: its type in words joined by hyphens, and its members. */
const statement = (type: string, forms: Members): Form =>
  both(
    object({
      type: is((value) => value === type.replace(/(^|-)(.)/g, (_, _hyphen, letter: string) => letter.toUpperCase())),
      $schema: is((value) => value === `/schemas/${type}/1.json`),
      issuer: object({ id: text }),
      issued: timestamp,
      ...forms,
    }),
    is(wholeNumbers),
  );
const signatures = list(object({ protected: text, signature: text }));

/** Form of a lineage. */
export const lineageForm = object({
  id,
  versions: both(
    is((value) => (value as unknown[] | undefined)?.length !== 0),
    list(
      object({
        record: statement('capsule-version', {
          id,
          version,
          sequence: count,
          size: count,
          digest,
          previous: optional(object({ version, recordDigest: name })),
          title: text,
          summary: text,
          kind: text,
          language: text,
          evidence: text,
          license: text,
          tags: list(text),
        }),
        recordDigest: name,
        signatures,
      }),
    ),
  ),
  head: object({
    statement: statement('lineage-head', {
      id,
      status,
      statusReason: optional(text),
      supersededBy: optional(text),
      head: name,
      version,
      count: both(count, is(Boolean)),
      validUntil: optional(timestamp),
    }),
    signatures,
  }),
});

/** Form of a manifest. */
export const manifestForm = object({
  statement: statement('corpus-manifest', {
    corpusDigest: name,
    capsules: count,
    versions: count,
    bundle: object({ parts: list(object({ uri: text, size: count, lines: count, digest })) }),
    changes: both(
      object({ count }),
      is((value) => {
        const { count, digest } = value as { count: number; digest: unknown };
        return (count === 0 && digest === null) || name(digest, 'no') === '';
      }),
    ),
    validUntil: optional(timestamp),
  }),
  signatures,
});

const texts = list(object({ version, markdown: text }));

/** Form of a line of a bundle: as many texts as records, in their order. */
export const lineForm = both(
  object({ lineage: lineageForm, texts }),
  is((value) => {
    const { lineage, texts } = value as { lineage: { versions: { record: { version: string } }[] }; texts: { version: string }[] };
    return `${texts.map(({ version }) => version)}` === `${lineage.versions.map(({ record }) => record.version)}`;
  }),
);

const item = { capsule_id: id, version, content_sha256: hex };

/** Form of a capsule. */
export const capsuleForm = object({ ...item, markdown: text });

/** Form of an answer to a query. */
export const answerForm = object({ results: list(object({ ...item, quote: object({ start: whole, end: whole, text }) })) });

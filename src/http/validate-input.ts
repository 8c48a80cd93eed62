import * as z from 'zod';
import type { NextStep } from '../gateway/error-next-actions.ts';
import { errorEntry } from '../gateway/errors.ts';
import {
  attempt,
  FIELD_ERRORS_MAX,
  type FieldError,
  listFieldErrors,
  ok,
  type Refusal,
  type Result,
  refuse,
  repeatable,
  type SuggestedValue,
} from '../gateway/result.ts';
import { describeIssue, memberNames, schemaAt } from '../schemas/zod-issue-messages.ts';
import { asMember, suggestName } from '../search/did-you-mean.ts';

/** Where invalid input is. `arguments` are those of a tool. */
type InputPart = 'path' | 'query' | 'body' | 'arguments';

/** Validates one part of a request; each invalid place is listed once, with all its errors. */
export function validateInput<T>(declared: z.ZodType<T>, value: unknown, part: InputPart): Result<T> {
  const schema = alternativeOf(declared, value);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const ofType = new Set(parsed.error.issues.flatMap(({ code, path }) => (code === 'invalid_type' ? path.join('/') : [])));
  // A list that came as a text is also measured, in characters.
  const issues = parsed.error.issues.filter(({ code, path }) => !/^too_(?:big|small)$/.test(code) || !ofType.has(path.join('/')));
  const found = issues.flatMap((issue, at) => describe(issue, at, { schema, value, part }));
  const where = { path: 'The address', query: 'The query string', body: 'The body', arguments: 'The tool call' }[part];
  const { detail, errors } = listFieldErrors(where, mergeByPointer(found), FIELD_ERRORS_MAX);
  return refuse('invalid_request', detail, { errors });
}

/** Of an alternative between a list and something else, or by the value of a member, the schema that a value is meant for, so that its errors are named. */
function alternativeOf<T>(schema: z.ZodType<T>, value: unknown): z.ZodType<T> {
  const any: z.ZodType = schema;
  const options: readonly unknown[] = any instanceof z.ZodUnion ? any.options : [];
  const kind = any instanceof z.ZodDiscriminatedUnion ? [any.def.discriminator] : [];
  const isOfKind = (option: unknown): boolean =>
    kind.every((name) => (schemaAt(option, [name]) as z.ZodType).safeParse(valueAt(value, [name])).success);
  const meant = options.filter((option) => option instanceof z.ZodArray === Array.isArray(value) && isOfKind(option));
  return meant.length === 1 ? (meant[0] as z.ZodType<T>) : schema;
}

function mergeByPointer(errors: readonly FieldError[]): FieldError[] {
  return [...Map.groupBy(errors, ({ pointer }) => pointer).values()].map((same) => {
    const messages = new Set(same.map(({ message }) => message));
    return { ...(Object.assign({}, ...same.toReversed()) as FieldError), message: [...messages].join('; ') };
  });
}

interface Input {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly part: InputPart;
}

/** A suggestion may validate the whole value again, so that only errors that are listed get one. */
function describe(issue: z.core.$ZodIssue, position: number, input: Input): FieldError[] {
  const { schema, value, part } = input;
  const isListed = position < FIELD_ERRORS_MAX;
  if (issue.code !== 'unrecognized_keys')
    return [isListed ? withSuggestion(issue, input) : { pointer: pointerTo(issue.path, part), message: describeIssue(issue) }];
  const place = schemaAt(schema, issue.path);
  const names = memberNames(place).join(', ');
  const message = `${describeIssue(issue)}; ${names === '' ? 'none is taken here' : `known names: ${names}`}`;
  const sent = valueAt(value, issue.path);
  return issue.keys.map((key, at) => {
    const wrapped = memberWithin(valueAt(sent, [key]), place);
    const suggested = isListed && at < FIELD_ERRORS_MAX ? suggestedFor(key, sent, place) : {};
    const told = wrapped === undefined ? message : `is unknown; send its members, such as "${wrapped}", without it`;
    return { pointer: pointerTo([...issue.path, key], part), message: told, ...suggested };
  });
}

function withSuggestion(issue: z.core.$ZodIssue, { schema, value, part }: Input): FieldError {
  const sent = valueAt(value, issue.path);
  const pointer = pointerTo(issue.path, part);
  const isEncoded = isJson(part) && /^invalid_(?:type|union)$/.test(issue.code) && isJsonOf(schemaAt(schema, issue.path), sent);
  const isNothing = standsForNothing(sent, pointer) && canBeLeftOut(schema, value, issue.path);
  const hint = isEncoded ? '; it was encoded as a string, send it as JSON' : isNothing ? '; it can be left out' : '';
  const message = describeIssue(issue) + hint;
  const error = { pointer, message };
  if (sent !== undefined) {
    const didYouMean = suggestValue(sent, schemaAt(schema, issue.path));
    return didYouMean === undefined ? error : { ...error, didYouMean };
  }
  const missing = issue.path.at(-1);
  const outer = issue.path.slice(0, -1);
  const [place, around] = [schemaAt(schema, outer), valueAt(value, outer)];
  const misnamed = namesOf(around).find((name) => !memberNames(place).includes(name) && suggestMember(name, place, around) === missing);
  if (misnamed === undefined || repeatable(misnamed) !== misnamed) return error;
  return { ...error, message: `${error.message}; it may be what "${misnamed}" was meant to be` };
}

/** Whether it is what models send for a member that they do not need: an empty text or list, a word for no choice, or one for the newest version. */
function standsForNothing(sent: unknown, pointer: string): boolean {
  if (typeof sent === 'string')
    return /^(?:|null|none|undefined)$/i.test(sent) || (/version$/.test(pointer) && /^(?:latest|newest)$/i.test(sent));
  return sent === null || (Array.isArray(sent) && sent.length === 0);
}

function canBeLeftOut(schema: z.ZodType, value: unknown, path: readonly PropertyKey[]): boolean {
  const copy: unknown = structuredClone(value);
  const outer = valueAt(copy, path.slice(0, -1));
  if (!isObject(outer) || !Reflect.deleteProperty(outer, path.at(-1) ?? '')) return false;
  return (schema.safeParse(copy).error?.issues ?? []).every((issue) => issue.path.join() !== path.join());
}

/** Whether a text is JSON of an object or a list that a schema accepts. */
function isJsonOf(schema: unknown, sent: unknown): boolean {
  if (!(schema instanceof z.ZodType) || typeof sent !== 'string' || !/^\s*[[{]/.test(sent)) return false;
  return schema.safeParse(attempt(() => JSON.parse(sent))).success;
}

/** A member of a place that an unknown member of it holds, as do wrappers such as "input" and "arguments". */
function memberWithin(sent: unknown, place: unknown): string | undefined {
  const known = memberNames(place);
  return namesOf(sent).find((name) => known.includes(name));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value;
  for (const name of path) here = typeof here === 'object' && here !== null ? Reflect.get(here, name) : undefined;
  return here;
}

/** A refusal whose errors name members as the caller sent them. @param nameOf Pointer to what was sent, for that of an error. */
export function withSentNames<T>(result: Result<T>, nameOf: (pointer: string) => string): Result<T> {
  if (result.ok) return result;
  const { errors = [], detail } = result.refusal;
  const [{ pointer } = { pointer: '' }] = errors;
  const renamed = pointer.startsWith('/') ? detail.replace(`${pointer} `, () => `${nameOf(pointer)} `) : detail;
  const named = errors.map((error) => ({ ...error, pointer: nameOf(error.pointer) }));
  return { ok: false, refusal: { ...result.refusal, detail: renamed, ...(errors.length === 0 ? {} : { errors: named }) } };
}

/** Members, of the object and of its objects, that a schema does not know and that are ignored. Where it names none, all are known. */
export function ignoredMembers(
  schema: unknown,
  value: unknown,
  part: 'query' | 'body',
): { readonly pointer: string; readonly did_you_mean?: string }[] {
  // Only names that are published are compared with others: a body may have a thousand.
  return unknownNames(schema, value)
    .slice(0, FIELD_ERRORS_MAX)
    .map(({ path, of, within }) => {
      const { didYouMean } = suggestedFor(path.at(-1) ?? '', within, of);
      return { pointer: pointerTo(path, part), ...(typeof didYouMean === 'string' ? { did_you_mean: didYouMean } : {}) };
    });
}

/** What another operation takes for a member that a refusal calls unknown without a suggestion. @param other Schema of what that one takes. */
export function takenElsewhere({ errors = [] }: Refusal, other: unknown): string | undefined {
  const unknown = errors.filter(({ message, didYouMean }) => message.startsWith('is unknown') && didYouMean === undefined);
  return unknown.flatMap(({ pointer }) => suggestMember(pointer.replace(/^\//, ''), other) ?? [])[0];
}

/** The refusal of a parameter that another operation takes, with that operation as the first step. */
export function withOtherOperation(refusal: Refusal, other: unknown, stepFor: (member: string) => NextStep): Refusal {
  const member = takenElsewhere(refusal, other);
  if (member === undefined) return refusal;
  return { ...refusal, nextActions: [stepFor(member), ...(refusal.nextActions ?? errorEntry(refusal.code).nextActions)] };
}

interface UnknownName {
  readonly path: readonly string[];
  /** The schema and the value of the object that has it. */
  readonly of: unknown;
  readonly within: unknown;
}

function unknownNames(schema: unknown, value: unknown, outer: readonly string[] = []): UnknownName[] {
  const known = memberNames(schema);
  return (known.length === 0 ? [] : namesOf(value)).flatMap((name): UnknownName[] => {
    const path = [...outer, name];
    return known.includes(name)
      ? unknownNames(schemaAt(schema, [name]), valueAt(value, [name]), path)
      : [{ path, of: schema, within: value }];
  });
}

function suggestedFor(name: string, value: unknown, schema: unknown): Pick<FieldError, 'didYouMean'> {
  const didYouMean = suggestMember(name, schema, value);
  // A name that the request has already is not what another one means.
  return didYouMean === undefined || namesOf(value).includes(didYouMean) ? {} : { didYouMean };
}

function namesOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON Pointer (RFC 6901) into the body; the bare name of a parameter elsewhere. */
function pointerTo(path: readonly PropertyKey[], part: InputPart): string {
  const names = path.map((name) => repeatable(String(name)));
  return isJson(part) ? names.map((name) => `/${name}`).join('') : names.join('.');
}

/** Whether a part is JSON. */
function isJson(part: InputPart): boolean {
  return part === 'body' || part === 'arguments';
}

/** Where an unknown member of an object belongs: a member of the object, or of one of its objects, as in `filters.tags`; nowhere if it is a wrapper. */
export function suggestMember(name: string, schema: unknown, within?: unknown): string | undefined {
  const sent = valueAt(within, [name]);
  if (memberWithin(sent, schema) !== undefined) return undefined;
  const found = memberLike(name, schema);
  return found === undefined || !isObject(sent) || takesObject(schemaAt(schema, found.split('.'))) ? found : undefined;
}

function takesObject(schema: unknown): boolean {
  const { error } = schema instanceof z.ZodType ? schema.safeParse({}) : {};
  return error?.issues.some(({ code, path }) => path.length === 0 && /^invalid_(?:type|value)$/.test(code)) !== true;
}

function memberLike(name: string, schema: unknown): string | undefined {
  const names = memberNames(schema);
  const member = asMember(name);
  const inner = names.flatMap((outer) => memberNames(schemaAt(schema, [outer])).map((each) => [outer, each] as const));
  const exact = names.includes(member) ? undefined : inner.find(([, each]) => each === member);
  if (exact !== undefined) return exact.join('.');
  const own = suggestName(name, names);
  if (own !== undefined) return own;
  const innerNames = inner.map(([, each]) => each);
  const found = suggestName(name, innerNames);
  return inner.find(([, each]) => each === found)?.join('.');
}

const VALUE_MAX_LENGTH = 200;

/** Letters, digits and marks of a value that is repeated in an error: never a key or a sentence. */
const PLAIN_VALUE = /^(?!akg_)[A-Za-z0-9_.:+-]{1,40}$/;

const REWRITES: readonly ((trimmed: string) => string | number | boolean | undefined)[] = [
  (text) => text,
  (text) => text.replaceAll('_', '-'),
  (text) => text.toLowerCase(),
  (text) => text.replace(/s$/, ''),
  (text) => text.replace(/@.*$/, ''),
  (text) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9,]+/g, '-')
      .replaceAll(/^-|-$/g, ''),
  (text) => text.toLowerCase().replaceAll(/[\s-]+/g, '_'),
  (text) => text.replace(/^v/i, ''),
  (text) => (/^v?\d+\.\d+$/i.test(text) ? `${text.replace(/^v/i, '')}.0` : undefined),
  (text) => text.replaceAll(/[/.]/g, '-'),
  (text) => text.slice(0, 10),
  (text) => (/^-?\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
  (text) => (/^(true|yes|on)$/i.test(text) ? true : /^(false|no|off)$/i.test(text) ? false : undefined),
];

/**
 * What a schema accepts in place of a value: one of its words, the value written in another way, or the value as a list of one, or out of it.
 * A text out of a list is not repeated: it may say who sent it.
 */
export function suggestValue(value: unknown, schema: unknown): SuggestedValue | undefined {
  const here = schemaAt(schema, []);
  if (Array.isArray(value) && value.length === 1) return here instanceof z.ZodString ? undefined : suggestValue(value[0], schema);
  if (!(here instanceof z.ZodType) || typeof value !== 'string' || value.length > VALUE_MAX_LENGTH) return undefined;
  const accepts = (candidate: SuggestedValue): boolean =>
    here.safeParse(candidate).success && [candidate].flat().every((item) => PLAIN_VALUE.test(`${item}`));
  if (here instanceof z.ZodEnum) return suggestName(value.trim().replaceAll(/[\s-]+/g, '_'), here.options.map(String));
  const bare = value.trim().replace(/^[^\s,]*\bcapsules?[:/](?=[^\s,]*$)/i, '');
  const rewritten = REWRITES.map((rewrite) => rewrite(bare)).filter((candidate) => candidate !== undefined);
  const items = [value.split(',').map((item) => item.trim()), ...rewritten.map((item) => [`${item}`]), value.trim().split(/[\s,]+/)];
  return (here instanceof z.ZodArray ? items : rewritten).find(accepts);
}

/** JSONPath (RFC 9535) for a JSON Pointer, as far as its members have plain names; `undefined` for the name of a parameter. */
export function jsonPath(pointer: string | undefined): string | undefined {
  if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
  let path = '$';
  for (const name of pointer.split('/').slice(1)) {
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else if (/^[A-Za-z_]\w*$/.test(name)) path += `.${name}`;
    else break;
  }
  return path;
}

import * as z from 'zod';
import { LIMITS } from './limits.ts';

export const ID_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$';

export const Id = z
  .string()
  .max(LIMITS.idMaxLength, `must have at most ${LIMITS.idMaxLength} characters`)
  .regex(new RegExp(ID_PATTERN), 'must be lower-case letters and digits in groups joined by single hyphens, such as "http-caching"');

/** Version of a capsule: Semantic Versioning 2.0.0 without pre-release and build. */
export const Version = z
  .string()
  .max(32)
  .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'must be three numbers such as 1.0.0');

export const IsoDate = z.iso.date('must be a date such as 2026-11-21');

/** A date in content files, from 1970-01-01 on: the index counts days since then. */
export const ContentDate = z.iso
  .date({ error: 'must be a date such as 2026-11-21', abort: true })
  .refine((date) => date >= '1970-01-01', 'must not be before 1970-01-01');

export const IsoDateTime = z.iso.datetime('must be a UTC time such as 2026-11-21T00:00:00Z');

export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

/** Digest of a record's canonical JSON (RFC 8785). */
export const RecordDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 hexadecimal digits');

/** BCP 47 language tag in its common short forms. */
export const Language = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or pt-BR');

/** Form of an SPDX licence identifier; `ListedLicense` requires a listed one. */
export const License = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9.+-]+$/, { error: 'must be one SPDX identifier such as CC-BY-4.0', abort: true });

/** Characters of a URI after its authority (RFC 3986 section 2), for a character class. */
export const URI_CHARACTERS = "A-Za-z0-9._~:/?#@!$&'()*+,;=%-";

/** Pattern of every URI in published documents: ASCII, http or https, with a host. */
const URI_PATTERN = `^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[${URI_CHARACTERS}]*)?$`;

/** Absolute http(s) URL in ASCII. A pattern, because `url()` and `format: uri` disagree on edge cases. */
export const Uri = z
  .string()
  .max(2_048)
  .regex(new RegExp(URI_PATTERN), { error: 'must be an absolute http or https URL in ASCII', abort: true });

export const HttpsUri = Uri.refine((value) => value.startsWith('https://'), 'must begin with https://');

export function uriBeginning(prefix: string): z.ZodString {
  const pattern = `^${prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[${URI_CHARACTERS}]*$`;
  return z.string().max(2_048).regex(new RegExp(pattern), `must begin with ${prefix}`);
}

/** Whether a text has no control or formatting characters, which hide or reorder text. U+200C and U+200D join letters. */
export function isPlain(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u.test(text);
}

export const PLAIN = 'must not contain control or invisible characters';

/** A short text on one line. */
export const PlainLine = z.string().trim().min(1).max(LIMITS.shortTextMaxLength).refine(isPlain, PLAIN);

/** JSON Pointer to a member of a document (RFC 6901). */
export const JsonPointer = z.string().regex(/^(\/([^/~]|~[01])*)+$/);

/** Opaque cursor: a position in a list, taken from the previous response. */
export const Cursor = z.string().min(1).max(512);

export const RootPath = z.string().regex(/^\//);

/** Identity of a publisher (did:web method, W3C Credentials Community Group). */
export const DidWeb = z
  .string()
  .regex(/^did:web:[A-Za-z0-9.%-]+(:[A-Za-z0-9._%-]+)*$/, 'must be a did:web identifier such as did:web:docs.example.com');

export const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, 'must be a currency code such as USD');

/**
 * A whole number as a query parameter. As in a body, a number below the bounds is refused, and one above them is lowered; documents name both.
 * @param fallback The value without the parameter; absent if that depends on others.
 */
export function integerParameter({ min = 1, max, fallback }: { readonly min?: number; readonly max: number; readonly fallback?: number }) {
  const expected = min === 1 ? 'must be a whole number above 0' : `must be a whole number of at least ${min}`;
  const number = z.int(expected).min(min, expected).max(999_999, 'must be at most 999999');
  return fromDigits(number.meta({ maximum: max, ...(fallback !== undefined && { default: fallback }) })).optional();
}

/** The number that a parameter of a URL spells. */
export function fromDigits(number: z.ZodInt) {
  return z.preprocess((sent) => (typeof sent === 'string' && /^[1-9]\d*$/.test(sent) ? Number(sent) : sent), number);
}

/** Compares two versions such as `1.10.0` by their three numbers; what follows them, as in `1.0.0-beta`, does not count. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string): number[] => version.split(/[.+-]/, 3).map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

let known: ReadonlySet<string> | undefined;

/** A currency of ISO 4217 that is in use, in upper case. */
export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code in upper case, such as EUR', abort: true })
  .refine((code) => {
    known ??= new Set(Intl.supportedValuesOf('currency'));
    return known.has(code);
  }, 'is not a currency of ISO 4217 in use; check its spelling');

const FILE_FORM = 'must name a file in public/, such as /logo.svg';

/** Name of a file in `public/`; the slash at its beginning may be left out. @param endings In lower case, with blanks between them. */
export function publicFile(endings: string): z.ZodType<string, unknown> {
  return z
    .string(FILE_FORM)
    .regex(/^\/?([A-Za-z0-9._~-]+\/)*[A-Za-z0-9._~-]+$/, FILE_FORM)
    .refine(
      (path) => endings.split(' ').includes(path.slice(path.lastIndexOf('.') + 1).toLowerCase()),
      `must be a file of one of these types: ${endings.replaceAll(' ', ', ')}`,
    )
    .transform((path) => (path.startsWith('/') ? path : `/${path}`));
}

/** A picture in `public/` that networks and shops show as well. */
export const Picture = z.strictObject({
  file: publicFile('png jpg jpeg webp'),
  alt: z.string().min(1).max(200),
});

export const SizedImage = z.object({
  /** Root-relative address, which contains a digest of the bytes. */
  path: z.string(),
  /** Pixels, as is the height. */
  width: z.int().min(1),
  height: z.int().min(1),
  /** Smaller copies, smallest first. */
  variants: z.array(z.object({ path: z.string(), width: z.int().min(1) })),
});
export type SizedImage = z.infer<typeof SizedImage>;

export const CADENCES = ['free', 'one_time', 'monthly', 'annual'] as const;
export const Cadence = z.enum(CADENCES);
export type Cadence = z.infer<typeof Cadence>;

export const SESSION_ID_PREFIX = 'cs_';

export const SESSION_ID_PATTERN = `^${SESSION_ID_PREFIX}[0-9a-f]{32}$`;

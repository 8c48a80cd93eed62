import { isPrintedKey, keyId } from '../provenance/sign.ts';
import { type LineageKey, LineageKeys } from '../schemas/knowledge/lineage.ts';
import { readContentFile } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { parseContentFile } from './front-matter.ts';

/** Where the public keys of the publisher are listed. */
export const KEYS_FILE = 'content/keys.yaml';

/** Members that hold the private half of a key: `d` of a JWK (RFC 8037 section 2), and the line that `npm run keys:new` prints. */
const PRIVATE_MEMBERS: readonly string[] = ['d', 'LINEAGE_KEY'];

/** A private member in the text of the file, also where YAML sees none: in a comment, or in a line that is no YAML. */
const PRIVATE_TEXT = /LINEAGE_KEY|(?<![\w-])d["']?\s*:/i;

/** Fields that a key or the file may have; whatever else is written there may be a secret, the name of a field as well. */
const KNOWN_FIELD = /^keys(?:\[\d+\](?:\.(?:kid|x|created|retired))?)?$/;

const PRIVATE_KEY =
  'is a private key: take it out of the repository and replace the key, because whoever has the repository, or its history, can sign with it';

const NO_YAML = 'is not valid YAML with a list of keys: a bracket, quote, colon or indent is out of place, or there is an alias (*name)';

const UNKNOWN_FIELD = 'has a field that is not known here: the file has keys, and a key has kid, x, created and perhaps retired';

/** The keys of a file, or everything that is wrong with it; never both. */
export type KeysOutcome = { readonly keys: readonly LineageKey[] } | { readonly problems: readonly ContentProblem[] };

/**
 * Reads and checks keys.yaml; what is wrong with it is added to `problems`. Without the file there are no keys.
 *
 * @param today Today in UTC, `YYYY-MM-DD`; dates after it are refused.
 */
export async function readKeys(root: string, today: string, problems: ContentProblem[]): Promise<readonly LineageKey[]> {
  let read: Awaited<ReturnType<typeof readContentFile>>;
  try {
    read = await readContentFile(root, KEYS_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      problems.push({ file: KEYS_FILE, line: 1, field: '', message: 'is there, but cannot be read as a file' });
    return [];
  }
  problems.push(...read.problems);
  if (read.raw === undefined) return [];
  const outcome = await parseKeys(read.raw, today);
  if ('keys' in outcome) return outcome.keys;
  problems.push(...outcome.problems);
  return [];
}

/** Checks the text of keys.yaml. No message shows anything of it that may be private: neither a value nor what is no field of a key. */
export async function parseKeys(raw: string, today: string): Promise<KeysOutcome> {
  const lines = raw.split(/\r\n?|\n/).flatMap((text, index) => (PRIVATE_TEXT.test(text) ? [index + 1] : []));
  if (lines.length > 0) return { problems: lines.map((line) => ({ file: KEYS_FILE, line, field: '', message: PRIVATE_KEY })) };
  const parsed = parseContentFile(KEYS_FILE, raw, LineageKeys);
  if ('problems' in parsed) return { problems: parsed.problems.map(withoutSecrets) };
  const { data, lineOf } = parsed.file;
  const problems: ContentProblem[] = [];
  for (const [index, key] of data.keys.entries()) {
    const findings: { field: keyof LineageKey; message: string }[] = [];
    const thumbprint = await keyId(key.x);
    if (key.kid !== thumbprint)
      findings.push({ field: 'kid', message: `must be ${thumbprint}, the RFC 7638 thumbprint of the key in x; or x is of another key` });
    if (isPrintedKey(key.x))
      findings.push({ field: 'x', message: 'is a key whose private half a standard prints as an example, so anybody can sign with it' });
    const first = data.keys.findIndex(({ x }) => x === key.x);
    if (first < index) findings.push({ field: 'x', message: `is the key of keys[${first}] again; list a key once` });
    if (key.created > today) findings.push({ field: 'created', message: `must not be after today, ${today}` });
    if (key.retired !== undefined) {
      if (key.retired > today) findings.push({ field: 'retired', message: `must not be after today, ${today}` });
      if (key.retired < key.created) findings.push({ field: 'retired', message: 'must not be before created' });
    }
    for (const { field, message } of findings)
      problems.push({ file: KEYS_FILE, line: lineOf(['keys', index, field]), field: `keys[${index}].${field}`, message });
  }
  return problems.length > 0 ? { problems } : { keys: data.keys };
}

/** Puts fixed words in the place of those that name what stands in the file, and says of a private member what it is. */
function withoutSecrets({ line, field, message }: ContentProblem): ContentProblem {
  if (KNOWN_FIELD.test(field)) return { file: KEYS_FILE, line, field, message };
  if (field === '') return { file: KEYS_FILE, line, field, message: NO_YAML };
  const isPrivate = PRIVATE_MEMBERS.includes(field.split('.').at(-1) ?? '');
  return { file: KEYS_FILE, line, field: '', message: isPrivate ? PRIVATE_KEY : UNKNOWN_FIELD };
}

import { isPrintedKey, keyId } from '../provenance/sign.ts';
import { type LineageKey, LineageKeys } from '../schemas/lineage-keys.ts';
import { readContentFile } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { parseContentFile } from './front-matter.ts';

/** Where the public keys of the publisher are listed. */
export const KEYS_FILE = 'content/keys.yaml';

/** Members that hold the private half of a key: `d` of a JWK (RFC 8037 section 2), and the line that `npm run keys:new` prints. */
const PRIVATE_MEMBERS: readonly string[] = ['d', 'LINEAGE_KEY'];

const PRIVATE_KEY =
  'is a private key: take it out of the repository and replace the key, because whoever has the repository, or its history, can sign with it';

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

/** Checks the text of keys.yaml. No message shows a value that may be private. */
export async function parseKeys(raw: string, today: string): Promise<KeysOutcome> {
  const parsed = parseContentFile(KEYS_FILE, raw, LineageKeys);
  if ('problems' in parsed) return { problems: parsed.problems.map(explainPrivate) };
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

/** Says of a private member what it is, where a reader of any file would only say that it is not known. */
function explainPrivate(problem: ContentProblem): ContentProblem {
  const member = problem.field.split('.').at(-1) ?? '';
  return PRIVATE_MEMBERS.includes(member) ? { ...problem, message: PRIVATE_KEY } : problem;
}

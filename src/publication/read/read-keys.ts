import { isPrintedKey, keyId } from '../../provenance/sign.ts';
import { type LineageKey, LineageKeys } from '../../schemas/knowledge/lineage.ts';
import { type ContentProblem, fieldProblem } from '../content-problem.ts';
import { readOptionalFile } from './content-files.ts';
import { parseContentFile } from './front-matter.ts';

export const KEYS_FILE = 'content/keys.yaml';

/** Members with a private half: `d` of a JWK (RFC 8037 section 2), and the line that `npm run keys:new` prints. */
const PRIVATE_MEMBERS: readonly string[] = ['d', 'LINEAGE_KEY'];

/** A private member in the text of the file, also in a comment or in invalid YAML. */
const PRIVATE_TEXT = /LINEAGE_KEY|(?<![\w-])d["']?\s*:/i;

/** Known fields. Anything else in the file may be a secret, even the name of a field. */
const KNOWN_FIELD = /^keys(?:\[\d+\](?:\.(?:kid|x|created|retired))?)?$/;

const PRIVATE_KEY = 'is a private key: delete it and replace the key, because anyone with the repository or its history can sign with it';

const NO_YAML = 'is not valid YAML with a list of keys: check brackets, quotes, colons and indents, and do not use aliases (*name)';

const UNKNOWN_FIELD = 'has an unknown field; the file has keys, and a key has kid, x, created and optionally retired';

type KeysOutcome = { readonly keys: readonly LineageKey[] } | { readonly problems: readonly ContentProblem[] };

/** Without the file there are no keys. */
export async function readKeys(root: string, today: string, problems: ContentProblem[]): Promise<readonly LineageKey[]> {
  const raw = await readOptionalFile(root, KEYS_FILE, problems);
  if (raw === undefined) return [];
  const outcome = await parseKeys(raw, today);
  if ('keys' in outcome) return outcome.keys;
  problems.push(...outcome.problems);
  return [];
}

/** Checks the text of keys.yaml. No message quotes a value or an unknown field, because they may be private. */
export async function parseKeys(raw: string, today: string): Promise<KeysOutcome> {
  const lines = raw.split(/\r\n?|\n/).flatMap((text, index) => (PRIVATE_TEXT.test(text) ? [index + 1] : []));
  if (lines.length > 0) return { problems: lines.map((line) => ({ file: KEYS_FILE, line, field: '', message: PRIVATE_KEY })) };
  const parsed = parseContentFile(KEYS_FILE, raw, LineageKeys, { mayQuote: false });
  if ('problems' in parsed) return { problems: parsed.problems.map(withoutSecrets) };
  const { data, lineOf } = parsed.file;
  const problems: ContentProblem[] = [];
  for (const [index, key] of data.keys.entries()) {
    const report = (field: keyof LineageKey, message: string): void =>
      void problems.push(fieldProblem(KEYS_FILE, lineOf, { path: ['keys', index, field], message }));
    const thumbprint = await keyId(key.x);
    if (key.kid !== thumbprint) report('kid', `must be ${thumbprint}, the RFC 7638 thumbprint of x; correct it, or copy x again`);
    if (isPrintedKey(key.x))
      report('x', 'is an example key of a standard, so anybody can sign with it; create a key with "npm run keys:new"');
    const first = data.keys.findIndex(({ x }) => x === key.x);
    if (first < index) report('x', `repeats keys[${first}]; list a key once`);
    if (key.created > today) report('created', `must not be after today, ${today}`);
    if (key.retired !== undefined && key.retired > today) report('retired', `must not be after today, ${today}`);
    if (key.retired !== undefined && key.retired < key.created) report('retired', 'must not be before created');
  }
  return problems.length > 0 ? { problems } : { keys: data.keys };
}

function withoutSecrets({ line, field, message }: ContentProblem): ContentProblem {
  if (KNOWN_FIELD.test(field)) return { file: KEYS_FILE, line, field, message };
  if (field === '') return { file: KEYS_FILE, line, field, message: NO_YAML };
  const isPrivate = PRIVATE_MEMBERS.includes(field.split('.').at(-1) ?? '');
  return { file: KEYS_FILE, line, field: '', message: isPrivate ? PRIVATE_KEY : UNKNOWN_FIELD };
}

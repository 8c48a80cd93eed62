import { LIMITS } from '../../schemas/limits.ts';

/** Why a text was not taken as JSON; the message is safe to send. */
export class JsonRejectedError extends Error {
  override readonly name = 'JsonRejectedError';
}

/**
 * Parses a JSON object and refuses what `JSON.parse` lets through: members named twice (RFC 8259 section 4: behaviour
 * unpredictable), `__proto__`, deep nesting and very many members.
 *
 * @throws {JsonRejectedError} With a message that says what is wrong.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonRejectedError('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonRejectedError('The body must be a JSON object.');
  return value as Record<string, unknown>;
}

/** Walks over the tokens once, in time linear in the text, before anything is built from it. */
function scan(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let count = 0;
  let position = 0;
  while (position < text.length) {
    const character = text[position];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > LIMITS.jsonMaxDepth) throw new JsonRejectedError(`The body is nested deeper than ${LIMITS.jsonMaxDepth} levels.`);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',' || character === ':') {
      count += 1;
      if (count > 2 * LIMITS.jsonMaxKeys) throw new JsonRejectedError(`The body has more than ${LIMITS.jsonMaxKeys} members and items.`);
    } else if (character === '"') {
      const end = endOfString(text, position);
      const members = open.at(-1);
      if (members && /^\s*:/.test(text.slice(end, end + 64))) addMember(members, text.slice(position, end));
      position = end;
      continue;
    }
    position += 1;
  }
}

function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === '\\') position += 1;
    else if (text[position] === '"') return position + 1;
  }
  return text.length;
}

function addMember(members: Set<string>, literal: string): void {
  let name: string;
  try {
    name = JSON.parse(literal) as string;
  } catch {
    throw new JsonRejectedError('The body is not valid JSON.');
  }
  if (members.has(name)) throw new JsonRejectedError(`The body names the member "${name.slice(0, 40)}" twice.`);
  if (name === '__proto__') throw new JsonRejectedError('The body has a member named "__proto__".');
  members.add(name);
}

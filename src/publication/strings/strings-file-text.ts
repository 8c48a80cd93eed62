import { stringify } from 'yaml';
import { builtInStrings, ORIGINALS, type StringOverrides } from './interface-strings.ts';
import type { Message } from './message.ts';

const INTRODUCTION = `# The sentences of the interface in %. Remove "# " before a sentence, and translate what follows its name.
# A sentence that is missing here is the engine's. {name} is a value, and <name>…</name> becomes a link or another element: keep both.
# A sentence with a count may have one form per plural category of the language: zero, one, two, few, many, other.
`;

/**
 * The text of a file of strings: every sentence by section, those without a translation as comments in the language of the engine, else in
 * English. Translations come back as they were; comments of the publisher do not.
 */
export function stringsFileText(language: string, translated: StringOverrides): string {
  const engine: Readonly<Record<string, Readonly<Record<string, Message>>>> = builtInStrings(language) ?? ORIGINALS;
  const sections = Object.entries(ORIGINALS).map(([section, messages]) => {
    const lines = Object.keys(messages).map((key) => {
      const own = translated[section]?.[key];
      return own === undefined ? commentOut(entry(key, engine[section]?.[key] ?? '')) : entry(key, own);
    });
    return `${section}:\n${lines.join('')}`;
  });
  return `${INTRODUCTION.replace('%', language)}\n${sections.join('\n')}`;
}

/** A sentence as YAML, indented as part of a section. */
function entry(key: string, message: Message): string {
  return stringify({ [key]: message }, { lineWidth: 0 })
    .replace(/^/gm, '  ')
    .trimEnd()
    .concat('\n');
}

function commentOut(lines: string): string {
  return lines.replace(/^ {2}/gm, '  # ');
}

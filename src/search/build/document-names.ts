import { analyse } from '../analysis/analyse.ts';
import { analyserFor } from '../analysis/analysers.ts';
import { compoundNames, nameTerm, operatorRanges } from '../analysis/name-terms.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import { NAME_IMPACTS } from '../constants.ts';
import type { SearchDocument } from '../search-document.ts';

const TITLE_WORD = /[\p{L}\p{N}_]+(?:[.:]+[\p{L}\p{N}_]+)*/gu;

/** Words that are names by their form: `JSON`, `fetchUser`, `max_results`, `os.path`, `x402`. */
const CODE_LIKE = /\p{Lu}{2}|\p{Ll}\p{Lu}|[_.:]|\p{L}\p{N}/u;

/** Most names of one document: the first, by impact. */
const NAMES_MAX = 48;

/** The names of a document, as terms with their impacts. */
export function documentNames(document: SearchDocument): Map<string, number> {
  const { id, language, title, headings, body, names = [], codes = [] } = document;
  const found = new Map<string, number>();
  const add = (name: string, impact: number): void => {
    const term = nameTerm(name, language);
    if (term !== undefined && !found.has(term) && found.size < NAMES_MAX) found.set(term, impact);
  };
  for (const name of [id, title]) add(name, NAME_IMPACTS.title);
  if (title.trimEnd().endsWith(')')) add(title.slice(0, title.lastIndexOf('(')), NAME_IMPACTS.titlePart);
  for (const name of names) add(name, NAME_IMPACTS.defined);
  for (const { name } of compoundNames(title)) add(name, NAME_IMPACTS.titleWord);
  for (const [word] of title.matchAll(TITLE_WORD)) if (CODE_LIKE.test(word)) add(word, NAME_IMPACTS.titleWord);
  for (const { start, end } of operatorRanges(title)) add(title.slice(start, end), NAME_IMPACTS.titleWord);
  for (const heading of headings) {
    add(heading, NAME_IMPACTS.heading);
    for (const { start, end } of operatorRanges(heading)) add(heading.slice(start, end), NAME_IMPACTS.heading);
  }
  for (const code of codes) add(code, NAME_IMPACTS.code);
  const compounds = hyphenated(body);
  const stopWords = stopWordsOf(analyserFor(language));
  for (const name of compounds) if (name.split('-').some((part) => stopWords.has(part.toLowerCase()))) add(name, NAME_IMPACTS.compound);
  for (const { start, end } of analyse(title, language)) add(title.slice(start, end), NAME_IMPACTS.titleForm);
  for (const name of [...hyphenated(title), ...compounds]) add(name.replaceAll('-', ''), NAME_IMPACTS.joined);
  return found;
}

const HYPHENATED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu;

/** The hyphenated words of a text, each once. */
function hyphenated(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(HYPHENATED), ([name]) => name));
}

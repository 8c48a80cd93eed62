import { language, capsules as sentences, terms } from 'virtual:strings';
import { stateWords } from '../gateway/knowledge/capsule-state.ts';
import type { CapsuleSummary } from '../schemas/knowledge/capsule.ts';
import { languageAttributes, markup } from './strings.ts';

/** The words about the state of a capsule in the language of the interface. */
export const STATE_WORDS = stateWords(language, sentences, terms);

/** The HTML of the title of a capsule, for `set:html`: after its state unless it is current, each in its language. */
export function statedHeading({ title, status, language: ofTitle }: Pick<CapsuleSummary, 'title' | 'status' | 'language'>): string {
  if (status === 'current') return markup('{title}', { title }, {});
  return markup(sentences[`${status}Title`], { title }, { title: { element: 'span', attributes: languageAttributes(ofTitle) } });
}

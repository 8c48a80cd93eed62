import { language, texts } from 'virtual:strings';
import type { TextLabels } from './markdown/text-labels.ts';
import { textLabels } from './markdown/text-labels.ts';

/** Words that pages add to a text, in its language if the engine has it, else in the language of the interface. */
export function labelsFor(ofText: string = language): TextLabels {
  return textLabels({ tag: language, strings: { texts } }, ofText);
}

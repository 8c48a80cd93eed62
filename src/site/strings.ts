import { language } from 'virtual:strings';
import {
  formatMarkup,
  formatMessage,
  type Message,
  type MessageElement,
  type PlaceholderOf,
  type TagOf,
  textDirection,
} from '../publication/strings/message.ts';

type ValuesOf<M extends Message> = Readonly<Record<PlaceholderOf<M>, string | number>>;

/** The text of a message with its values, in the language of the interface. Messages without values are texts themselves. */
export function text<const M extends Message>(message: M, values: ValuesOf<M>): string {
  return formatMessage(message, values, language);
}

/** The HTML of a message whose tags become elements, for `set:html`. Words and values are escaped. */
export function markup<const M extends Message>(
  message: M,
  values: ValuesOf<M>,
  elements: Readonly<Record<TagOf<M>, MessageElement>>,
): string {
  return formatMarkup(message, values, elements, language);
}

/** Attributes of an element whose text is in another language than the interface; none if it is the same. */
export function languageAttributes(ofText: string): { lang?: string; dir?: 'ltr' | 'rtl' } {
  if (ofText === language) return {};
  const direction = textDirection(ofText);
  return { lang: ofText, ...(direction === textDirection(language) ? {} : { dir: direction }) };
}

/** Attributes of the root element of a page. */
export function rootAttributes(): { lang: string; dir?: 'rtl' } {
  return { lang: language, ...(textDirection(language) === 'rtl' ? { dir: 'rtl' } : {}) };
}

/** Whether the interface is in English, as the API is: only then may a page repeat a sentence of the API. */
export function isEnglish(): boolean {
  return /^en(-|$)/.test(language);
}

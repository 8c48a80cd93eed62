import { builtInStrings } from '../../publication/read/strings-file.ts';
import type { AdmonitionKind } from '../../text/markdown/admonition-lines.ts';
import { ENGLISH, type InterfaceLanguage, type InterfaceStrings } from '../../text/strings/interface-strings.ts';

export type AdmonitionTitles = Readonly<Record<AdmonitionKind, string>>;

/** The language of the interface, of which only the words for texts are needed. */
type LabelLanguage = Pick<InterfaceLanguage, 'tag'> & { readonly strings: Pick<InterfaceStrings, 'texts'> };

export type TextLabels = Readonly<Record<Exclude<keyof InterfaceStrings['texts'], AdmonitionKind>, string>> & {
  readonly admonitions: AdmonitionTitles;
};

/** The words in the language of a text if the engine has it, else in that of the interface. */
export function textLabels({ tag, strings }: LabelLanguage, language: string = tag): TextLabels {
  const { note, tip, important, warning, caution, ...labels } =
    (language === tag ? undefined : builtInStrings(language)?.texts) ?? strings.texts;
  return { ...labels, admonitions: { note, tip, important, warning, caution } };
}

export const TEXT_LABELS: TextLabels = textLabels({ tag: 'en', strings: ENGLISH });

import english from './en.json' with { type: 'json' };
import ofDocuments from './en-documents.json' with { type: 'json' };
import type { PluralForms, Sentence } from './message-format.ts';

/**
 * The English sentences are JSON, which Node and all bundlers import and TypeScript infers names from. As in ARB, the form of translations of
 * Flutter, a member `@name` describes the sentence `name`: its values `{value}` and its elements `<element>`, from which the types are made that
 * pages must fill in; `@` describes a section. Sentences that documents for machines say too are in a file of their own, because functions load it; translations are
 * YAML (`strings-file.ts`).
 *
 * @see https://github.com/google/app-resource-bundle/wiki/ApplicationResourceBundleSpecification
 */
type Catalogue = typeof english & typeof ofDocuments;

type NameIn<Members> = Exclude<keyof Members, `@${string}`>;
type PartsOf<Section, Name> = `@${Name & string}` extends keyof Section ? keyof Section[`@${Name & string}`] & string : never;
type MessageOf<Text, Parts extends string> = Text extends string
  ? [Parts] extends [never]
    ? string
    : Sentence<string, Parts>
  : Sentence<PluralForms, Parts | '{count}'>;

export type InterfaceStrings = {
  readonly [Section in keyof Catalogue]: {
    readonly [Name in NameIn<Catalogue[Section]>]: MessageOf<Catalogue[Section][Name], PartsOf<Catalogue[Section], Name>>;
  };
};

export const ENGLISH = Object.fromEntries(
  Object.entries(english).map(([section, sentences]) => {
    const all = { ...sentences, ...(ofDocuments as Readonly<Record<string, object>>)[section] };
    return [section, Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('@')))];
  }),
) as unknown as InterfaceStrings;

export interface InterfaceLanguage {
  /** Language tag, such as `de` or `pt-BR`. */
  readonly tag: string;
  readonly strings: InterfaceStrings;
}

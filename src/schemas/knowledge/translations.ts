import { capsulePath } from '../paths.ts';
import type { CapsuleMetadata } from './capsule.ts';

export interface TranslatableText {
  readonly id: string;
  readonly language: string;
  readonly translation_of?: string | undefined;
}

export interface LanguageVersion extends Pick<TranslatableText, 'id' | 'language'> {
  /** Root-relative. */
  readonly path: string;
  readonly isOriginal: boolean;
}

/** By id, each text that has translations in all its languages: the original first, then by language. The original itself may be missing. */
export function languageVersionsIn(
  texts: readonly TranslatableText[],
  pathOf: (id: string) => string,
): ReadonlyMap<string, readonly LanguageVersion[]> {
  const sets = Map.groupBy(texts, ({ id, translation_of: original = id }) => original);
  return new Map(
    [...sets].flatMap(([original, set]) => {
      if (set.length === 1) return [];
      const versions = set.map(({ id, language }) => ({ id, language, path: pathOf(id), isOriginal: id === original }));
      versions.sort((a, b) => Number(b.isOriginal) - Number(a.isOriginal) || (a.language < b.language ? -1 : 1));
      return versions.map(({ id }) => [id, versions] as const);
    }),
  );
}

/** A capsule in all its languages, as {@link languageVersionsIn}; empty without translations. */
export function languageVersionsOf({
  capsule_id,
  translation_of = capsule_id,
  language,
  translations = [],
}: CapsuleMetadata): readonly LanguageVersion[] {
  const texts = [{ capsule_id, language }, ...translations].map((text) => ({
    id: text.capsule_id,
    language: text.language,
    translation_of,
  }));
  return languageVersionsIn(texts, capsulePath).get(capsule_id) ?? [];
}

/** The alternates of a page for search engines: each language, and for all others the original. */
export function hreflangs(versions: readonly LanguageVersion[]): { readonly hreflang: string; readonly path: string }[] {
  const original = versions.filter(({ isOriginal }) => isOriginal).map(({ path }) => ({ hreflang: 'x-default', path }));
  return [...versions.map(({ language, path }) => ({ hreflang: language, path })), ...original];
}

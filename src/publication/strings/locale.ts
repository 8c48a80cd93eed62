/** Scripts that are written from right to left (unicode.org/reports/tr35, `characterOrder`). */
const RIGHT_TO_LEFT: readonly (string | undefined)[] = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'];

/** Locale of numbers and amounts in a language. */
export function numberLocale(language: string): string {
  return language === 'en' ? 'en-US' : language;
}

/** Locale of dates in a language. English without a region writes `21 November 2026`, which every reader understands. */
export function dateLocale(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

/** `rtl` for a language that is written from right to left, such as Arabic, Hebrew, Persian or Urdu. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(new Intl.Locale(language).maximize().script) ? 'rtl' : 'ltr';
}

/** Leading articles that catalogues of libraries pass over, by primary language subtag. */
const ARTICLES: Readonly<Record<string, RegExp>> = {
  ca: /^(?:el|la|els|les|un|una)\s+|^l['’]/i,
  da: /^(?:den|det|de|en|et)\s+/i,
  de: /^(?:der|die|das|ein|eine)\s+/i,
  en: /^(?:a|an|the)\s+/i,
  es: /^(?:el|la|los|las|un|una|unos|unas)\s+/i,
  fr: /^(?:le|la|les|un|une|des)\s+|^l['’]/i,
  it: /^(?:il|lo|la|i|gli|le|un|uno|una)\s+|^(?:l|un)['’]/i,
  nb: /^(?:den|det|de|en|ei|et)\s+/i,
  nl: /^(?:de|het|een)\s+/i,
  pt: /^(?:o|a|os|as|um|uma|uns|umas)\s+/i,
  sv: /^(?:den|det|de|en|ett)\s+/i,
};

interface Titled {
  readonly capsule_id: string;
  readonly title: string;
  readonly language: string;
}

/**
 * Positions of capsules in the order of their titles, without leading articles in the language of each, as in the catalogue of a library; capsules
 * with one title by id.
 *
 * @param language Language of readers, which decides the order of letters.
 */
export function titleOrder(capsules: readonly Titled[], language: string): number[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const keys = capsules.map(sortKey);
  return capsules
    .map((_, position) => position)
    .sort((a, b) => compare(keys[a] ?? '', keys[b] ?? '') || ((capsules[a]?.capsule_id ?? '') < (capsules[b]?.capsule_id ?? '') ? -1 : 1));
}

function sortKey({ title, language }: Titled): string {
  const [primary = ''] = language.split('-');
  const article = ARTICLES[primary];
  return (article === undefined ? title : title.replace(article, '')) || title;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A piece of HTML in which everything that came from elsewhere is escaped; only {@link html} makes one. */
export class Markup {
  readonly text: string;

  constructor(pieces: readonly string[]) {
    this.text = pieces.join('');
  }
}

/** What may stand in a template: text, which is escaped; markup, which is not; lists of both; and nothing. */
export type Piece = string | number | Markup | undefined | readonly Piece[];

/**
 * Writes HTML: `` html`<p title="${name}">${name}</p>` ``. Values are escaped for text and for attributes in quotation marks, so that none
 * becomes an element or ends an attribute. A value belongs between tags or into quotation marks, never into a script, a style, the name of
 * a tag or the beginning of an address.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(literals.flatMap((literal, index) => [literal, escaped(values[index])]));
}

function escaped(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(escaped).join('');
  return String(piece).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

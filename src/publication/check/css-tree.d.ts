/** The part of css-tree that the check of theme.css uses; its types are not published with it. */
declare module 'css-tree' {
  /** A node of a value: `Url` and `String` have the text without quotes. */
  interface CssNode {
    readonly type: string;
    readonly name?: string;
    readonly value?: unknown;
  }
  interface SyntaxMatch {
    readonly error: Error | null;
  }
  /** @throws {SyntaxError} If the text cannot be parsed in this context. */
  function parse(text: string, options: { readonly context: 'value' | 'atrulePrelude'; readonly atrule?: string }): CssNode;
  function walk(node: CssNode, visit: (this: { readonly function: CssNode | null }, node: CssNode) => void): void;
  const lexer: {
    /** Definitions of the properties of CSS (mdn-data), by name. */
    readonly properties: Readonly<Record<string, unknown>>;
    matchProperty(name: string, value: CssNode): SyntaxMatch;
  };
}

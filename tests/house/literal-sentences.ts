import ts from 'typescript';

/** Attributes whose value people read or hear. */
const READ_ATTRIBUTES: readonly string[] = [
  ...['title', 'description', 'lead', 'heading', 'note', 'label', 'caption', 'alt', 'placeholder', 'aria-label', 'data-label'],
];
/** Attributes of our components that people read; of elements they are identifiers. */
const READ_PROPERTIES: readonly string[] = [...READ_ATTRIBUTES, 'name'];

/** A sentence, or a word on its own, as people read it: `Nothing is for sale`, `Total`, ` or `. */
const READS_AS_TEXT = /^\p{Lu}[\p{Ll}’]+([,:]? [\p{L}’]+)+|^\p{Lu}\p{Ll}{2,}$|^[;,]? \p{Ll}{2,}|\p{Ll}\.$/u;

/**
 * Literal text for people in an Astro file, as `file:line text`: words in its markup or in an attribute that people read, and strings that
 * read as sentences. They belong in `src/text/strings`.
 */
export function literalSentences(path: string, source: string): string[] {
  const [, frontMatter = '', markup = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  const template = markup.replace(/<!doctype html>/i, '').replace(/<(script|style)\b.*?<\/\1>/gs, '');
  const before = frontMatter.split('\n').length + 2;
  return [...readTexts(frontMatter, 1, path), ...readTexts(`const template = <>${template}</>;`, before, path)];
}

function readTexts(code: string, linesBefore: number, path: string): string[] {
  const tree = ts.createSourceFile('page.tsx', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (node: ts.Node, text: string): void => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + linesBefore + 1;
    found.push(`${path}:${line} ${text.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxText(node) && /\p{L}{2,}/u.test(node.text)) report(node, node.text);
    else if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      const isComponent = /^\p{Lu}/u.test(node.parent.parent.tagName.getText(tree));
      const read = isComponent ? READ_PROPERTIES : READ_ATTRIBUTES;
      if (read.includes(node.name.getText(tree)) && /\p{L}{2,}/u.test(node.initializer.text)) report(node, node.initializer.text);
      return;
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || isTemplatePart(node)) {
      if (READS_AS_TEXT.test(node.text)) report(node, node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

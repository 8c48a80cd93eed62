import { fromHtml } from 'hast-util-from-html';
import { textOf } from '../../src/text/html-tree.ts';
import { SHOWN_ELEMENTS } from '../../src/text/markdown/html-elements.ts';
import { plainText, walk } from '../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../src/text/markdown/parse-text.ts';

export interface Residue {
  readonly line: number;
  readonly source: string;
}

/**
 * Finds what an import should have reduced: components, modules and expressions of MDX, template tags, wiki links and containers. What a page in HTML
 * shows its readers itself is none.
 */
export function findResidue(text: string, original: string): Residue[] {
  const found: Residue[] = [];
  walk(parseText(text), (node) => {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'html') {
      for (const [tag, , name = ''] of node.value.matchAll(/<(\/?)([A-Za-z][\w.:-]*)[^>]*>/g))
        if (!SHOWN_ELEMENTS.has(name.toLowerCase())) found.push({ line, source: tag });
    } else if (node.type === 'paragraph') {
      const own = plainText({ ...node, children: node.children.filter(({ type }) => type !== 'inlineCode') });
      const trace =
        /^(?:import\s[^\n]*\sfrom\s+['"]|export\s+(?:const|default)\s)[^\n]*|\{\/\*|\{%-?\s*\w+|\{\{[<%]|\[\[[^\]\n]+\]\]|^\s*:{3,}[^\n]*/m.exec(
          own,
        )?.[0];
      if (trace !== undefined) found.push({ line, source: trace.slice(0, 80) });
    }
  });
  if (found.length === 0 || !/^\s*<(?:!doctype|html)\b/i.test(original)) return found;
  const hidden = /^(?:script|style|template)$/;
  const shown = textOf(fromHtml(original), ({ tagName }) => (hidden.test(tagName) ? '' : undefined)).replace(/\s+/g, '');
  return found.filter(({ source }) => !shown.includes(source.replace(/\s+/g, '')));
}

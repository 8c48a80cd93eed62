import type { Root } from 'mdast';
import { walk } from './markdown.ts';

/**
 * A markdown text with its code blocks, code spans and raw HTML blanked out; lines stay where they are.
 *
 * @param root Tree of the text, or of the text with something after it.
 */
export function maskCode(text: string, root: Root): string {
  const ranges: { start: number; end: number }[] = [];
  walk(root, (node) => {
    const [start, end] = [node.position?.start.offset, node.position?.end.offset];
    if (
      (node.type === 'code' || node.type === 'inlineCode' || node.type === 'html') &&
      start !== undefined &&
      end !== undefined &&
      end <= text.length
    )
      ranges.push({ start, end });
  });
  let masked = '';
  let from = 0;
  for (const { start, end } of ranges) {
    // A letter stands for the code: what is before and after it does not become one clause.
    masked += `${text.slice(from, start)}${text.slice(start, end).replace(/[^\n]/g, '_')}`;
    from = end;
  }
  return masked + text.slice(from);
}

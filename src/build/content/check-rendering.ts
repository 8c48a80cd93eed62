import type { AuthoredContent } from '../../publication/authored-content.ts';
import type { BuildCache } from '../../publication/build-cache.ts';
import { fromMemory } from '../../publication/build-cache.ts';
import { type ContentProblem, isWarning } from '../../publication/content-problem.ts';
import type { ReadingSources } from '../../publication/read/read-texts.ts';
import { checkComponents } from '../../site/component-overrides.ts';
import { DrawnParts } from '../../site/markdown/drawn-parts.ts';
import { TEXT_LABELS } from '../../site/markdown/text-labels.ts';
import { parseText } from '../../text/markdown/parse-text.ts';

/** @param content `undefined` if it has mistakes; its texts are not rendered then. */
export async function checkRendering(root: string, content: AuthoredContent | undefined, cache?: BuildCache) {
  const components = await checkComponents(root);
  const undrawn = content === undefined ? [] : await undrawnParts(content, { cache });
  return {
    problems: components.filter((problem) => !isWarning(problem)),
    warnings: [...components.filter(isWarning), ...undrawn],
  };
}

const DRAWN = /\$|^[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:mermaid|dot|graphviz|math)/m;

/** A warning for every diagram and formula that cannot be drawn, and stays as code. */
export async function undrawnParts(
  { capsules, offers, pages }: Pick<AuthoredContent, 'capsules' | 'offers' | 'pages'>,
  { memory, cache }: Pick<ReadingSources, 'memory' | 'cache'> = {},
): Promise<ContentProblem[]> {
  const warnings: ContentProblem[] = [];
  const cached = cache?.results<DrawnParts['undrawn']>('undrawn-parts');
  for (const { file, markdown, bodyLine } of [...capsules, ...offers, ...pages]) {
    if (!DRAWN.test(markdown)) continue;
    const undrawn = await fromMemory(memory, 'drawn', file, [markdown], async () => {
      const known = cached?.get(markdown);
      if (known !== undefined) return known;
      const parts = await DrawnParts.load(parseText(markdown), TEXT_LABELS);
      cached?.set(markdown, parts.undrawn);
      return parts.undrawn;
    });
    for (const { line, kind, reason } of undrawn)
      warnings.push({
        file,
        line: bodyLine + line - 1,
        field: 'text',
        message: `has a ${kind} that cannot be drawn and stays as code: ${reason}`,
        level: 'warning',
      });
  }
  return warnings;
}

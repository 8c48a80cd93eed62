import type { AuthoredContent } from '../publication/authored-content.ts';
import { type BuildCache, fromMemory } from '../publication/build-cache.ts';
import { type ContentProblem, isWarning } from '../publication/content-problem.ts';
import type { ReadingSources } from '../publication/read/read-text-folder.ts';
import { checkComponents } from '../site/component-overrides.ts';
import { type DrawnParts, loadDrawnParts } from '../site/markdown/code-and-formulas.ts';
import { TEXT_LABELS } from '../site/markdown/text-labels.ts';
import { parseText } from '../text/markdown/parse-text.ts';
import { installCommand, type PackageNeed } from './engine-package.ts';

/** @param content `undefined` if it has mistakes; its texts are not rendered then. */
export async function checkRendering(root: string, content: AuthoredContent | undefined, cache?: BuildCache) {
  const components = await checkComponents(root);
  const { warnings, needs } = content === undefined ? { warnings: [], needs: [] } : await undrawnParts(content, { cache });
  return {
    problems: components.filter((problem) => !isWarning(problem)),
    warnings: [...components.filter(isWarning), ...warnings],
    needs,
  };
}

const DRAWN = /\$|^[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:mermaid|dot|graphviz|math)/m;

interface DiagramNeed extends PackageNeed {
  readonly warning: ContentProblem;
}

/** A warning for every diagram and formula that cannot be drawn, and stays as code; `needs`: the packages that are missing to draw some. */
export async function undrawnParts(
  { capsules, offers, pages }: Pick<AuthoredContent, 'capsules' | 'offers' | 'pages'>,
  { memory, cache }: Pick<ReadingSources, 'memory' | 'cache'> = {},
): Promise<{ readonly warnings: ContentProblem[]; readonly needs: DiagramNeed[] }> {
  const warnings: ContentProblem[] = [];
  const needs: DiagramNeed[] = [];
  const cached = cache?.results<DrawnParts['undrawn']>('undrawn-parts');
  for (const { file, markdown, bodyLine } of [...capsules, ...offers, ...pages]) {
    if (!DRAWN.test(markdown)) continue;
    const undrawn = await fromMemory(memory, 'drawn', file, [markdown], async () => {
      const known = cached?.get(markdown);
      if (known !== undefined) return known;
      const parts = await loadDrawnParts(parseText(markdown), TEXT_LABELS);
      // What is missing may be installed before the next build.
      if (parts.undrawn.every(({ missing }) => missing === undefined)) cached?.set(markdown, parts.undrawn);
      return parts.undrawn;
    });
    for (const { line: lineOfText, kind, reason, missing } of undrawn) {
      const line = bodyLine + lineOfText - 1;
      const remedy = missing === undefined ? '' : `; add it, then start again: ${await installCommand([missing])}`;
      const message = `has a ${kind} that cannot be drawn and stays as code: ${reason}${remedy}`;
      const warning: ContentProblem = { file, line, field: 'text', message, level: 'warning' };
      if (missing === undefined) warnings.push(warning);
      else needs.push({ name: missing, neededBy: `the ${kind} at ${file}:${line}`, warning });
    }
  }
  return { warnings, needs };
}

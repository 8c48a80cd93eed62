/** The lines of a markdown text with their state: cheap, and right also where a parser of markdown would read containers differently. */
export function scanLines(text: string) {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const marker = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/.exec(line);
    const [, ticks = '', rest = ''] = marker ?? [];
    if (fence === undefined) {
      if (ticks === '' || (ticks.startsWith('`') && rest.includes('`'))) return { text: line, isCode: false };
      fence = ticks;
      return { text: line, isCode: true };
    }
    if (ticks.startsWith(fence) && rest.trim() === '') fence = undefined;
    return { text: line, isCode: true };
  });
}

/** Changes the parts of a text that are neither fenced code nor code spans. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  const blocks: { isCode: boolean; lines: string[] }[] = [];
  for (const { text: line, isCode } of scanLines(text)) {
    const last = blocks.at(-1);
    if (last?.isCode === isCode) last.lines.push(line);
    else blocks.push({ isCode, lines: [line] });
  }
  return blocks.map(({ isCode, lines }) => (isCode ? lines.join('\n') : outsideCodeSpans(lines.join('\n'), change))).join('\n');
}

function outsideCodeSpans(text: string, change: (prose: string) => string): string {
  const spans: string[] = [];
  // A private-use character stands for each code span, so that a change can reach across it.
  const masked = text.replace(/(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n)[\s\S])*?[^`])\1(?!`)/g, (span) => {
    spans.push(span);
    return `\uE000${spans.length - 1}\uE001`;
  });
  return change(masked).replace(/\uE000(\d+)\uE001/g, (_, index: string) => spans[Number(index)] ?? '');
}

/** At most one blank line in a row outside code, none at both ends, one final newline; no spaces at the ends of blank lines. */
export function tidyBlankLines(text: string): string {
  const kept: string[] = [];
  for (const { text: line, isCode } of scanLines(text)) {
    const isBlank = !isCode && line.trim() === '';
    if (isBlank && (kept.length === 0 || kept.at(-1) === '')) continue;
    kept.push(isBlank ? '' : line);
  }
  while (kept.at(-1) === '') kept.pop();
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

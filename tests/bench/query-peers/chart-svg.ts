import { ENGINES } from './engines.ts';
import { type EngineFigures, isMeasured, type QueryPeersReport } from './figures.ts';
import { figure, labelOf, queryCpuMs } from './report-rows.ts';

const PANELS: readonly { readonly title: string; readonly of: (figures: EngineFigures) => number }[] = [
  { title: 'CPU of a query, ms', of: queryCpuMs },
  { title: 'CPU of the first answer of a fresh isolate, ms', of: ({ cold }) => cold.cpuMs },
  { title: 'Memory, MB', of: ({ memory }) => memory.residentBytes / 2 ** 20 },
];

// Narrow enough for a phone at full size; a wide page shows it as it is.
const WIDTH = 400;
const PLOT = { left: 88, right: 344 };
const ROW = 18;
const TITLE = 30;
const CORPUS = 22;

/** The colours and the size of text are those of the site; both follow the reader's light or dark scheme. */
const STYLE = `text{font:12px system-ui,sans-serif;fill:#191a1c}.title{font-weight:600}.soft{fill:#55575a}.grid{stroke:#d6d3ca}circle{fill:#55575a}.own{fill:#1b4b8f;font-weight:600}
@media(prefers-color-scheme:dark){text{fill:#eae7e0}.soft{fill:#a9a8a4}.grid{stroke:#3a3c40}circle{fill:#a9a8a4}.own{fill:#98bdf3}}`;

/**
 * A chart of a report: a panel for each of some figures, in it a row for each corpus and engine, a dot on a logarithmic scale and
 * the number beside it. It has no background and can be read without colours.
 */
export function chartSvg(report: QueryPeersReport): string {
  const parts: string[] = [];
  let y = 0;
  for (const panel of PANELS) {
    const drawn = drawPanel(report, panel, y);
    parts.push(...drawn.parts);
    y = drawn.bottom;
  }
  const description = PANELS.map(({ title }) => title).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img"><title>Search engines in workerd: ${escaped(description)}</title><style>${STYLE}</style>${parts.join('')}</svg>\n`;
}

function drawPanel(
  { corpora }: QueryPeersReport,
  { title, of }: (typeof PANELS)[number],
  top: number,
): { parts: string[]; bottom: number } {
  const values = corpora.flatMap(({ engines }) => engines.filter(isMeasured).map(of)).filter((value) => value > 0);
  const scale = logScale(values);
  const parts = [text(0, top + 18, title, 'title')];
  const rows: string[] = [];
  // Broken where a corpus is named, so that no line runs through the words.
  let grid = '';
  let y = top + TITLE;
  for (const { documents, engines } of corpora) {
    rows.push(text(0, y + 14, `${documents.toLocaleString('en')} capsules`, 'soft'));
    y += CORPUS;
    const first = y;
    for (const { key } of ENGINES) {
      const found = engines.find(({ engine }) => engine === key);
      if (found === undefined) continue;
      const own = key === 'product' ? 'own' : '';
      const middle = y + ROW / 2;
      rows.push(text(PLOT.left - 8, middle + 4, labelOf(key), own, 'end'));
      if (isMeasured(found)) {
        const value = of(found);
        if (value > 0) rows.push(`<circle cx="${scale.at(value).toFixed(1)}" cy="${middle}" r="4.5"${attribute('class', own)}/>`);
        rows.push(text(WIDTH, middle + 4, figure(value), own, 'end'));
      } else rows.push(text(PLOT.left, middle + 4, 'no answers', 'soft'));
      y += ROW;
    }
    grid += scale.powers.map((power) => `M${scale.at(power).toFixed(1)} ${first}V${y}`).join('');
  }
  const powers = scale.powers.map((power) => text(scale.at(power), y + 14, power.toLocaleString('en'), 'soft', 'middle'));
  return { parts: [...parts, `<path class="grid" d="${grid}"/>`, ...powers, ...rows], bottom: y + 28 };
}

/** A logarithmic scale from one power of ten to another, wide enough for all values, which are above 0 and at least one. */
function logScale(values: readonly number[]): { readonly powers: readonly number[]; readonly at: (value: number) => number } {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    powers: Array.from({ length: high - from + 1 }, (_, at) => Number(`1e${from + at}`)),
    at: (value) => PLOT.left + ((Math.log10(value) - from) / (high - from)) * (PLOT.right - PLOT.left),
  };
}

function text(x: number, y: number, words: string, style: string, anchor = ''): string {
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}"${attribute('class', style)}${attribute('text-anchor', anchor)}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function attribute(name: string, value: string): string {
  return value === '' ? '' : ` ${name}="${value}"`;
}

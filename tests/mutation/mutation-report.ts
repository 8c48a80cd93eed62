import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** `equivalents.yaml`: by file and line, original texts with their replacements, white space as single spaces. */
const EquivalentsFile = z.record(
  z.string(),
  z.array(
    z.strictObject({ line: z.string(), reason: z.string(), changes: z.record(z.string(), z.union([z.string(), z.array(z.string())])) }),
  ),
);

/** A change of the code that no test can notice. */
export interface Equivalent {
  readonly file: string;
  /** The line on which the change begins, without the white space around it. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
}

const EQUIVALENTS: readonly Equivalent[] = Object.entries(
  EquivalentsFile.parse(parse(readFileSync(join(import.meta.dirname, 'equivalents.yaml'), 'utf8'))),
).flatMap(([file, lines]) =>
  lines.flatMap(({ line, changes }) =>
    Object.entries(changes).flatMap(([original, replacements]) =>
      [replacements].flat().map((replacement) => ({ file, line, original, replacement })),
    ),
  ),
);

/** What Stryker writes down, as far as it is read here (mutation-testing-report-schema 2). */
export interface StrykerReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly StrykerMutant[] }>>;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface StrykerMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

/** A change that no test noticed. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  /** That line, without the white space around it. */
  readonly lineText: string;
  readonly original: string;
  readonly replacement: string;
  /** Whether tests ran over the place at all. */
  readonly reached: boolean;
}

/** How the tests of an area did. */
export interface AreaScore {
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly survivors: readonly Survivor[];
  /** Equivalents of these files that no surviving change matches. */
  readonly stale: readonly Equivalent[];
}

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

/**
 * Reads a report. Changes that cannot be run count for nothing.
 *
 * @param isWhole Whether all changes were tried, so that an equivalent that is not among them is stale.
 */
export function scoreOf({ files }: StrykerReport, isWhole: boolean): AreaScore {
  let killed = 0;
  const all: Survivor[] = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    for (const { replacement = '', status, location } of mutants) {
      if (KILLED.includes(status)) killed += 1;
      if (!SURVIVED.includes(status)) continue;
      const original = oneLine(textAt(lines, location.start, location.end));
      const { line } = location.start;
      all.push({
        file,
        line,
        lineText: lines[line - 1]?.trim() ?? '',
        original,
        replacement: oneLine(replacement),
        reached: status === 'Survived',
      });
    }
  }
  const fits = (known: Equivalent, { file, lineText, original, replacement }: Survivor): boolean =>
    known.file === file && known.line === lineText && known.original === original && known.replacement === replacement;
  const survivors = all.filter((survivor) => !EQUIVALENTS.some((known) => fits(known, survivor)));
  return {
    mutants: killed + survivors.length,
    killed,
    equivalent: all.length - survivors.length,
    survivors,
    stale: isWhole ? EQUIVALENTS.filter((known) => known.file in files && !all.some((survivor) => fits(known, survivor))) : [],
  };
}

/** Share of the changes that tests noticed; 1 of none. */
export function share({ mutants, killed }: Pick<AreaScore, 'mutants' | 'killed'>): number {
  return mutants === 0 ? 1 : killed / mutants;
}

/** A survivor in one line. */
export function survivorText({ file, line, original, replacement, reached }: Survivor): string {
  return `${file}:${line}  ${shortened(original)}  →  ${shortened(replacement)}${reached ? '' : '  (no test gets here)'}`;
}

const TEXT_MAX_LENGTH = 90;

function shortened(text: string): string {
  return text.length <= TEXT_MAX_LENGTH ? text : `${text.slice(0, TEXT_MAX_LENGTH)}…`;
}

/** Lines and columns count from 1; the end is exclusive. */
function textAt(lines: readonly string[], start: Place, end: Place): string {
  const inside = lines.slice(start.line - 1, end.line);
  const last = inside.length - 1;
  return inside.map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : line.length)).join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

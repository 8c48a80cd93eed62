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

export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  readonly reached: boolean;
}

export interface AreaScore {
  readonly mutants: number;
  readonly killed: number;
  readonly survivors: readonly Survivor[];
}

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

/** Reads a report. Changes that cannot be run count for nothing. */
export function scoreOf({ files }: StrykerReport): AreaScore {
  let killed = 0;
  const survivors: Survivor[] = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    for (const { replacement = '', status, location } of mutants) {
      if (KILLED.includes(status)) killed += 1;
      if (!SURVIVED.includes(status)) continue;
      const original = oneLine(textAt(lines, location.start, location.end));
      survivors.push({ file, line: location.start.line, original, replacement: oneLine(replacement), reached: status === 'Survived' });
    }
  }
  return { mutants: killed + survivors.length, killed, survivors };
}

export const share = ({ mutants, killed }: Pick<AreaScore, 'mutants' | 'killed'>): number => (mutants === 0 ? 1 : killed / mutants);

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

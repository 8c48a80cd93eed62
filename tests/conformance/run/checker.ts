export type Mode = 'edge' | 'static';

export interface CheckedSite {
  readonly mode: Mode;
  /** Without a slash at its end. */
  readonly origin: string;
  readonly folder: string;
}

export interface Row {
  readonly checker: string;
  /** What was seen, such as `99 (A)`. */
  readonly value: string;
  readonly goal: string;
  /** `absent`: the site has no such thing; `skipped`: the machine lacks what the checker needs. */
  readonly verdict: 'met' | 'below' | 'absent' | 'skipped';
  /** What keeps it from being better, a line each. */
  readonly notes: readonly string[];
}

export interface Checker {
  readonly name: string;
  readonly modes: readonly Mode[];
  readonly check: (site: CheckedSite) => Promise<readonly Row[]>;
}

export function scoreRow(checker: string, score: number, least: number, notes: readonly string[] = []): Row {
  return { checker, value: String(score), goal: `>= ${least}`, verdict: score >= least ? 'met' : 'below', notes };
}

export function findingsRow(checker: string, findings: readonly string[], checked = ''): Row {
  return {
    checker,
    value: `${findings.length} findings${checked === '' ? '' : ` in ${checked}`}`,
    goal: '0',
    verdict: findings.length === 0 ? 'met' : 'below',
    notes: findings,
  };
}

export const absentRow = (checker: string, why: string): Row => ({ checker, value: 'absent', goal: '', verdict: 'absent', notes: [why] });

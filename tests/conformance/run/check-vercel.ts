import { PATHS } from '../../../src/schemas/paths.ts';
import { type Checker, scoreRow } from './checker.ts';
import { readJson, runChecker } from './run-checker.ts';

/** A site of files cannot choose by the request: it gives no markdown to those who ask with a header or are known as agents. */
const LEAST = { edge: 97, static: 88 };

interface Report {
  readonly score: number;
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly checks: readonly {
          readonly name: string;
          readonly passed: boolean;
          readonly skipped: boolean;
          readonly detail?: string;
        }[];
      }
    >
  >;
}

/** Vercel's Agent Readability. It asks for a deep page: of a bare origin it tries the impossible address `http://host.md`. */
export const vercel: Checker = {
  name: 'vercel',
  modes: ['edge', 'static'],
  check: async ({ mode, origin }) => {
    const { score, categories } = readJson<Report>(await runChecker('agent-readability', ['audit', `${origin}${PATHS.docs}`, '--json']));
    const notes = Object.values(categories)
      .flatMap(({ checks }) => checks)
      .filter(({ passed, skipped }) => !passed && !skipped)
      .map(({ name, detail = '' }) => `${name}: ${detail}`);
    return [scoreRow('Vercel Agent Readability', score, LEAST[mode], notes)];
  },
};

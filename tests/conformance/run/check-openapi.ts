import { join } from 'node:path';
import { PATHS } from '../../../src/schemas/paths.ts';
import { words } from '../../support/words.ts';
import { type Checker, findingsRow, readJson, runChecker, scoreRow } from './checker.ts';

export const redoclyLint: Checker = {
  name: 'redocly-lint',
  modes: ['edge', 'static'],
  check: async ({ folder }) => {
    const args = ['lint', '--config', 'redocly.yaml', '--max-problems', '1000', '--format', 'json', join(folder, PATHS.openApi)];
    const { problems } = readJson<{
      readonly problems: readonly {
        readonly ruleId: string;
        readonly message: string;
        readonly location: readonly { readonly pointer?: string }[];
      }[];
    }>(await runChecker('redocly', args));
    return [
      findingsRow(
        'Redocly lint',
        problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
      ),
    ];
  },
};

interface Score {
  readonly agentReadiness: number;
  readonly subscores: Readonly<Record<string, number>>;
}

/** Redocly's score: how simple the description is to integrate, and how ready it is for agents. */
export const redoclyScore: Checker = {
  name: 'redocly-score',
  modes: ['edge', 'static'],
  check: async ({ folder }) => {
    const outcome = await runChecker('redocly', ['score', join(folder, PATHS.openApi), '--format', 'json']);
    const { agentReadiness, subscores } = readJson<Score>(outcome);
    const weak = Object.entries(subscores).filter(([, score]) => score < 0.9);
    return [
      scoreRow(
        'Redocly score',
        agentReadiness,
        90,
        weak.map(([name, score]) => `${name} ${score.toFixed(2)}`),
      ),
    ];
  },
};

export const spectral: Checker = {
  name: 'spectral',
  modes: ['edge', 'static'],
  check: async ({ folder }) => {
    const args = [...words`lint --ruleset .spectral.yaml --fail-severity hint --format json --quiet`, join(folder, PATHS.openApi)];
    const { stdout } = await runChecker('spectral', args);
    const found = JSON.parse(stdout.trim() || '[]') as readonly {
      readonly code: string;
      readonly message: string;
      readonly path: readonly string[];
    }[];
    return [
      findingsRow(
        'Spectral',
        found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`),
      ),
    ];
  },
};

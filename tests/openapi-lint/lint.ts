import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfChanged } from '../../src/build/build-if-changed.ts';
import { LOCAL_BASE_URL } from '../../src/schemas/deployment.ts';
import { newScript } from '../support/campaign.ts';
import { PUBLICATION } from '../support/paths.ts';

newScript(
  'check:openapi',
  'Build both modes and lint their OpenAPI documents with Redocly and Spectral, which are installed first.',
).parse();
const folder = import.meta.dirname;
const report = (line: string): void => console.log(line);
for (const mode of ['edge', 'static'] as const)
  await buildIfChanged({ root: PUBLICATION, output: PUBLICATION, mode, baseUrl: LOCAL_BASE_URL, report });

const documents = ['dist', 'dist-static'].map((built) => join(PUBLICATION, built, 'openapi.json'));
const steps = [
  ...(existsSync(join(folder, 'node_modules')) ? [] : [['ci', '--no-audit', '--no-fund']]),
  ['run', '-s', 'redocly', '--', ...documents],
  ['run', '-s', 'spectral', '--', ...documents],
];
const hasFailed = steps.some((args) => spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status !== 0);
process.exitCode = hasFailed ? 1 : 0;

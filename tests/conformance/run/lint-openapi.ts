import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildIfChanged } from '../../../src/build/build-site.ts';
import { LOCAL_BASE_URL } from '../../../src/schemas/deployment.ts';
import { newScript } from '../../support/campaign.ts';
import { installPackages } from '../../support/install-packages.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { CHECKERS_FOLDER } from './checker.ts';

newScript(
  'check:openapi',
  'Build both modes and lint their OpenAPI documents with Redocly and Spectral, which are installed first.',
).parse();
installPackages(CHECKERS_FOLDER, '--ignore-scripts');
const report = (line: string): void => console.log(line);
for (const mode of ['edge', 'static'] as const)
  await buildIfChanged({ root: PUBLICATION, output: PUBLICATION, mode, baseUrl: LOCAL_BASE_URL, report });

const documents = ['dist', 'dist-static'].map((built) => join(PUBLICATION, built, 'openapi.json'));
const steps = [
  ['run', '-s', 'redocly', '--', ...documents],
  ['run', '-s', 'spectral', '--', ...documents],
];
const hasFailed = steps.some((args) => spawnSync('npm', args, { cwd: CHECKERS_FOLDER, stdio: 'inherit' }).status !== 0);
process.exitCode = hasFailed ? 1 : 0;

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';
import { buildIfChanged } from '../../build/build-if-changed.ts';
import { exists } from '../../build/local/local-stores.ts';

/** Lints the OpenAPI documents of both modes with the linters in tests/openapi-lint, which it installs first. */
const root = process.cwd();
const lintFolder = join(root, 'tests/openapi-lint');
const baseUrl = LOCAL_BASE_URL;
await buildIfChanged(root, 'edge', { baseUrl }, (line) => console.log(line));
await buildIfChanged(root, 'static', { baseUrl }, (line) => console.log(line));

const npm = (...args: string[]): number => spawnSync('npm', args, { cwd: lintFolder, stdio: 'inherit' }).status ?? 1;
const documents = ['dist', 'dist-static'].map((folder) => join(root, folder, 'openapi.json'));
const steps = [
  ...((await exists(join(lintFolder, 'node_modules'))) ? [] : [['ci', '--no-audit', '--no-fund']]),
  ['run', '-s', 'redocly', '--', ...documents],
  ['run', '-s', 'spectral', '--', ...documents],
];
process.exitCode = steps.some((args) => npm(...args) !== 0) ? 1 : 0;

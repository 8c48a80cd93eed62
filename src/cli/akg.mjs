#!/usr/bin/env node
/**
 * The program of all commands: `akg <command> [arguments]`, or `node src/cli/akg.mjs` in the engine's own project. It checks the version of
 * Node and runs `main.ts`, which is compiled in the package.
 *
 * Plain JavaScript, so that a Node that is too old can report it instead of failing on types.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [oldestMajor, oldestMinor] = engines.node.match(/\d+/g).map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(
    `akg needs Node ${oldestMajor}.${oldestMinor} or later and this is ${process.versions.node}: install a newer one (https://nodejs.org/en/download) and run the command again.`,
  );
  process.exit(1);
}

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
// Compiled code is cached between commands, in a folder of the project: in a folder that others can write to, they could plant their own
// code.
const modules = /^(.*[\\/]node_modules)[\\/]/.exec(main)?.[1] ?? fileURLToPath(new URL('../../node_modules', import.meta.url));
nodeModule.enableCompileCache?.(`${modules}/.cache/node`);
if (process.features.typescript || main.endsWith('.js')) {
  await import(pathToFileURL(main).href);
} else {
  // Before Node 22.18 types are stripped on request only.
  const child = spawn(
    process.execPath,
    ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

#!/usr/bin/env node
/**
 * The program of all commands: `node src/cli/akg.mjs <command> [arguments]`. It checks the version of Node and runs `main.ts`.
 *
 * Plain JavaScript, so that a Node that is too old can report it instead of failing on types.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = [22, 12];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `Node ${process.versions.node} is too old: ${OLDEST_NODE.join('.')} or later is needed. On Linux x64 "npm ci" installs one; run commands with npm.`,
  );
  process.exit(1);
}

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const isInstalled = main.includes(`${sep}node_modules${sep}`);
if (isInstalled) {
  // Node strips no types below node_modules, where npx puts a package: they are stripped here.
  if (modules.registerHooks === undefined) {
    console.error(`Node ${process.versions.node} cannot run an installed copy: 22.15 or later is needed.`);
    process.exit(1);
  }
  process.removeAllListeners('warning');
  modules.registerHooks({
    load: (url, context, nextLoad) =>
      url.startsWith('file:') && url.endsWith('.ts')
        ? { format: 'module', source: modules.stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true }
        : nextLoad(url, context),
  });
}
// Compiled code is cached between commands, in a folder of the project: in a folder that others can write to, they could plant their own
// code.
if (!isInstalled) modules.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)));
if (isInstalled || process.features.typescript) {
  await import(pathToFileURL(main).href);
} else {
  // Before Node 22.18 types are stripped on request only.
  const child = spawn(
    process.execPath,
    ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

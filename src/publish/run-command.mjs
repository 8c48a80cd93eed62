/**
 * Runs one of the commands in this folder: `node src/publish/run-command.mjs <name> [arguments]`.
 *
 * Plain JavaScript, so that a Node that is too old says so instead of stumbling over types.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = [22, 12];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `Node ${process.versions.node} is too old: ${OLDEST_NODE.join('.')} or later is needed. On Linux x64 "npm ci" brings one along; run commands with npm.`,
  );
  process.exit(1);
}

const [name, ...rest] = process.argv.slice(2);
const command = fileURLToPath(new URL(`./commands/${name}.ts`, import.meta.url));
if (process.features.typescript) {
  process.argv = [process.argv[0], command, ...rest];
  await import(pathToFileURL(command).href);
} else {
  // Before Node 22.18 types are stripped on request only.
  const child = spawn(process.execPath, ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', command, ...rest], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

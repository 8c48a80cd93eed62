/**
 * Ends the process if this Node is older than the checkers need, as `engines` of their package says.
 *
 * Plain JavaScript, loaded before scripts in TypeScript, so that a Node that cannot read those reports its age instead.
 */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../checkers/package.json', import.meta.url), 'utf8'));
const oldest = engines.node.replace(/^>=/, '').split('.').map(Number);
const running = process.versions.node.split('.').map(Number);
const at = oldest.findIndex((part, index) => part !== running[index]);
if (at !== -1 && running[at] < oldest[at]) {
  const command = ['node', ...process.argv.slice(1).map((argument) => argument.replace(`${process.cwd()}/`, ''))].join(' ');
  console.error(
    `Node ${running.join('.')} is too old for the checkers, which need ${oldest.join('.')} or later: npx -y -p node@${oldest[0]} ${command}`,
  );
  process.exit(1);
}

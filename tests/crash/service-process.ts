import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EdgeOptions, type Generated, startEdgeGateway } from '../support/edge-gateway.ts';

/**
 * The service in a process of its own, so that it can be killed: compiled functions in workerd, with stores on disk.
 *
 *     node tests/crash/service-process.ts <folder> <fill|open>
 *
 * The folder holds the functions and what the build decided, as `killable-service.ts` puts them there. Prints the address at which it
 * answers, and ends with its standard input.
 */
const [folder, stores] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder of the service');
const { deployment } = JSON.parse(await readFile(join(folder, 'decided.json'), 'utf8')) as Pick<Generated, 'deployment'>;
const opened: EdgeOptions = stores === 'fill' ? {} : { blocks: 'none', state: 'empty' };
const { miniflare } = await startEdgeGateway({
  ...opened,
  bundle: join(folder, 'functions/index.js'),
  persist: join(folder, 'stores'),
  generated: { deployment },
});
const { origin } = await miniflare.ready;
process.stdout.write(`${origin}\n`);
process.stdin.resume();
process.stdin.once('end', () => process.exit());

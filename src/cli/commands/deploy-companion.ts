import { join } from 'node:path';
import { documentationPage } from '../../build/engine-package.ts';
import { runWrangler } from '../../build/run-process.ts';
import { readWranglerSettings, writeWorkerSettings } from '../../build/wrangler-settings.ts';
import { UserError } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand } from '../define-command.ts';

export const command = defineCommand()
  .description('Deploy the companion Worker, which limits rates per location and does scheduled work.\n\nEnvironment: BASE_URL.')
  .option('--dry-run', 'bundle it and print its bindings, without deploying')
  .action(async ({ dryRun = false }) => console.log(await deployCompanion(process.cwd(), dryRun)));

/** Deploys the companion under its name, with the database of the project's wrangler.toml and the webhook hosts of publisher.yaml. @returns What wrangler says. */
export async function deployCompanion(root: string, dryRun = false): Promise<string> {
  const { databaseId } = await readWranglerSettings(root);
  if (!dryRun && databaseId === undefined)
    throw new UserError(`wrangler.toml has no database id: run "npm run setup" (${documentationPage('deploying.md')})`);
  const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
  if (publisher.target === 'workers')
    throw new UserError('with "target: workers" the site does what the companion would do: npm run deploy');
  const { config } = await writeWorkerSettings(root, 'companion', publisher);
  const trial = dryRun ? ['--dry-run', '--outdir', join(config, '../bundle')] : [];
  return (await runWrangler(root, ['deploy', '--config', config, ...trial])).trim();
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { documentationPage } from '../../build/engine.ts';
import { runWrangler } from '../../build/run-process.ts';
import { UserError } from '../../build/user-error.ts';
import { NO_DATABASE, readWranglerSettings } from '../../build/wrangler-settings.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand } from '../define-command.ts';

const COMPANION = join(import.meta.dirname, '../../companion');

export const command = defineCommand()
  .description('Deploy the companion Worker, which limits rates per location and does scheduled work.\n\nEnvironment: BASE_URL.')
  .option('--dry-run', 'bundle it and print its bindings, without deploying')
  .action(({ dryRun = false }) =>
    deployCompanion(process.cwd(), { dryRun, baseUrl: process.env['BASE_URL'], report: (line) => console.log(line) }),
  );

interface CompanionOptions {
  readonly dryRun: boolean;
  readonly baseUrl?: string | undefined;
  readonly report: (line: string) => void;
}

/** Deploys the companion under its name, with the database of the project's wrangler.toml and the webhook hosts of publisher.yaml. */
export async function deployCompanion(root: string, { dryRun, baseUrl, report }: CompanionOptions): Promise<void> {
  const { databaseId: database, databaseName, companion } = await readWranglerSettings(root);
  if (!dryRun && database === undefined)
    throw new UserError(`wrangler.toml has no database id: run "npm run setup" (${documentationPage('deploying.md')})`);
  const settings = await readFile(join(COMPANION, 'wrangler.toml'), 'utf8');
  const publisher = await loadPublisher(root, { baseUrl });
  const folder = join(root, '.akg/companion');
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'wrangler.toml');
  const written = settings
    .replace('"agent-knowledge-gateway-companion"', JSON.stringify(companion))
    .replace('"agent-knowledge-gateway"', JSON.stringify(databaseName ?? 'agent-knowledge-gateway'))
    .replace(NO_DATABASE, database ?? NO_DATABASE)
    .replace('BASE_URL = ""', `BASE_URL = ${JSON.stringify(publisher.base_url)}`)
    .replace('WEBHOOK_HOSTS = ""', `WEBHOOK_HOSTS = ${JSON.stringify(publisher.commerce.webhook_hosts.join())}`)
    .replace('NOTIFY = ""', () => `NOTIFY = ${JSON.stringify(publisher.notify === undefined ? '' : JSON.stringify(publisher.notify))}`);
  const mail = publisher.notify?.mail;
  const binding = `\n[[send_email]]\nname = "NOTIFY_MAIL"\ndestination_address = ${JSON.stringify(mail?.to)}\n`;
  await writeFile(config, mail === undefined ? written : written + binding);
  const output = await runWrangler(root, [
    'deploy',
    join(COMPANION, `worker${extname(import.meta.filename)}`),
    '--config',
    config,
    ...(dryRun ? ['--dry-run', '--outdir', join(folder, 'bundle')] : []),
  ]);
  report(output.trim());
}

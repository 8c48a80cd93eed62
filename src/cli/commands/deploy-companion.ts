import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runWrangler } from '../../build/run-process.ts';
import { UserError } from '../../build/user-error.ts';
import { type ContentProblem, InvalidContentError } from '../../publication/content-problem.ts';
import { readPublisher } from '../../publication/read-publisher.ts';
import { defineCommand } from '../define-command.ts';

/** Folder of the companion's code and settings. */
const COMPANION = 'src/companion';

/** Id in wrangler.toml while no database was made. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000';

export const command = defineCommand()
  .description('Deploy the companion Worker, which limits rates per location and does scheduled work. Environment: BASE_URL.')
  .option('--dry-run', 'bundle it and print its bindings, without deploying')
  .action(({ dryRun = false }) =>
    deployCompanion(process.cwd(), { dryRun, baseUrl: process.env['BASE_URL'], report: (line) => console.log(line) }),
  );

/** How to deploy the companion. */
export interface CompanionOptions {
  /** Bundles it and shows its bindings, and sends nothing. */
  readonly dryRun: boolean;
  /** Address of the site in the place of the one in publisher.yaml. */
  readonly baseUrl?: string | undefined;
  readonly report: (line: string) => void;
}

/**
 * Deploys the companion with the database of the project, whose id stands in the wrangler.toml of the project alone, and with what
 * publisher.yaml says of notices of orders.
 *
 * @throws {UserError} If the project has no database yet, or wrangler refuses.
 * @throws {InvalidContentError} If publisher.yaml cannot be read.
 */
export async function deployCompanion(root: string, { dryRun, baseUrl, report }: CompanionOptions): Promise<void> {
  const database = databaseId(await readFile(join(root, 'wrangler.toml'), 'utf8'));
  if (!dryRun && (database === undefined || database === NO_DATABASE))
    throw new UserError(
      'wrangler.toml names no database yet: run "npx wrangler d1 create agent-knowledge-gateway" and put its id there, as docs/deploying.md says',
    );
  const settings = await readFile(join(root, COMPANION, 'wrangler.toml'), 'utf8');
  const problems: ContentProblem[] = [];
  const publisher = (await readPublisher(root, { baseUrl }, problems))?.data;
  if (publisher === undefined || problems.length > 0) throw new InvalidContentError(problems);
  const folder = join(root, '.akg/companion');
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'wrangler.toml');
  const written = settings
    .replace(NO_DATABASE, database ?? NO_DATABASE)
    .replace('BASE_URL = ""', `BASE_URL = ${JSON.stringify(publisher.base_url)}`)
    .replace('WEBHOOK_HOSTS = ""', `WEBHOOK_HOSTS = ${JSON.stringify(publisher.commerce.webhook_hosts.join())}`);
  await writeFile(config, written);
  const output = await runWrangler(root, [
    'deploy',
    join(COMPANION, 'worker.ts'),
    '--config',
    config,
    ...(dryRun ? ['--dry-run', '--outdir', join(folder, 'bundle')] : []),
  ]);
  report(output.trim());
}

function databaseId(settings: string): string | undefined {
  return /^[ \t]*database_id[ \t]*=[ \t]*"([^"\n]+)"/m.exec(settings)?.[1];
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import * as z from 'zod';
import { today } from '../../build/describe-deployment.ts';
import { readBuilt } from '../../build/kv/publishing-state.ts';
import { runInTerminal, runWrangler } from '../../build/run-process.ts';
import { readWranglerSettings, writeWorkerSettings } from '../../build/wrangler-settings.ts';
import { UserError } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { defineCommand, examples, wholeNumber } from '../define-command.ts';
import { checkSite } from '../deployment/check-site.ts';
import { type Check, describeCheck, type Finding, inspectRequirements } from '../deployment/cloudflare-requirements.ts';
import { EXIT_INCOMPLETE, publishBuild } from './publish.ts';

/** A branch that gets an address of its own. */
const PREVIEW_BRANCH = 'preview';

const OUTPUT_LINES = 15;

/** Time in which the site has to answer before it counts as not connected to its domain, in milliseconds. */
const DEADLINE_MS = 10_000;

export const command = defineCommand()
  .description(
    `Build the site and put it online at Cloudflare, as a Pages project or with "target: workers" in content/publisher.yaml as a Worker: check the account and apply migrations, restore what was published, build, write blocks to KV, upload a preview and check it, upload the site and check it. If a step fails, the site that is online stays as it is.

With --preview, end with the preview. Prepare the account once with "akg setup".

Environment: LINEAGE_KEY (private signing key), CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID, STORAGE (kv or assets).`,
  )
  .option('--preview', 'upload and check a preview alone')
  .option('--unsigned', 'build without signatures although content/keys.yaml lists an active key')
  .option('--limit <keys>', 'write at most this many keys a day (UTC); a run on a later day goes on', wholeNumber(1))
  .option('--over-budget', 'write more keys than the free plan allows in a day')
  .addHelpText('after', examples('npm run deploy', 'npm run deploy -- --preview'))
  .action(async ({ preview, unsigned, ...flags }) => {
    const root = process.cwd();
    const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
    const akg = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> =>
      runInTerminal(root, [process.execPath, process.argv[1] ?? '', ...args], env).catch(() => {
        throw new UserError(`"akg ${args.join(' ')}" failed. ${UNCHANGED}`);
      });
    // Empty where a pipeline has no such secret.
    const LINEAGE_KEY = process.env['LINEAGE_KEY'] || undefined;
    delete process.env['LINEAGE_KEY'];
    heading('Content');
    await akg(['check']);
    heading('Account');
    await requireAccount(root, publisher, LINEAGE_KEY);
    heading('Restore what was published');
    await akg(['restore']);
    heading('Build');
    await akg(['build', ...(unsigned ? ['--unsigned'] : [])], LINEAGE_KEY === undefined ? {} : { LINEAGE_KEY });
    const built = await readBuilt(root);
    if (built === undefined) throw new UserError('the build left nothing to deploy: run "npm run build" and read what it says');
    const site = { baseUrl: publisher.base_url, built: { root, generation: built.generation }, nowMs: Date.now };
    heading('Blocks');
    const isComplete = await publishBuild(root, flags, async () => {
      heading('Preview');
      const { url: previewUrl, production_branch: branch } = await upload(root, publisher, PREVIEW_BRANCH);
      const isSound = await report(previewUrl, { ...site, isPreview: true });
      if (!isSound) throw new UserError(`the preview ${previewUrl} fails its checks. ${UNCHANGED}`);
      if (preview) {
        console.log(`Preview: ${previewUrl}. ${UNCHANGED} "npm run deploy" puts this online.`);
        return 'preview';
      }
      heading('Site');
      await checkOnline((await upload(root, publisher, branch)).url, publisher, site);
      return 'online';
    });
    if (!isComplete) process.exitCode = EXIT_INCOMPLETE;
  });

function heading(text: string): void {
  console.log(styleText('bold', `\n${text}`));
}

/** Applies migrations that are due; everything else that is missing is for `akg setup`. */
async function requireAccount(root: string, publisher: Publisher, lineageKey: string | undefined): Promise<void> {
  const environment = { ...process.env, LINEAGE_KEY: lineageKey };
  const migrate = async ({ name }: Pick<Check, 'name'>, finding: Finding): Promise<Finding> =>
    name === 'tables' && !finding.ok && finding.make !== undefined ? finding.make() : finding;
  const missing: string[] = [];
  for await (const check of inspectRequirements({ root, publisher, environment, today: today() }, migrate)) {
    console.log(describeCheck(check));
    if (!check.ok && !check.isOptional) missing.push(check.name);
  }
  if (missing.length > 0)
    throw new UserError(`Not ready to deploy: ${missing.join(', ')}. "npm run setup" does what it can; the lines above say the rest.`);
}

const UNCHANGED = 'The site that is online was not changed.';

const Address = z.url().transform((url) => url.replace(/\/$/, ''));

/** What wrangler tells of an upload in its file of outputs: of one to Pages, or of a version or deployment of a Worker. */
const Upload = z.union([
  // Without a branch in the answer, it is the one with which `akg setup` creates the project.
  z.object({ type: z.literal('pages-deploy-detailed'), url: Address, production_branch: z.string().default('main') }),
  z
    .object({ type: z.literal('version-upload'), preview_alias_url: Address })
    .transform(({ preview_alias_url: url }) => ({ url, production_branch: '' })),
  z
    .object({ type: z.literal('deploy'), targets: z.array(z.string()) })
    .transform(({ targets }) => ({ url: targets.find((target) => URL.canParse(target)) ?? '', production_branch: '' })),
]);

/** The command of wrangler that uploads `dist/`: as a deployment of a branch, or as a version of a Worker, which is online unless it is a preview. */
async function uploadCommand(root: string, publisher: Publisher, branch: string): Promise<string[]> {
  if (publisher.target === 'workers') {
    const { config } = await writeWorkerSettings(root, 'site', publisher);
    return [...(branch === PREVIEW_BRANCH ? ['versions', 'upload', '--preview-alias', branch] : ['deploy']), '--config', config];
  }
  const { project } = await readWranglerSettings(root);
  return ['pages', 'deploy', '--project-name', project, '--branch', branch, '--commit-dirty=true'];
}

/** Uploads `dist/`. @returns The address of this deployment, and the branch that is online, where there are branches. */
export async function upload(root: string, publisher: Publisher, branch: string): Promise<z.infer<typeof Upload>> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-deploy-'));
  try {
    const log = join(folder, 'output.jsonl');
    const command = await uploadCommand(root, publisher, branch);
    await runWrangler(root, command, { env: { WRANGLER_OUTPUT_FILE_PATH: log } }).catch((error: unknown) => {
      // Its cause stands at the end, after the list of modules.
      const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n').slice(-OUTPUT_LINES);
      throw new UserError(
        `${lines.join('\n')}\nThe upload of the ${branch === PREVIEW_BRANCH ? 'preview' : 'site'} failed. ${UNCHANGED} Run this command again.`,
      );
    });
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    const uploaded = lines.flatMap((line) => Upload.safeParse(JSON.parse(line)).data ?? []).at(-1);
    if (uploaded !== undefined) return uploaded;
    throw new UserError('wrangler did not say where the deployment is: look at it in the dashboard of Cloudflare, Workers & Pages');
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function report(address: string, site: Parameters<typeof checkSite>[1]): Promise<boolean> {
  const checks = await checkSite(address, site);
  for (const check of checks) console.log(describeCheck(check));
  return checks.every(({ ok, isOptional }) => ok || isOptional);
}

async function checkOnline(deploymentUrl: string, { base_url }: Publisher, site: Parameters<typeof checkSite>[1]): Promise<void> {
  const isThere = await fetch(base_url, { signal: AbortSignal.timeout(DEADLINE_MS) }).then(
    () => true,
    () => false,
  );
  if (!isThere)
    console.log(
      `${base_url} does not answer yet. A new project or domain needs some minutes; "npm run doctor" says whether the domain leads to the project. The deployment itself:`,
    );
  if (await report(isThere ? base_url : deploymentUrl, site)) {
    console.log(`Online: ${isThere ? base_url : deploymentUrl}`);
    return;
  }
  process.exitCode = 1;
  console.error(
    'The site is online, and some of its checks fail. To go back: in the dashboard of Cloudflare, Workers & Pages, the project, Deployments, choose the one before and "Rollback to this deployment".',
  );
}

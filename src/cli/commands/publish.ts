import { finishReadyBuild } from '../../build/atomic-build-output.ts';
import { withBuildLock } from '../../build/build-lock.ts';
import { eventsOfTakeDowns } from '../../build/check-published-versions.ts';
import { GenerationStore } from '../../build/corpus-blocks/generation-store.ts';
import { isLoopbackOrigin, storageOf, today } from '../../build/describe-deployment.ts';
import { remoteNamespace } from '../../build/kv/block-namespace.ts';
import { findLiveVersion } from '../../build/kv/plan-garbage-collection.ts';
import { type PublishOptions, publishBlocks, requireOrderedOffers } from '../../build/kv/publish-blocks.ts';
import { type BuiltState, noteBuildPublished, readBuiltOf } from '../../build/kv/publishing-state.ts';
import { remoteDatabase } from '../../build/local/d1-connections.ts';
import { withLocalNamespace } from '../../build/local/local-stores.ts';
import { runInTerminal } from '../../build/run-process.ts';
import { readWranglerSettings, requireNamespace } from '../../build/wrangler-settings.ts';
import { InvalidContentError, UserError } from '../../publication/content-problem.ts';
import { LEDGER_FILE, readLedger } from '../../publication/read/version-ledger.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand, examples, wholeNumber } from '../define-command.ts';
import { progressLine } from '../progress-line.ts';

/** Exit code of an incomplete publish, so that a deploy chained with `&&` does not follow. */
export const EXIT_INCOMPLETE = 2;

export const command = defineCommand()
  .description(
    `Write the blocks of the newest build that KV lacks, delete those of generations that are no longer listed, and record in content/published.jsonl what is published. Deploy afterwards, and commit that file.

With a command after "--", such as "npx wrangler pages deploy", this deploys too: what is published is recorded once the command succeeds.

Exit code 2: --limit left keys to write, so do not deploy yet.

Environment: BASE_URL, STORAGE (kv or assets).`,
  )
  .argument('[upload...]', 'after "--": command that deploys the site')
  .option('--dry-run', 'print what would be written and deleted')
  .option('--local', 'use the local KV')
  .option('--static', 'record that the newest frontend-only build is published')
  .option('--limit <keys>', 'write at most this many keys a day (UTC); a run on a later day goes on', wholeNumber(1))
  .option('--over-budget', 'write more keys than the free plan allows in a day')
  .option('--drop-earlier', 'publish a build that does not continue what was published: pinned queries fail, the change log starts over')
  .option('--drop-offers', 'publish without offers that the database has orders of: those orders deliver nothing')
  .option('--live <version>', 'corpus version that the site serves now, or "none" (default: ask the site)')
  .addHelpText(
    'after',
    examples(
      'npm run publish:kv -- --dry-run',
      'npm run publish:kv -- -- npx wrangler pages deploy',
      'npm run publish:kv -- --static -- rsync -a dist-static/ host:/var/www',
    ),
  )
  .action(async (upload, options) => {
    const root = process.cwd();
    const run = async (): Promise<'online'> => {
      await runInTerminal(root, upload);
      return 'online';
    };
    if (!(await publishBuild(root, options, upload.length > 0 ? run : undefined))) process.exitCode = EXIT_INCOMPLETE;
  });

interface PublishFlags extends Pick<PublishOptions, 'dryRun' | 'overBudget' | 'limit' | 'dropEarlier'> {
  readonly local?: true | undefined;
  readonly static?: true | undefined;
  readonly dropOffers?: true | undefined;
  readonly live?: string | undefined;
}

type Upload = () => Promise<'online' | 'preview'>;

/**
 * Publishes the newest build: writes its blocks, uploads the site, and once it is online, writes its manifest and records what is published.
 * Without an upload, all is written and recorded at once. @returns Whether all blocks are written; otherwise the site is not uploaded yet.
 */
export async function publishBuild(
  root: string,
  { local, live, static: isStatic, ...flags }: PublishFlags,
  upload?: Upload,
): Promise<boolean> {
  await finishReadyBuild(root, (line) => console.log(line));
  if (isStatic) {
    const built = await readBuiltOf(root, 'static');
    if (built === undefined) throw new UserError('there is no frontend-only build to publish: run "npm run build:static" first');
    refuseLocal(built, 'npm run build:static');
    if (flags.dryRun) console.log(`${LEDGER_FILE} would list the build in dist-static/. Nothing was changed.`);
    else await uploadAndRecord(root, built, upload);
    return true;
  }
  const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
  const { ledger, problems } = await readLedger(root);
  if (problems.length > 0) throw new InvalidContentError(problems);
  const store = new GenerationStore(root);
  const progress = progressLine(process.stderr);
  const options: PublishOptions = {
    takeDownEvents: eventsOfTakeDowns(await store.changes(), ledger),
    ...flags,
    findLive: async () => {
      if (local || live === 'none') return 'none';
      return live === undefined ? findLiveVersion(publisher.base_url) : { version: live };
    },
    now: new Date(),
    report: progress.print,
    onProgress: progress.show,
  };
  const [newest] = await store.history();
  const lastBuilt = await readBuiltOf(root, 'edge');
  const built = lastBuilt?.generation === newest?.version ? lastBuilt : undefined;
  if (!local && built === undefined) throw new UserError('there is no build with functions to publish: run "npm run build" first');
  if (!local && built !== undefined) {
    refuseLocal(built, 'npm run build');
    if (built.storage !== 'assets') await requireNamespace(root);
    if (!flags.dropOffers && (await readWranglerSettings(root)).databaseId !== undefined)
      await requireOrderedOffers(remoteDatabase(root), [...built.offers, ...(built.aliases ?? [])], progress.print);
  }
  const usesKv = (built?.storage ?? storageOf(publisher, process.env['STORAGE'])) !== 'assets';
  const writeToKv = async (settings: PublishOptions): Promise<boolean> => {
    if (!usesKv) return true;
    const { complete, written, total, removed } = await withBuildLock(root, 'publish', options.report, () =>
      local
        ? withLocalNamespace(root, (namespace) => publishBlocks(namespace, store, settings))
        : publishBlocks(remoteNamespace(root), store, settings),
    ).finally(progress.clear);
    console.log(`KV: ${written} of ${total} keys written, ${removed} deleted`);
    return complete;
  };
  if (!usesKv) console.log('KV: nothing to write, because the blocks are files of the site');
  const isUploaded = upload !== undefined && !local && built !== undefined && !flags.dryRun;
  if (!(await writeToKv({ ...options, withoutManifests: isUploaded }))) return flags.dryRun === true;
  if (flags.dryRun || local || built === undefined) return true;
  // A namespace knows a generation as published by its manifest: one that was never online must not count.
  const writeManifests = (): Promise<boolean> => writeToKv({ ...options, limit: undefined, overBudget: true });
  await uploadAndRecord(root, built, upload, usesKv ? writeManifests : undefined);
  return true;
}

function refuseLocal({ baseUrl }: BuiltState, command: string): void {
  if (!isLoopbackOrigin(baseUrl)) return;
  throw new UserError(
    `the newest build is for this machine: its addresses begin with ${baseUrl}. Run "${command}" without BASE_URL, with the address of the site as base_url in content/publisher.yaml`,
  );
}

async function uploadAndRecord(root: string, built: BuiltState, upload?: Upload, writeManifests?: () => Promise<boolean>): Promise<void> {
  if ((await upload?.()) === 'preview') return;
  if (upload !== undefined) await writeManifests?.();
  await noteBuildPublished(root, built, today());
  console.log(`${LEDGER_FILE} lists what is published; commit it, so that every clone knows it.`);
}

import { Option } from '@commander-js/extra-typings';
import { finishReadyBuild } from '../../build/atomic-build-output.ts';
import { withBuildLock } from '../../build/build-lock.ts';
import { GenerationStore } from '../../build/corpus-blocks/generation-store.ts';
import { storageOf, today } from '../../build/describe-deployment.ts';
import { remoteNamespace } from '../../build/kv/block-namespace.ts';
import { findLiveVersion } from '../../build/kv/plan-garbage-collection.ts';
import { noteRestored } from '../../build/kv/publishing-state.ts';
import { offersOfSite, restoreFromNamespace, restoreFromSite, restoreLogOfSite } from '../../build/kv/restore-generations.ts';
import { requireNamespace } from '../../build/wrangler-settings.ts';
import { LEDGER_FILE, type LedgerOffer } from '../../publication/read/version-ledger.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { defineCommand } from '../define-command.ts';
import { restoreBackup, withStores } from './backup.ts';

export const command = defineCommand()
  .description(
    `Restore the published generations and the change log into .akg/, and what they published into content/published.jsonl, so that a build in a fresh clone continues them. They are read from KV, or from the live site if its blocks are files. With --site, only the change log and the list of what was published are restored, from any live site.

With --from, write a backup of "akg backup" into the stores at Cloudflare first: blocks that KV lacks, and rows into a database without any.`,
  )
  .option('--from <file>', 'backup to write into the stores at Cloudflare')
  .option('--resume', 'with --from: go on after an interruption, with rows that are there already')
  .option('--local', 'read the local KV; with --from, write into the database of "npm start"')
  .option('--site', 'ask the live site instead of KV, without its generations: for a site without functions, or without an account')
  .addOption(new Option('--static', 'the same as --site').hideHelp())
  .action(async ({ local = false, static: isStatic, site: fromSite = isStatic, from, resume = false }) => {
    const root = process.cwd();
    const report = (line: string): void => console.log(line);
    await finishReadyBuild(root, report);
    const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
    if (from !== undefined) {
      const { rows, blocks } = await withStores(root, storageOf(publisher, process.env['STORAGE']), local, (stores) =>
        restoreBackup(root, from, stores, resume, local),
      );
      if (local) return console.log(`Wrote ${rows} rows of ${from}. Now: npm start`);
      console.log(`Wrote ${rows} rows and ${blocks} blocks of ${from}. Now: npm run deploy`);
    }
    const offersOnSite = async (): Promise<LedgerOffer[]> =>
      (await offersOfSite(publisher.base_url)).map((offer) => ({ offer, published: today() }));
    if (fromSite) {
      const log = await restoreLogOfSite(publisher.base_url);
      await noteRestored(root, log, await offersOnSite());
      console.log(
        `Restored ${log.length} events of the change log; the next build continues it. ${LEDGER_FILE} lists what they published; commit it.`,
      );
      return;
    }
    const store = new GenerationStore(root);
    const count = await withBuildLock(root, 'restore', report, () => restoreGenerations(root, publisher, store, local));
    if (count > 0 && !local) await noteRestored(root, await store.changes(), await offersOnSite());
    console.log(
      count === 0
        ? 'Nothing to restore: no generation has been published.'
        : `Restored ${count === 1 ? 'a generation; the next build continues it' : `${count} generations; the next build continues them`}.`,
    );
  });

async function restoreGenerations(root: string, publisher: Publisher, store: GenerationStore, local: boolean): Promise<number> {
  if (storageOf(publisher, process.env['STORAGE']) === 'assets')
    return restoreFromSite(publisher.base_url, await findLiveVersion(publisher.base_url), store);
  if (!local) {
    await requireNamespace(root);
    return restoreFromNamespace(remoteNamespace(root), store);
  }
  // Loads the simulator, which takes seconds.
  const { withLocalNamespace } = await import('../../build/local/local-stores.ts');
  return withLocalNamespace(root, (namespace) => restoreFromNamespace(namespace, store));
}

import { storageOf } from '../../build/deployment.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand, examples } from '../define-command.ts';
import { storesAtCloudflare, writeBackup } from '../deployment/backup.ts';

export const command = defineCommand()
  .description(
    `Save what is at Cloudflare into one file: the rows of the database (agents, orders, proposals), the published blocks, public keys and the list of what was published. The file holds addresses of buyers and texts that are sold: keep it as you keep secrets. Secrets themselves are not in it. A file that exists is never overwritten; the default name has the time (UTC).

Restore it with "akg restore --from <file>", into a new database.`,
  )
  .argument('[file]', 'file to write', `backup-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}.jsonl.gz`)
  .addHelpText('after', examples('npm run backup', 'npm run backup -- ../before-the-move.jsonl.gz'))
  .action(async (file) => {
    const root = process.cwd();
    const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
    const stores = await storesAtCloudflare(root, storageOf(publisher, process.env['STORAGE']));
    const { rows, blocks } = await writeBackup(root, file, stores, { created: new Date(), site: publisher.base_url });
    console.log(`${file}: ${rows} rows, ${blocks} blocks`);
    console.log(
      `It may hold addresses of buyers and texts that are sold: keep it out of git. To restore it: npm run restore:kv -- --from ${file}`,
    );
  });

import { parseArgs } from 'node:util';
import { administerOrders, readOrderTask } from '../administer-orders.ts';
import { withDatabase } from '../database.ts';
import { describeFailure } from '../describe-failure.ts';
import { readRetrySettings, retryNotices } from '../retry-notices.ts';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { remote: { type: 'boolean', default: false }, limit: { type: 'string' } },
  });
  const task = readOrderTask(positionals, values.limit);
  const place = values.remote ? 'remote' : 'local';
  const root = process.cwd();
  const lines = await withDatabase(root, place, (database) =>
    administerOrders(task, database, Date.now(), async (store, nowMs) =>
      retryNotices(store, await readRetrySettings(root, place, process.env), nowMs),
    ),
  );
  for (const line of lines) console.log(line);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

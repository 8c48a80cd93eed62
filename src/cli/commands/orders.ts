import { withDatabase } from '../../build/local/database.ts';
import { newCommand } from '../new-command.ts';
import { administerOrders } from '../orders/administer-orders.ts';
import { ORDER_USAGE, type OrderCommand, readOrderCommand } from '../orders/read-order-task.ts';
import { readRetrySettings, retryWebhooks } from '../orders/retry-webhooks.ts';

export const command = newCommand()
  .allowUnknownOption()
  .helpOption(false)
  .argument('[words...]')
  .action(async (words) => {
    const task = readOrderCommand(words);
    const lines = task === 'help' ? [ORDER_USAGE] : await run(task);
    for (const line of lines) console.log(line);
  });

function run({ task, place }: OrderCommand): Promise<string[]> {
  const root = process.cwd();
  return withDatabase(root, place, (database) =>
    administerOrders(task, database, Date.now(), async (store, nowMs) =>
      retryWebhooks(store, await readRetrySettings(root, place, process.env), nowMs),
    ),
  );
}

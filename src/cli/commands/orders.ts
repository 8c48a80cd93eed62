import { administerOrders } from '../orders/administer-orders.ts';
import { withDatabase } from '../../build/local/database.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { ORDER_USAGE, type OrderCommand, readOrderCommand } from '../orders/read-order-task.ts';
import { readRetrySettings, retryWebhooks } from '../orders/retry-webhooks.ts';

try {
  const command = readOrderCommand(process.argv.slice(2));
  const lines = command === 'help' ? [ORDER_USAGE] : await run(command);
  for (const line of lines) console.log(line);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

function run({ task, place }: OrderCommand): Promise<string[]> {
  const root = process.cwd();
  return withDatabase(root, place, (database) =>
    administerOrders(task, database, Date.now(), async (store, nowMs) =>
      retryWebhooks(store, await readRetrySettings(root, place, process.env), nowMs),
    ),
  );
}

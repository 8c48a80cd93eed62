import { parseArgs } from 'node:util';
import { administerAgents, readAgentTask } from '../agents/administer-agents.ts';
import { withDatabase } from '../../build/local/database.ts';
import { describeFailure } from '../../build/describe-failure.ts';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { remote: { type: 'boolean', default: false }, limit: { type: 'string' } },
  });
  const task = readAgentTask(positionals, values.limit);
  const lines = await withDatabase(process.cwd(), values.remote ? 'remote' : 'local', (database) =>
    administerAgents(task, database, Date.now()),
  );
  for (const line of lines) console.log(line);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

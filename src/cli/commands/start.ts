import { join } from 'node:path';
import { describeFailure } from '../../build/describe-failure.ts';
import { serveLocally } from '../../build/local/serve-locally.ts';

// LINEAGE_KEY is taken out of the environment, so that nothing which is started below inherits it.
const environment = { ...process.env };
delete process.env['LINEAGE_KEY'];
try {
  process.exitCode = await serveLocally({
    root: join(import.meta.dirname, '../../..'),
    environment,
    report: (line) => console.log(line),
  });
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

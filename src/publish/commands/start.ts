import { join } from 'node:path';
import { describeFailure } from '../describe-failure.ts';
import { serveLocally } from '../serve-locally.ts';

try {
  process.exitCode = await serveLocally({
    root: join(import.meta.dirname, '../../..'),
    environment: process.env,
    report: (line) => console.log(line),
  });
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

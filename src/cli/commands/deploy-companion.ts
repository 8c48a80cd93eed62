import { parseArgs } from 'node:util';
import { deployCompanion } from '../deploy-companion.ts';
import { describeFailure } from '../../build/describe-failure.ts';

try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  await deployCompanion(process.cwd(), {
    dryRun: values['dry-run'],
    baseUrl: process.env['BASE_URL'],
    report: (line) => console.log(line),
  });
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

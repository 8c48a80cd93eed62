import { describeFailure } from '../describe-failure.ts';
import { GenerationStore } from '../generation-store.ts';
import { publishBlocks } from '../publish-blocks.ts';

try {
  const target = process.argv.includes('--local') ? 'local' : 'remote';
  const { written, total } = await publishBlocks(process.cwd(), new GenerationStore(process.cwd()), target, (line) => console.log(line));
  console.log(`KV: ${written} of ${total} keys written`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

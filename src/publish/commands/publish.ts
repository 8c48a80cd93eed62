import { InvalidContentError } from '../../authoring/content-problem.ts';
import { readContent } from '../../authoring/read-content.ts';
import { describeFailure } from '../describe-failure.ts';
import { GenerationStore } from '../generation-store.ts';
import { publishBlocks } from '../publish-blocks.ts';
import { recordPublishedVersions } from '../published-versions.ts';
import { today } from '../today.ts';

try {
  const target = process.argv.includes('--local') ? 'local' : 'remote';
  const { written, total } = await publishBlocks(process.cwd(), new GenerationStore(process.cwd()), target, (line) => console.log(line));
  console.log(`KV: ${written} of ${total} keys written`);
  if (target === 'remote') {
    const { content, problems } = await readContent(process.cwd(), { today: today() });
    if (content === undefined) throw new InvalidContentError(problems);
    await recordPublishedVersions(process.cwd(), content);
  }
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

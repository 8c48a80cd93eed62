import { parseArgs } from 'node:util';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { readContent } from '../../publication/read-content.ts';
import { BuildSettingError, storageOf } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { GenerationStore } from '../../build/generation/generation-store.ts';
import { findLiveVersion } from '../../build/examples/live-version.ts';
import { withLocalNamespace } from '../../build/local/local-namespace.ts';
import type { LiveVersion } from '../../build/publishing/plan-collection.ts';
import { type PublishOptions, type PublishOutcome, publishBlocks } from '../../build/publishing/publish-blocks.ts';
import { PublishRefusedError } from '../../build/publishing/publish-refused-error.ts';
import { notePublished, readBuilt } from '../../build/publishing/publishing-state.ts';
import { remoteNamespace } from '../../build/publishing/remote-namespace.ts';
import { today } from '../../build/today.ts';

/** Exit code of a publish after which more is to be written: a deploy that is chained with `&&` must not follow. */
const EXIT_INCOMPLETE = 2;

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new BuildSettingError(`--limit ${text} is not a number of keys`);
  return limit;
}

try {
  const root = process.cwd();
  const { values } = parseArgs({
    options: {
      local: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'over-budget': { type: 'boolean', default: false },
      'drop-earlier': { type: 'boolean', default: false },
      limit: { type: 'string' },
      live: { type: 'string' },
    },
  });
  const { content, problems } = await readContent(root, { today: today(), baseUrl: process.env['BASE_URL'] });
  if (content === undefined) throw new InvalidContentError(problems);
  const { base_url } = content.publisher;
  const findLive = async (): Promise<LiveVersion> => {
    if (values.local || values.live === 'none') return 'none';
    return values.live === undefined ? findLiveVersion(base_url) : { version: values.live };
  };
  const options: PublishOptions = {
    dryRun: values['dry-run'],
    overBudget: values['over-budget'],
    dropEarlier: values['drop-earlier'],
    limit: readLimit(values.limit),
    findLive,
    now: new Date(),
    report: (line) => console.log(line),
  };
  const store = new GenerationStore(root);
  const [newest] = await store.history();
  const noted = await readBuilt(root);
  const built = noted?.generation === newest?.version ? noted : undefined;
  if (!values.local && built === undefined)
    throw new PublishRefusedError('the newest build here is not one for publishing: run "npm run build" first');
  let outcome: PublishOutcome | undefined;
  if ((built?.storage ?? storageOf(content.publisher, process.env['STORAGE'])) === 'assets')
    console.log('KV: nothing to write, the blocks are files of the site');
  else if (values.local) outcome = await withLocalNamespace(root, (namespace) => publishBlocks(namespace, store, options));
  else outcome = await publishBlocks(remoteNamespace(root), store, options);
  if (outcome) console.log(`KV: ${outcome.written} of ${outcome.total} keys written, ${outcome.removed} deleted`);
  if (!options.dryRun && outcome?.complete === false) process.exitCode = EXIT_INCOMPLETE;
  else if (!options.dryRun && !values.local && built) await notePublished(root, built);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

import { parseArgs } from 'node:util';
import { type ContentProblem, InvalidContentError } from '../../publication/content-problem.ts';
import { readPublisher } from '../../publication/read-publisher.ts';
import { storageOf } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { GenerationStore } from '../../build/generation/generation-store.ts';
import { findLiveVersion } from '../../build/examples/live-version.ts';
import { versionsInLog } from '../../build/content/published-versions.ts';
import { notePublished } from '../../build/publishing/publishing-state.ts';
import { remoteNamespace } from '../../build/publishing/remote-namespace.ts';
import { restoreLogOfFiles } from '../../build/publishing/restore-log.ts';
import { restoreFromNamespace, restoreFromSite } from '../../build/publishing/restore-generations.ts';

try {
  const root = process.cwd();
  const { values } = parseArgs({ options: { local: { type: 'boolean', default: false }, static: { type: 'boolean', default: false } } });
  const problems: ContentProblem[] = [];
  const publisher = (await readPublisher(root, { baseUrl: process.env['BASE_URL'] }, problems))?.data;
  if (publisher === undefined || problems.length > 0) throw new InvalidContentError(problems);
  const { base_url } = publisher;
  const store = new GenerationStore(root);
  let count = 0;
  if (values.static) {
    const log = await restoreLogOfFiles(base_url);
    await notePublished(root, { versions: versionsInLog(log), log });
    console.log(`${log.length} events of the log of changes restored; the next build goes on with it`);
  } else if (storageOf(publisher, process.env['STORAGE']) === 'assets')
    count = await restoreFromSite(base_url, await findLiveVersion(base_url), store);
  else if (values.local) {
    // Loads the simulator, which takes seconds.
    const { withLocalNamespace } = await import('../../build/local/local-namespace.ts');
    count = await withLocalNamespace(root, (namespace) => restoreFromNamespace(namespace, store));
  } else count = await restoreFromNamespace(remoteNamespace(root), store);
  if (count > 0 && !values.local) {
    const log = await store.changes();
    await notePublished(root, { versions: versionsInLog(log), log });
  }
  if (!values.static)
    console.log(
      count === 0
        ? 'nothing to restore: no generation was published yet'
        : `${count} generations restored; the next build goes on with them, and lists those that it answers as before`,
    );
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

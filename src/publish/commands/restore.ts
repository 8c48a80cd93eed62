import { parseArgs } from 'node:util';
import { InvalidContentError } from '../../authoring/content-problem.ts';
import { readContent } from '../../authoring/read-content.ts';
import { storageOf } from '../deployment.ts';
import { describeFailure } from '../describe-failure.ts';
import { GenerationStore } from '../generation-store.ts';
import { findLiveVersion } from '../live-version.ts';
import { withLocalNamespace } from '../local-namespace.ts';
import { versionsInLog } from '../published-versions.ts';
import { notePublished } from '../publishing-state.ts';
import { remoteNamespace } from '../remote-namespace.ts';
import { restoreLogOfFiles } from '../restore-log.ts';
import { restoreFromNamespace, restoreFromSite } from '../restore-generations.ts';
import { today } from '../today.ts';

try {
  const root = process.cwd();
  const { values } = parseArgs({ options: { local: { type: 'boolean', default: false }, static: { type: 'boolean', default: false } } });
  const { content, problems } = await readContent(root, { today: today(), baseUrl: process.env['BASE_URL'] });
  if (content === undefined) throw new InvalidContentError(problems);
  const { base_url } = content.publisher;
  const store = new GenerationStore(root);
  let count = 0;
  if (values.static) {
    const log = await restoreLogOfFiles(base_url);
    await notePublished(root, { versions: versionsInLog(log), log });
    console.log(`${log.length} events of the log of changes restored; the next build goes on with it`);
  } else if (storageOf(content.publisher, process.env['STORAGE']) === 'assets')
    count = await restoreFromSite(base_url, await findLiveVersion(base_url), store);
  else if (values.local) count = await withLocalNamespace(root, (namespace) => restoreFromNamespace(namespace, store));
  else count = await restoreFromNamespace(remoteNamespace(root), store);
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

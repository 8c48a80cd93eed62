import { openApiDocument } from '../../documents/openapi/openapi.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { ApiDocument } from '../../site/api/api-document.ts';
import { type LiveControls, PREVIEW_PATH, withLiveSite } from '../../site/dev/live-site.ts';
import { buildEnvironment } from '../begin-build.ts';
import { openDevPages } from '../integration.ts';
import { endWithNpm } from '../local/end-with-npm.ts';
import { migrateLocally, withLocalBindings } from '../local/local-bindings.ts';
import { freePort } from '../local/local-port.ts';
import { ensureLocalSecret } from '../local/local-stores.ts';
import { DevRequests } from './dev-requests.ts';
import { LiveChanges } from './live-changes.ts';
import { localSecrets } from './live-gateway.ts';
import { LivePublication } from './live-publication.ts';

type Report = (line: string) => void;

/** Where the content of a publication is. */
const CONTENT = 'content';

/**
 * Serves a publication while it is written: pages, documents, API and previews, drafts included, each as it is after the last change. Mistakes
 * in the content are reported; what was served before them stays.
 *
 * @returns The exit code, once it is stopped by a signal.
 * @throws {UserError} If the port is in use or a secret of this machine cannot be used.
 */
export async function serveDev(root: string, environment: Readonly<Record<string, string | undefined>>, report: Report): Promise<number> {
  endWithNpm();
  const { port, address } = await freePort(environment['PORT'], 'npm run dev');
  await ensureLocalSecret(root);
  const { lineageKey: _unsigned, ...settings } = buildEnvironment(environment);
  const live = new LivePublication(root, { ...settings, baseUrl: environment['BASE_URL'] || address });
  const stopped = untilSignal();
  const changes = new LiveChanges(root, live, report);
  const first = await changes.firstState(stopped);
  if (first === undefined) return 0;
  return withLocalBindings(root, async ({ STATE }) => {
    await migrateLocally(STATE);
    const requests = new DevRequests(root, address, live, { ...(await localSecrets(root)), STATE });
    const site = {
      current: () => (live.state ?? first).site,
      // As JSON, which is what pages read in a build.
      openApi: async () => JSON.parse(JSON.stringify(openApiDocument(await (live.state ?? first).publication()))) as ApiDocument,
      handle: requests.handle,
      connect: (controls: LiveControls) => changes.connect(controls),
    };
    return withLiveSite(site, async () => {
      const pages = await openDevPages(root, port);
      report(
        `\n  Site     ${address}\n  Preview  ${address}${PREVIEW_PATH}\n  API      ${address}${PATHS.gateway}/capabilities\n\nSave a file below ${CONTENT}/ to see it. Stop with Ctrl-C.\n`,
      );
      await stopped;
      changes.close();
      await pages.stop();
      return 0;
    });
  });
}

/** Resolves at the first signal to end. From then on the process ends with code 0: the signal is how this server is meant to end. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        // The simulators end the process themselves, with the code of the signal.
        process.once('exit', () => {
          process.exitCode = 0;
        });
        resolve();
      });
  });
}

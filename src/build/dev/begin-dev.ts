import { openApiDocument } from '../../documents/openapi/openapi.ts';
import { freePart } from '../../publication/publish/published-capsules.ts';
import type { LiveSite } from '../../site/dev/live-site.ts';
import type { ApiDocument } from '../../site/openapi-view.ts';
import type { SiteSource } from '../../site/site-source.ts';
import { buildEnvironment } from '../deployment.ts';
import { ensureLocalSecret, migrateLocally, withLocalBindings } from '../local/local-stores.ts';
import { DevRequests, localSecrets } from './dev-requests.ts';
import { LiveChanges } from './live-changes.ts';
import { LivePublication } from './live-publication.ts';

/**
 * Reads a publication, waits until it can be shown, and makes pages and documents from it, as it is after each change.
 *
 * @param address Where the server will listen.
 * @param stopped When to stop waiting.
 * @returns `undefined` if it was stopped before anything could be shown.
 */
export async function beginDev(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  address: string,
  report: (line: string) => void,
  stopped: Promise<void> = new Promise(() => undefined),
): Promise<LiveSite | undefined> {
  await ensureLocalSecret(root);
  const { lineageKey: _unsigned, ...settings } = buildEnvironment(environment);
  const live = new LivePublication(root, { ...settings, baseUrl: environment['BASE_URL'] || address });
  const changes = new LiveChanges(root, live, report);
  const first = await changes.firstState(stopped);
  if (first === undefined) return undefined;
  const now = () => live.state ?? first;
  let close = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  return new Promise((resolve, reject) => {
    const serving = withLocalBindings(root, async ({ STATE }) => {
      await migrateLocally(STATE);
      const requests = new DevRequests(root, address, live, { ...(await localSecrets(root)), STATE });
      const source: SiteSource = {
        content: async () => ({ ...now().site, brand: (await now().brand()).brand }),
        capsule: async (id) => {
          const capsule = now().capsule(id);
          return capsule && freePart(capsule);
        },
        documents: async () => now().documents(),
        // As JSON, which is what pages read in a build.
        openApi: async () => JSON.parse(JSON.stringify(openApiDocument(await now().publication()))) as ApiDocument,
        related: (id) => now().related(id),
        localsOf: requests.localsOf,
      };
      resolve({
        source,
        current: () => now().site,
        handle: requests.handle,
        connect: (controls) => changes.connect(controls),
        close: async () => {
          changes.close();
          close();
          await serving;
        },
      });
      await closed;
    });
    serving.catch(reject);
  });
}

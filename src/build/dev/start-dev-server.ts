import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../documents/openapi/openapi.ts';
import { purchaseSteps } from '../../documents/purchase-walkthrough.ts';
import type { Database } from '../../platform/d1/database.ts';
import { freePart } from '../../publication/publish/published-capsules.ts';
import type { LiveSite } from '../../site/dev/dev-server.ts';
import type { ApiDocument } from '../../site/openapi-view.ts';
import type { SiteSource } from '../../site/site-source.ts';
import { isInstalled } from '../engine-package.ts';
import { deferredDatabase } from '../local/d1-connections.ts';
import { ensureLocalSecret, localSettings, migrateLocally, withLocalBindings } from '../local/local-stores.ts';
import { devRequests, localSecrets } from './dev-requests.ts';
import { LivePublication } from './live-publication.ts';
import { LiveChanges } from './watch-publication.ts';

/**
 * Reads a publication, waits until it can be shown at the address of the server, and makes pages and documents from it, as it is after each
 * change.
 *
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
  const { lineageKey: _unsigned, ...settings } = await localSettings(root, environment, address);
  const live = new LivePublication(root, settings);
  const changes = new LiveChanges(root, live, report);
  const first = await changes.firstState(stopped);
  if (first === undefined) return undefined;
  const now = () => live.state ?? first;
  const database = localDatabase(root, report);
  const requests = devRequests(root, address, live, { ...(await localSecrets(root)), STATE: database.state });
  const source: SiteSource = {
    content: async () => ({ ...now().site, brand: (await now().brand()).brand }),
    capsule: async (id) => {
      const capsule = now().capsule(id);
      return capsule && freePart(capsule);
    },
    documents: async () => now().documents(),
    // As JSON, which is what pages read in a build.
    openApi: async () => JSON.parse(JSON.stringify(openApiDocument(await now().publication()))) as ApiDocument,
    purchase: async () => purchaseSteps(await now().publication()),
    related: (id) => now().related(id),
    localsOf: requests.localsOf,
  };
  return {
    source,
    current: () => now().site,
    handle: requests.handle,
    connect: (controls) => changes.connect(controls),
    close: async () => {
      changes.close();
      await database.close();
    },
  };
}

/**
 * The database of `npm start`, opened by the first request that needs it: loading the simulator takes seconds, and pages need none. Without
 * wrangler there is none, and the API has no keys and no orders.
 */
function localDatabase(root: string, report: (line: string) => void) {
  if (!isInstalled('wrangler')) {
    if (existsSync(join(root, 'functions'))) report('wrangler is not installed, so the API has no database here: no keys and no orders.');
    return { state: undefined, close: async () => undefined };
  }
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let serving: Promise<void> | undefined;
  let opened: Promise<Database> | undefined;
  return {
    state: deferredDatabase(() => {
      opened ??= new Promise((resolve, reject) => {
        serving = withLocalBindings(root, async ({ STATE }) => {
          await migrateLocally(STATE);
          resolve(STATE);
          await closed;
        }).catch((error: unknown) => {
          report(`The database of this machine cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
          reject(error);
        });
      });
      return opened;
    }),
    close: async () => {
      close();
      await serving;
    },
  };
}

import { join } from 'node:path';
import type { Request as WorkerRequest } from 'miniflare';
import { unstable_generateASSETSBinding } from 'wrangler';
import type { EdgeOptions } from './edge-gateway.ts';
import { ROOT } from './paths.ts';

type ServerOptions = Parameters<typeof unstable_generateASSETSBinding>[0];

const silent = (): void => undefined;
const log = new Proxy({}, { get: () => silent }) as ServerOptions['log'];

/** The server of static files that Pages uses, on the built site. */
export async function serveBuiltFiles(): Promise<NonNullable<EdgeOptions['files']>> {
  const serve = await unstable_generateASSETSBinding({ log, directory: join(ROOT, 'dist') } as ServerOptions);
  return async (request) => (await serve(request as unknown as WorkerRequest)) as unknown as Response;
}

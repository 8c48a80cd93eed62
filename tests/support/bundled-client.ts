import { pathToFileURL } from 'node:url';
import { CLIENT_FILE } from '../../src/npm-package/bundle-programs.ts';

export type ClientModule = typeof import('../../src/client/gateway-client.ts');

/** Imports the bundle that sites serve. */
export const importClient = async (): Promise<ClientModule> =>
  (await import(/* @vite-ignore */ pathToFileURL(CLIENT_FILE).href)) as ClientModule;

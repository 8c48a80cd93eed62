import { join } from 'node:path';
import { siteFolder } from '../../../src/build/build-lifecycle.ts';
import { buildIfChanged } from '../../../src/build/build-site.ts';
import { localFolder } from '../../../src/build/local/serve-locally.ts';
import { serveLikeHost } from '../../support/built-files.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { copyProject, freePort, startService } from '../../support/project-copy.ts';
import type { CheckedSite, Mode } from './checker.ts';

/** A site for checkers, until it is stopped. */
export interface RunningSite extends CheckedSite {
  readonly stop: () => Promise<void>;
}

export const startSite = (mode: Mode): Promise<RunningSite> => (mode === 'edge' ? startEdge() : startFiles());

/** `npm start`, in a copy of the project. */
async function startEdge(): Promise<RunningSite> {
  const copy = await copyProject();
  const { baseUrl, interrupt } = await startService(copy.folder, await freePort());
  const stop = async (): Promise<void> => {
    await interrupt();
    await copy.remove();
  };
  return { mode: 'edge', origin: baseUrl, folder: siteFolder(localFolder(copy.folder), 'edge'), stop };
}

/** The files of a site without functions, as its host serves them. The address is known before the build, which writes it. */
async function startFiles(): Promise<RunningSite> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const output = join(PUBLICATION, '.akg/conformance');
  await buildIfChanged({ root: PUBLICATION, output, mode: 'static', baseUrl, report: () => undefined });
  const folder = siteFolder(output, 'static');
  const { origin, stop } = await serveLikeHost(folder, port);
  return { mode: 'static', origin, folder, stop };
}

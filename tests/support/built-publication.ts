import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll } from 'vitest';
import { type SiteBuildOptions, siteFolder } from '../../src/build/build-lifecycle.ts';
import { buildSite } from '../../src/build/build-site.ts';
import { serveBuiltFiles } from './built-files.ts';
import { builtBlocks, type EdgeGateway, type EdgeOptions, type Requests, requestsTo, startEdgeGateway } from './edge-gateway.ts';
import { connectMcp } from './mcp-client.ts';
import { PUBLICATION, ROOT, TEST_BASE_URL } from './paths.ts';

export interface BuiltPublication {
  readonly root: string;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly build: (mode: 'edge' | 'static', options?: Partial<SiteBuildOptions>) => Promise<void>;
  /** Functions, files and blocks of the last build with functions, for `startEdgeGateway`. */
  readonly service: () => Promise<Required<Pick<EdgeOptions, 'bundle' | 'blocks' | 'files'>>>;
  readonly remove: () => Promise<void>;
}

/** Makes the folder: without texts, with the function that the engine writes the Worker for. */
export async function makeBuiltPublication(name: string): Promise<BuiltPublication> {
  const root = join(ROOT, '.akg', `test-${name}`);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  for (const entry of ['functions', 'wrangler.toml']) await cp(join(PUBLICATION, entry), join(root, entry), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const watch = new AbortController();
  return {
    root,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
    build: (mode, options) =>
      buildSite({
        root,
        output: root,
        mode,
        today: '2026-11-22',
        baseUrl: TEST_BASE_URL,
        mayBeUnsigned: true,
        isTrial: true,
        report: () => undefined,
        ...options,
      }),
    service: async () => {
      const site = join(root, 'dist');
      return {
        bundle: join(site, '_worker.js/index.js'),
        blocks: await builtBlocks(root),
        files: await serveBuiltFiles(site, watch.signal),
      };
    },
    remove: () => {
      watch.abort();
      return rm(root, { recursive: true, force: true });
    },
  };
}

/** A publication with functions that run, for one file of tests or a block, and a client of MCP that is connected to them. */
export interface BuiltService extends Requests {
  readonly client: () => Client;
  readonly tool: (name: string, args: Record<string, unknown>) => Promise<{ readonly isError: boolean; readonly text: string }>;
  readonly a2a: (data: object) => Promise<string>;
  readonly folder: (mode: 'edge' | 'static') => string;
}

export function useBuiltService(
  name: string,
  files: Readonly<Record<string, string>>,
  modes: readonly ('edge' | 'static')[] = ['edge'],
): BuiltService {
  let started: { readonly root: string; readonly gateway: EdgeGateway; readonly client: Client } | undefined;
  let remove = async (): Promise<void> => undefined;
  beforeAll(async () => {
    const publication = await makeBuiltPublication(name);
    remove = publication.remove;
    await publication.write(files);
    for (const mode of modes) await publication.build(mode);
    const gateway = await startEdgeGateway(await publication.service());
    started = { root: publication.root, gateway, client: await connectMcp(gateway) };
  });
  afterAll(async () => {
    await started?.client.close();
    await started?.gateway.stop();
    await remove();
  });
  const running = (): NonNullable<typeof started> => {
    if (started === undefined) throw new Error('the service runs only inside of tests');
    return started;
  };
  const requests = requestsTo((path, init) => running().gateway.fetch(path, init));
  return {
    ...requests,
    client: () => running().client,
    folder: (mode) => siteFolder(running().root, mode),
    tool: async (tool, args) => {
      const { isError = false, content } = await running().client.callTool({ name: tool, arguments: args });
      return { isError: isError === true, text: (content as { text?: string }[]).map(({ text = '' }) => text).join('\n') };
    },
    a2a: async (data) => {
      const params = { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ data }] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
      const { result } = (await (await requests.post('/a2a', body, { 'A2A-Version': '1.0' })).json()) as {
        result: { message: { parts: { text?: string }[] } };
      };
      return result.message.parts.map(({ text = '' }) => text).join('\n');
    },
  };
}

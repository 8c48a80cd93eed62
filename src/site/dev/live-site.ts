import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { SiteContent } from '../site-content.ts';
import type { SiteSource } from '../site-source.ts';

/** Where the development server shows each text with its checks; no build has a page there. */
export const PREVIEW_PATH = '/preview';

/** A publication while it is written: what pages show now, and who answers the requests that are for no page. */
export interface LiveSite {
  readonly source: SiteSource;
  readonly current: () => SiteContent;
  /** Answers a request, or passes it on to Astro. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  /** Called once, when the server is there. */
  readonly connect: (controls: LiveControls) => void;
  readonly close: () => Promise<void>;
}

export interface LiveControls {
  /** Pages are rendered from the content as it is now. @param isSettings Whether values for every page have changed. */
  readonly refresh: (isSettings: boolean) => Promise<void>;
  readonly send: (event: string, data: unknown) => void;
}

/** Folders below a publication that Vite need not watch: our own watch reports the content, and the others are written by programs. */
const UNWATCHED = ['content', 'dist', 'dist-static', '.akg', '.wrangler'];

/** Settings of Vite's server. Scripts and styles of pages come from the publication and from the engine. */
export function liveServer(root: URL) {
  return {
    strictPort: true,
    watch: { ignored: UNWATCHED.map((folder) => `${fileURLToPath(new URL(folder, root))}/**`) },
    fs: { allow: [root, new URL('../..', import.meta.url)].map((folder) => fileURLToPath(folder)) },
  };
}

type ServerSetup = Parameters<NonNullable<AstroIntegration['hooks']['astro:server:setup']>>[0];

/** Puts a live site before Astro, and lets it tell Astro and browsers about changes. */
export function connectLive(live: LiveSite, { server, refreshContent }: Pick<ServerSetup, 'server' | 'refreshContent'>): void {
  server.middlewares.use(live.handle);
  const rendering = [server.environments.ssr, server.environments['prerender']].filter((environment) => environment !== undefined);
  live.connect({
    refresh: async (isSettings) => {
      await refreshContent?.({});
      for (const { moduleGraph, hot } of rendering) {
        // Astro clears its lists of pages on this event.
        hot.send('astro:content-changed', {});
        if (!isSettings) continue;
        moduleGraph.invalidateAll();
        hot.send({ type: 'full-reload' });
      }
      if (isSettings) server.environments.client.moduleGraph.invalidateAll();
    },
    send: (event, data) => server.environments.client.hot.send(event, data),
  });
}

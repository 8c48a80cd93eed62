import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { ContentProblem } from '../../publication/content-problem.ts';
import type { SiteContent } from '../collection-entries.ts';
import type { SiteSource } from '../site-source.ts';

/** Where the development server shows each text with its checks; no build has a page there. */
export const PREVIEW_PATH = '/preview';

/** A publication while it is written: what pages show now, and who answers the requests that are for no page. */
export interface LiveSite {
  readonly source: SiteSource;
  readonly current: () => SiteContent;
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

export interface PreviewRow extends ProblemCounts {
  readonly kind: 'capsule' | 'offer' | 'page';
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly file: string;
  readonly isDraft: boolean;
}

export interface ShownProblem extends ContentProblem {
  readonly excerpt: readonly { readonly line: number; readonly text: string }[];
}

export interface PreviewText extends PreviewRow {
  readonly problems: readonly ShownProblem[];
  readonly elsewhere: ProblemCounts;
  /** Documents for agents: the text as markdown, its JSON. Empty if it has none. */
  readonly documents: readonly { readonly name: string; readonly path: string; readonly body: string; readonly tokens: number }[];
  /** Exact text, in which quotes are marked; absent if the index has none. */
  readonly markdown?: string;
}

export interface PreviewData {
  readonly name: string;
  readonly rows: readonly PreviewRow[];
  /** Problems of files that are no text in the list. */
  readonly otherProblems: readonly ShownProblem[];
  /** The text of this page; absent in the list, and where nothing has the address. */
  readonly text?: PreviewText;
}

export interface PreviewQuestion {
  readonly question: string;
  readonly id: string;
}

export interface PreviewAnswer {
  readonly results: readonly { readonly rank: number; readonly id: string; readonly title: string; readonly score: number }[];
  readonly total: number;
  /** The text that was asked about; absent if it is not found. */
  readonly found?: { readonly rank: number; readonly quote: { readonly start: number; readonly end: number; readonly text: string } };
  /** Words of the question that the index does not have, or reads as another word. */
  readonly notes: readonly string[];
}

export const counted = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

export const previewPath = ({ kind, id }: Pick<PreviewRow, 'kind' | 'id'>): string => `/preview/${kind}s/${id}`;

/** What browsers learn when the content was read again. */
export interface LiveMessage {
  readonly errors: number;
  readonly warnings: number;
  /** The first error, with its file and line. */
  readonly first?: string;
  /** Whether pages show something else now. */
  readonly isNew: boolean;
}

interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** What a browser asks for when it opens a page. */
export interface LiveStatus extends Omit<LiveMessage, 'isNew'> {
  readonly texts: Readonly<Record<string, ProblemCounts>>;
  readonly drafts: readonly string[];
}

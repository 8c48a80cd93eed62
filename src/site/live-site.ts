import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDocument } from './api/api-document.ts';
import type { SiteContent } from './site-content.ts';

/** Where the development server shows each text with its checks; no build has a page there. */
export const PREVIEW_PATH = '/preview';

/** What the pages of a development server show, and who answers the requests that are for no page. A build has none. */
export interface LiveSite {
  /** The content as it is now. */
  readonly current: () => SiteContent;
  readonly openApi: () => Promise<ApiDocument>;
  /** Answers a request, or passes it on to Astro. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  /** Called once, when the server is there. */
  readonly connect: (controls: LiveControls) => void;
}

/** How the development server is told about changes. */
export interface LiveControls {
  /** Pages are rendered from the content as it is now. @param isSettings Whether values for every page have changed. */
  readonly refresh: (isSettings: boolean) => void;
  /** Sends a message to all browsers. */
  readonly send: (event: string, data: unknown) => void;
}

const LIVE_SITE = Symbol.for('agent-knowledge-gateway.live-site');

/** A global, because Astro loads this module several times. */
const holder = globalThis as { [LIVE_SITE]?: LiveSite };

/** The site of the development server in this process; `undefined` in builds. */
export function liveSite(): LiveSite | undefined {
  return holder[LIVE_SITE];
}

/** Runs `use` while pages show a live site. */
export async function withLiveSite<T>(site: LiveSite, use: () => Promise<T>): Promise<T> {
  holder[LIVE_SITE] = site;
  try {
    return await use();
  } finally {
    delete holder[LIVE_SITE];
  }
}

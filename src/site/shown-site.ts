import type { ApiDocument } from './api/api-document.ts';
import type { Brand } from './brand/read-brand.ts';
import type { CorpusOverview } from './corpus-overview.ts';
import type { Site, SiteContent } from './site-content.ts';

/** What pages show. They are compiled without it, and take it whenever they are rendered. */
export interface ShownSite {
  readonly site: Site;
  /** Absent in the development server, where a plugin provides it. */
  readonly brand?: Brand;
  /** Texts and offers; absent for pages on demand, which get theirs with each request. */
  readonly pages?: SiteContent['pages'];
  /** What most pages show of all capsules; absent for pages on demand. */
  readonly overview?: CorpusOverview;
  /** Description of the API; absent without an API, and for pages on demand. */
  readonly openApi?: ApiDocument | undefined;
}

const NAME = 'agent-knowledge-gateway.shown-site';
const SHOWN_SITE = Symbol.for(NAME);

/** A global, because the compiled pages contain a copy of this module. */
const holder = globalThis as { [SHOWN_SITE]?: () => ShownSite };

/** Lets pages show a site from now on. @param read Called whenever a page is rendered. */
export function showSite(read: () => ShownSite): void {
  holder[SHOWN_SITE] = read;
}

/** Source of a module that lets pages on demand show a site. */
export function shownSiteModule({ site, brand }: ShownSite): string {
  return `const shown = ${JSON.stringify({ site, brand })};\nglobalThis[Symbol.for(${JSON.stringify(NAME)})] = () => shown;\n`;
}

/** The site that pages show now. */
export function shownSite(): ShownSite {
  const read = holder[SHOWN_SITE];
  if (read === undefined) throw new Error('Pages are rendered before showSite() was called.');
  return read();
}

/** The texts and offers that pages show now. */
export function shownPages(): SiteContent['pages'] {
  const { pages } = shownSite();
  if (pages === undefined) throw new Error('Pages on demand have no lists of texts: what they show comes with the request.');
  return pages;
}

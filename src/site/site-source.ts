import type { PurchaseStep } from '../documents/purchase-walkthrough.ts';
import type { DocumentFile, FreeCapsule } from '../text/publication-model.ts';
import type { CapsuleEntry, SiteContent } from './collection-entries.ts';
import type { ApiDocument } from './openapi-view.ts';
import type { Brand } from './read-brand.ts';

/** The publication as a build, or the development server, has read and checked it: collections and documents are made from it. */
export interface SiteSource {
  readonly content: () => Promise<SiteContent & { readonly brand: Brand }>;
  /** A capsule as its page shows it; `undefined` if there is none. */
  readonly capsule: (id: string) => Promise<(CapsuleEntry & Pick<FreeCapsule, 'versions'>) | undefined>;
  readonly documents: () => Promise<readonly DocumentFile[]>;
  /** Description of the API; `undefined` without one. */
  readonly openApi: () => Promise<ApiDocument | undefined>;
  /** How an agent buys here, step by step; empty where none can. */
  readonly purchase: () => Promise<readonly PurchaseStep[]>;
  /** Ids of the nearest capsules, where entries do not have them yet. */
  readonly related?: (id: string) => Promise<readonly string[]>;
  /** What a request of the development server itself shows. */
  readonly localsOf?: (request: Request) => Promise<Partial<App.Locals>>;
}

let current: SiteSource | undefined;

/**
 * Makes the site from a publication from now on; `provideSite` calls it in the copy of this module that Node holds.
 *
 * @public
 */
export function setSiteSource(source: SiteSource): void {
  current = source;
}

/** What the site is made from; `undefined` where Astro only writes types (`astro sync`). Node loads this module once: bundles import it as a file. */
export function siteSource(): SiteSource | undefined {
  return current;
}

/** Style sheets of the publication; `src/site/virtual-modules.ts` provides them. */
declare module 'virtual:look.css' {}
declare module 'virtual:theme.css' {}

/** The language of the interface, and its sentences by section; their placeholders and tags are those of the English ones. */
declare module 'virtual:strings' {
  const strings: { readonly language: string } & import('../text/strings/interface-strings.ts').InterfaceStrings;
  export = strings;
}

declare module 'virtual:copy-strings' {
  export const copy: string;
  export const copied: string;
}

declare module 'virtual:search-strings' {
  const strings: ReturnType<typeof import('./virtual-modules.ts').searchStrings>;
  export = strings;
}

declare module 'virtual:verify-strings' {
  const strings: ReturnType<typeof import('./virtual-modules.ts').verifyStrings>;
  export default strings;
}

interface ImportMetaEnv {
  /** Whether the module is part of functions. */
  readonly FUNCTIONS?: true;
  /** The path below which the site is, without a slash at its end; scripts write it before root-relative addresses. */
  readonly BASE_PATH: string;
}

declare namespace App {
  /** What every page shows; `src/site/middleware.ts` provides it. */
  interface Locals {
    readonly site: import('./collection-entries.ts').Site;
    /** Logo, icons and picture of links. */
    readonly brand: import('./read-brand.ts').Brand;
    /** The pages of the engine except guides, with titles in the language of the interface. */
    readonly enginePages: import('../documents/page-registry.ts').EnginePages;
    /** What pages show of the whole corpus; pages on demand have none. */
    readonly overview: import('./collection-entries.ts').CorpusOverview;
    /** What a page on demand shows, and nothing else. */
    readonly props: unknown;
    /** Execution context of a page on demand; its props become locals. */
    readonly cfContext?: { readonly props: Partial<Locals> };
    /** What a page of the preview shows; on the development server only. */
    readonly preview?: import('./dev/dev-server.ts').PreviewData;
  }
}

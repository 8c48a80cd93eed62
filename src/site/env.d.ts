/** Values of the build; `src/site/integration.ts` provides them. */
declare module 'virtual:site' {
  export const site: import('./site-content.ts').Site;
}

/** The OpenAPI document; `undefined` if the site has no API, and in `astro dev`. */
declare module 'virtual:openapi' {
  export const openApi: import('./api/api-document.ts').ApiDocument | undefined;
}

/** Logo, icons and picture of links; `src/site/brand/brand-plugin.ts` provides them. */
declare module 'virtual:brand' {
  export const brand: import('./brand/read-brand.ts').Brand;
}

/** Style sheets of the publication; `src/site/theme-plugin.ts` provides them. */
declare module 'virtual:look.css' {}
declare module 'virtual:theme.css' {}

declare namespace App {
  interface Locals {
    /** Execution context of a page on demand; its props are what the page shows. */
    readonly cfContext: { readonly props: unknown };
  }
}

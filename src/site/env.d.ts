/** What the build decided about the site; `src/site/integration.ts` provides it. */
declare module 'virtual:site' {
  export const site: import('./site-content.ts').Site;
}

/** The OpenAPI document of the API; `undefined` where there is none, or outside a build. */
declare module 'virtual:openapi' {
  export const openApi: import('./api/api-document.ts').ApiDocument | undefined;
}

declare namespace App {
  interface Locals {
    /** Execution context of a page on demand; its props are what the page shows. */
    readonly cfContext: { readonly props: unknown };
  }
}

/** Values of the build; `src/site/integration.ts` provides them. */
declare module 'virtual:site' {
  export const site: import('./site-content.ts').Site;
}

/** The OpenAPI document; `undefined` if the site has no API, and in `astro dev`. */
declare module 'virtual:openapi' {
  export const openApi: import('./api/api-document.ts').ApiDocument | undefined;
}

declare namespace App {
  interface Locals {
    /** Execution context of a page on demand; its props are what the page shows. */
    readonly cfContext: { readonly props: unknown };
    /** What a page of the preview shows; on the development server only. */
    readonly preview?: import('./dev/preview-data.ts').PreviewData;
  }
}

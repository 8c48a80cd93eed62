/** Values of the build; `src/site/integration.ts` provides them. */
declare module 'virtual:site' {
  export const site: import('./site-content.ts').Site;
}

/** The renderer of texts, which runs outside of the bundles of Astro. */
declare module 'virtual:render-markdown' {
  export const renderMarkdown: typeof import('./markdown/render-markdown.ts').renderMarkdown;
}

/** The publisher's text of a page, rendered outside of the bundles of Astro. */
declare module 'virtual:published-text' {
  export const publishedText: typeof import('./markdown/published-text.ts').publishedText;
}

/** The OpenAPI document; `undefined` if the site has no API, and in `astro dev`. */
declare module 'virtual:openapi' {
  export const openApi: import('./api/api-document.ts').ApiDocument | undefined;
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

/** Values of the build; `src/build/integration.ts` provides them. */
declare module 'virtual:site' {
  export const site: import('./site-content.ts').Site;
}

/** What pages of the build show of the whole corpus. Pages on demand must not import it. */
declare module 'virtual:overview' {
  export const overview: import('./corpus-overview.ts').CorpusOverview;
}

/** The renderer of the texts of capsules, which runs outside of the bundles of Astro. */
declare module 'virtual:render-article' {
  export const renderArticle: typeof import('./markdown/render-article.ts').renderArticle;
}

/** The renderer of texts, which runs outside of the bundles of Astro. */
declare module 'virtual:render-markdown' {
  export const renderMarkdown: typeof import('./markdown/render-markdown.ts').renderMarkdown;
}

/** Words that the site adds to a text, in its language: translations are files, which only Node reads. */
declare module 'virtual:text-labels' {
  export const textLabels: typeof import('./markdown/text-labels.ts').textLabels;
}

/** The publisher's text of a page, rendered outside of the bundles of Astro. */
declare module 'virtual:published-text' {
  export const publishedText: typeof import('./markdown/published-text.ts').publishedText;
}

/** The OpenAPI document; `undefined` if the site has no API. */
declare module 'virtual:openapi' {
  export const openApi: () => import('./api/api-document.ts').ApiDocument | undefined;
}

/** Logo, icons and picture of links. */
declare module 'virtual:brand' {
  export const brand: import('./brand/read-brand.ts').Brand;
}

/** Style sheets of the publication; `src/site/theme-plugin.ts` provides them. */
declare module 'virtual:look.css' {}
declare module 'virtual:theme.css' {}

/** The language of the interface, and its sentences by section; their placeholders and tags are those of the English ones. */
declare module 'virtual:strings' {
  type English = typeof import('../publication/strings/interface-strings.ts').ENGLISH;
  /** Language tag. */
  export const language: string;
  export const frame: English['frame'];
  export const pages: English['pages'];
  export const home: English['home'];
  export const terms: English['terms'];
  export const capsules: English['capsules'];
  export const lineage: English['lineage'];
  export const verification: English['verification'];
  export const paidText: English['paidText'];
  export const offers: English['offers'];
  export const orders: English['orders'];
  export const invoiceForm: English['invoiceForm'];
  export const refusals: English['refusals'];
  export const search: English['search'];
  export const errors: English['errors'];
  export const documentation: English['documentation'];
  export const texts: English['texts'];
}

/** The words of the button that copies code. */
declare module 'virtual:copy-strings' {
  export const copy: string;
  export const copied: string;
}

/** The sentences of the script of the search without functions. */
declare module 'virtual:search-strings' {
  type Sentences = ReturnType<typeof import('./search/search-strings.ts').searchStrings>;
  export const language: string;
  export const titleOfQuery: Sentences['titleOfQuery'];
  export const found: Sentences['found'];
  export const nothingFound: Sentences['nothingFound'];
}

/** The sentences of the script of the panel of verification. */
declare module 'virtual:verify-strings' {
  type Sentences = ReturnType<typeof import('./verify-strings.ts').verifyStrings>;
  export const meanings: Sentences['meanings'];
  export const noEd25519: Sentences['noEd25519'];
  export const notRunAfterFailure: Sentences['notRunAfterFailure'];
  export const fetching: Sentences['fetching'];
  export const checking: Sentences['checking'];
  export const allPassed: Sentences['allPassed'];
  export const allPassedUnsigned: Sentences['allPassedUnsigned'];
  export const allPassedButSignatures: Sentences['allPassedButSignatures'];
  export const notSigned: Sentences['notSigned'];
  export const failures: Sentences['failures'];
  export const notFetched: Sentences['notFetched'];
  export const noResponse: Sentences['noResponse'];
  export const notLoaded: Sentences['notLoaded'];
  export const foreignText: Sentences['foreignText'];
  export const nothingChecked: Sentences['nothingChecked'];
  export const verifyAgain: Sentences['verifyAgain'];
  export const tryAgain: Sentences['tryAgain'];
}

declare namespace App {
  interface Locals {
    /** Execution context of a page on demand; its props are what the page shows. */
    readonly cfContext: { readonly props: unknown };
    /** What a page of the preview shows; on the development server only. */
    readonly preview?: import('./dev/preview-data.ts').PreviewData;
  }
}

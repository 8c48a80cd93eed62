/** The module `virtual:strings` of an English site, for tests of modules of `src/site`. */
export * from '../../src/text/strings/english/capsules.ts';
export * from '../../src/text/strings/english/commerce.ts';
export * from '../../src/text/strings/english/site.ts';
export const language = 'en';

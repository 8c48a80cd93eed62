import { PATHS } from '../../../src/schemas/paths.ts';

/** The templates of pages, with what finds a page of each among the addresses of the sitemap. */
const TEMPLATES: Readonly<Record<string, RegExp>> = {
  home: /^\/$/,
  capsules: /^\/capsules$/,
  capsule: /^\/capsules\/[a-z0-9-]+$/,
  offers: /^\/buy$/,
  'buy page': /^\/buy\/[a-z0-9-]+$/,
  'docs guide': /^\/docs\/(?!api)[a-z0-9-]+$/,
  'API operation': /^\/docs\/api\/[a-zA-Z0-9-]+$/,
  problem: /^\/problems\/[a-z0-9_]+$/,
  status: /^\/status$/,
  contact: /^\/contact$/,
};

/** A page of a template. */
export interface CheckedPage {
  readonly template: string;
  readonly path: string;
}

/** The first page of each template that the sitemap of a site names. */
export async function checkedPages(origin: string): Promise<readonly CheckedPage[]> {
  const text = await (await fetch(`${origin}${PATHS.sitemap}`)).text();
  const paths = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => new URL(address).pathname);
  return Object.entries(TEMPLATES).flatMap(([template, pattern]) => {
    const path = paths.find((candidate) => pattern.test(candidate));
    return path === undefined ? [] : [{ template, path }];
  });
}

/** Entry of the compiled pages: Astro bundles it with all pages that are files, for Node. */

import { StaticPaths } from 'astro:static-paths';
import { createApp } from 'astro/app/entrypoint';

type SitePath = Awaited<ReturnType<InstanceType<typeof StaticPaths>['getAll']>>[number];

/** The pages of the site that is shown. */
export function sitePaths(): Promise<SitePath[]> {
  return new StaticPaths(app).getAll();
}

/** One of them. Pages do not read the address of the request. */
export function renderPath({ pathname, route }: SitePath): Promise<Response> {
  return app.render(new Request(new URL(pathname, 'https://pages.invalid')), { routeData: route });
}

const app = createApp();

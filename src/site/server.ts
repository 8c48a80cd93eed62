import { createApp } from 'astro/app/entrypoint';
import type { RenderPage } from '../http/page.ts';

let app: ReturnType<typeof createApp> | undefined;

/** Renders a page on demand; the entry of Astro's server output. */
export const renderPage: RenderPage = async (page, props) => {
  // Made with the first page, so that requests of the API do not wait for it.
  app ??= createApp({ streaming: false });
  const pattern = `/on-demand/${page}`;
  const routeData = app.manifest.routes.find((route) => route.routeData.route === pattern)?.routeData;
  if (routeData === undefined) throw new RangeError(`There is no page "${page}".`);
  const response = await app.render(new Request(new URL(pattern, 'http://pages.invalid')), { routeData, locals: { props } });
  if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
  return response.text();
};

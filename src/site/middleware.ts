import { defineMiddleware } from 'astro:middleware';

/** Gives every page what all pages show, as `Astro.locals`: files from the collection `publisher`, pages on demand with their request. */
export const onRequest = defineMiddleware(async ({ locals, request, isPrerendered }, next) => {
  // Functions hold no collections.
  if (import.meta.env.FUNCTIONS) Object.assign(locals, locals.cfContext?.props);
  else {
    const [{ sharedValues }, { siteSource }] = await Promise.all([import('./query-collections.ts'), import('./site-source.ts')]);
    Object.assign(locals, await sharedValues(), isPrerendered ? {} : await siteSource()?.localsOf?.(request));
  }
  return next();
});

import { httpAddress, isPrivateHost } from '../fetch-within-origin.ts';
import { attempt, type OpenOptions, type Source } from './import-source.ts';
import { linkResolver, rewriteLinks } from './rewrite-links.ts';
import { fetchImages, openSite } from './sources/read-site.ts';

/** Fetches the pictures of other sites that pages show, as the robots.txt of each allows; of private networks only the site that the user named. */
export async function fetchRemoteImages(source: Source, given: string, options: OpenOptions): Promise<Source> {
  const resolve = linkResolver(source.pages, source);
  const nowhere = { fileOf: () => ({ file: 'a', anchor: undefined }), imageOf: () => 'a' };
  // A text that cannot be parsed is reported when it is placed.
  const shown = source.pages.flatMap(
    (page) => attempt(() => rewriteLinks(page, page.text, resolve, nowhere).pictures, page.path, []) ?? [],
  );
  const remoteImages = new Map(source.remoteImages);
  const named = [given, options.site].map((address) => httpAddress(address)?.origin);
  const held = { bytes: source.imageBytes ?? 0 };
  for (const [origin, addresses] of Map.groupBy(new Set(shown), (address) => new URL(address).origin)) {
    const { hostname, host } = new URL(origin);
    const skip = (message: string): void => void source.skipped.push({ path: origin, line: 1, message });
    const isRefused = async (): Promise<boolean> => !named.includes(origin) && (await isPrivateHost(hostname));
    if (await isRefused()) {
      skip('is in a private network, and its pictures are not fetched');
      continue;
    }
    const site = await openSite(origin, options.requestsPerSecond).catch((error: unknown) =>
      skip((error instanceof Error ? error.message : String(error)).replace(`${origin} `, '')),
    );
    if (site === undefined) continue;
    // What a name stands for may change between two requests.
    const fetchImage: typeof site.fetchImage = async (url) =>
      (await isRefused()) ? { problem: 'is in a private network' } : await site.fetchImage(url);
    for (const [address, { path, read }] of await fetchImages(new Set(addresses), { origin, fetchImage }, source.skipped, options, held))
      remoteImages.set(address, { path: `${host}/${path}`, read });
  }
  return { ...source, remoteImages, copiesRemoteImages: true };
}

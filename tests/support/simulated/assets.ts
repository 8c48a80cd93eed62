import { type StoreWeather, throughWeather } from './faults.ts';
import type { SimulatedTime } from './time.ts';

/** Static files of a deploy by their paths; what is not there is answered with 404, and everything else as it was built. */
export function simulatedAssets(time: SimulatedTime, files: ReadonlyMap<string, Uint8Array>, weather: StoreWeather = {}): Fetcher {
  return {
    fetch: (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return throughWeather({ store: 'assets', operation: 'fetch', what: [pathname] }, weather, time, 'the files cannot be reached', () => {
        const bytes = files.get(pathname);
        return bytes === undefined ? new Response('not found', { status: 404 }) : new Response(bytes.slice());
      });
    },
  };
}

import type { BlockStore, Timers } from '../../gateway/ports.ts';
import { blockPath } from '../../schemas/paths.ts';
import { FILES_DEADLINE_MS, withinDeadline } from '../deadline.ts';

/** Host of the addresses that the binding is asked for; it looks at the path alone. */
const ANY_HOST = 'https://assets.local';

/** Blocks among the static files of the deploy: reading them is no operation of any store and costs nothing. */
export function assetBlockStore(assets: Fetcher, timers: Timers): BlockStore {
  return {
    read: async (sha256) => {
      const response = await assets.fetch(`${ANY_HOST}${blockPath(sha256)}`);
      if (response.status === 200)
        return new Uint8Array(await withinDeadline(() => response.arrayBuffer(), FILES_DEADLINE_MS, 'the bytes of a block', timers));
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw new Error(`the file of a block was answered with ${response.status}`);
    },
  };
}

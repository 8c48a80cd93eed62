import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PUBLICATION } from '../../../support/paths.ts';
import { capsule, writeWorld } from '../../publication/content-world.ts';

/**
 * A publication in a temporary folder, small because acceptance checks all of it: the capsule `retry-after` of the sample, which proposals
 * of tests correct, without its relations to others, and a capsule `bm25`.
 */
export async function smallContent(): Promise<string> {
  const text = await readFile(join(PUBLICATION, 'content/capsules/retry-after.md'), 'utf8');
  const alone = text.replace(/^(?:derived_from|cites): .*\n/gm, '').replace(/\[([^\]\n]+)\]\(\/capsules\/[^)\n]*\)/g, '$1');
  return writeWorld({
    'capsules/retry-after.md': alone,
    'capsules/bm25.md': capsule({ title: 'Another capsule for tests' }),
    'capsules/versions/SHA256SUMS': '',
  });
}

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { MemoryCache } from '../../../src/publication/build-cache.ts';
import { InvalidContentError } from '../../../src/publication/content-problem.ts';
import { VERSIONS_FOLDER } from '../../../src/publication/frozen-versions.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { PLANTED, type PlantOptions, plantPaidCapsule } from '../../support/paid-content.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';

const memory = new MemoryCache();

export async function plantedContent(options: PlantOptions, baseUrl = TEST_BASE_URL): Promise<AuthoredContent> {
  const root = await mkdtemp(join(tmpdir(), 'akg-paid-'));
  try {
    await cp(join(PUBLICATION, 'content'), join(root, 'content'), { recursive: true });
    await plantPaidCapsule(root, options);
    memory.forget([`content/capsules/${PLANTED}.md`, `${VERSIONS_FOLDER}/${PLANTED}/1.0.0.md`]);
    const read = await readContent(root, { today: '2026-11-22', baseUrl, memory });
    if (read.content === undefined) throw new InvalidContentError(read.problems);
    return read.content;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

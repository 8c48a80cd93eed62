import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundleLine } from '../../provenance/verify/documents.ts';
import { readJson } from '../../provenance/verify/documents.ts';

const LINE_FEED = 0x0a;

/** A folder for the parts of bundles that are downloaded, removed when the process ends. */
export async function temporaryPartsFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-bundle-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a part of a bundle into a folder, and returns its path. */
export async function keepPart(folder: string, number: number, part: Uint8Array): Promise<string> {
  const path = join(folder, `${number}.ndjson`);
  await writeFile(path, part);
  return path;
}

/** The parts of a bundle as files. Only one part is in memory at a time. */
export class BundleFiles {
  readonly #paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** Number of parts. */
  get length(): number {
    return this.#paths.length;
  }

  /** The bytes of each part, in order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const path of this.#paths) yield readFile(path);
  }

  /** Finds the capsules. Call it only if all checks of the manifest hold, because lines may have any form otherwise. */
  async capsules(): Promise<BundledCapsules> {
    const places = new Map<string, LinePlace>();
    for (const path of this.#paths) {
      const part = await readFile(path);
      for (let start = 0; start < part.length; ) {
        const end = part.indexOf(LINE_FEED, start);
        const line = part.subarray(start, end < 0 ? part.length : end);
        if (line.length > 0) places.set((readJson(line) as BundleLine).lineage.id, { path, start, length: line.length });
        start = end < 0 ? part.length : end + 1;
      }
    }
    return new BundledCapsules(places);
  }
}

/** A capsule in a bundle. */
export interface BundledCapsule {
  readonly lineage: BundleLine['lineage'];
  /** Free texts, by the `canonical` address of their records. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Where the line of a capsule is. */
interface LinePlace {
  readonly path: string;
  /** First byte in the file. */
  readonly start: number;
  /** In bytes, without the line feed. */
  readonly length: number;
}

/** The capsules of a bundle by id, each read from its file when it is asked for. */
export class BundledCapsules {
  readonly #places: ReadonlyMap<string, LinePlace>;

  constructor(places: ReadonlyMap<string, LinePlace>) {
    this.#places = places;
  }

  get size(): number {
    return this.#places.size;
  }

  /** All ids, in the order of the bundle. */
  ids(): string[] {
    return [...this.#places.keys()];
  }

  get(id: string): BundledCapsule | undefined {
    const place = this.#places.get(id);
    return place && capsuleOf(readLine(place));
  }

  /** The lineage of every capsule, one after the other. */
  *lineages(): Generator<BundleLine['lineage']> {
    for (const place of this.#places.values()) yield readLine(place).lineage;
  }
}

function readLine({ path, start, length }: LinePlace): BundleLine {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, length, start);
  } finally {
    closeSync(file);
  }
  return readJson(bytes) as BundleLine;
}

function capsuleOf({ lineage, texts }: BundleLine): BundledCapsule {
  const free = lineage.versions.flatMap(({ record }, at) => {
    const markdown = texts[at]?.markdown;
    return typeof markdown === 'string' ? [[record.canonical, markdown] as const] : [];
  });
  return { lineage, texts: Object.fromEntries(free) };
}

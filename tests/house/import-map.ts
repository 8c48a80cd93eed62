import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

/** What one room may import: whole rooms of ours, single files of others, and packages. */
interface Room {
  readonly rooms: readonly string[];
  /** Files of rooms that are otherwise closed. */
  readonly files?: readonly string[];
  /** Packages, by pattern; `undefined` allows any. */
  readonly packages?: RegExp;
}

const ROUTE_DATA = ['src/routes/table.ts', 'src/routes/define-route.ts'];
const NO_PACKAGE = /^$/;
/** Rooms that run in workerd without `nodejs_compat`: nothing of Node. */
const NOT_NODE = /^(?!node:)/;

/** DESIGN.md, section 3, as data. Every room may import itself. */
export const IMPORT_MAP: Readonly<Record<string, Room>> = {
  functions: {
    rooms: ['platform', 'routes', 'documents'],
    files: [
      'src/gateway/knowledge/corpus.ts',
      'src/gateway/knowledge/start-ranking.ts',
      'src/schemas/deployment.ts',
      'src/search/kernel/kernel.wasm',
    ],
    packages: /^#generated$/,
  },
  schemas: { rooms: [], packages: /^(zod|spdx-license-ids\/(index|deprecated)\.json)$/ },
  search: { rooms: [], packages: NOT_NODE },
  provenance: { rooms: [], packages: NOT_NODE },
  lint: { rooms: [], packages: /^(mdast|mdast-util-from-markdown|mdast-util-gfm|micromark-extension-gfm)$/ },
  catalog: { rooms: ['schemas'], packages: NO_PACKAGE },
  authoring: { rooms: ['catalog', 'lint', 'provenance', 'schemas'] },
  gateway: { rooms: ['search', 'lint', 'provenance', 'catalog', 'schemas'], packages: NO_PACKAGE },
  routes: { rooms: ['gateway', 'schemas'], packages: /^(zod|hono)$/ },
  companion: { rooms: ['platform', 'gateway', 'schemas'], packages: NO_PACKAGE },
  platform: { rooms: ['gateway', 'schemas'], packages: NOT_NODE },
  documents: { rooms: ['catalog', 'gateway', 'schemas'], files: ROUTE_DATA, packages: NOT_NODE },
  site: {
    rooms: ['authoring', 'documents', 'catalog', 'lint', 'search', 'provenance', 'schemas'],
    files: [...ROUTE_DATA, 'src/gateway/errors.ts'],
  },
  publish: {
    rooms: ['platform', 'gateway', 'authoring', 'documents', 'catalog', 'lint', 'search', 'provenance', 'schemas'],
    files: ROUTE_DATA,
  },
};

/** Packages that only some files may import. */
const RESTRICTED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  hono: ['src/routes/mount.ts'],
  '@noble/hashes': ['src/provenance/keccak256.ts', 'src/search/build/pack-sections.ts'],
};

/** Room of a file, or `undefined` if it stands in none. */
export function roomOf(path: string): string | undefined {
  const [top, second, ...rest] = path.split('/');
  const room = top === 'functions' ? 'functions' : rest.length > 0 && top === 'src' ? second : undefined;
  return room !== undefined && Object.hasOwn(IMPORT_MAP, room) ? room : undefined;
}

/** Every forbidden edge and every file in no room, as `file:line reason`. */
export function checkImports(files: readonly SourceFile[]): { violations: string[]; edges: number } {
  const violations: string[] = [];
  let edges = 0;
  for (const file of files) {
    const room = roomOf(file.path);
    if (room === undefined) {
      violations.push(`${file.path}:1 stands in no room`);
      continue;
    }
    for (const { specifier, line } of importsOf(file)) {
      edges += 1;
      const problem = specifier.startsWith('.') ? ownEdge(file.path, room, specifier) : packageEdge(file.path, room, specifier);
      if (problem !== undefined) violations.push(`${file.path}:${line} ${problem}`);
    }
  }
  return { violations, edges };
}

function ownEdge(path: string, room: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''));
  const targetRoom = roomOf(target);
  if (targetRoom === room || IMPORT_MAP[room]?.files?.includes(target)) return undefined;
  if (targetRoom === undefined) return `imports ${target}, which stands in no room`;
  return IMPORT_MAP[room]?.rooms.includes(targetRoom) ? undefined : `imports ${target}: ${room} may not import ${targetRoom}`;
}

function packageEdge(path: string, room: string, specifier: string): string | undefined {
  const [head = '', next = ''] = specifier.split('/');
  const name = head.startsWith('@') ? `${head}/${next}` : head;
  const importers = RESTRICTED_PACKAGES[name];
  if (importers !== undefined && !importers.includes(path)) return `imports ${specifier}, which only ${importers.join(' and ')} may`;
  const allowed = IMPORT_MAP[room]?.packages;
  return allowed === undefined || allowed.test(specifier) ? undefined : `imports ${specifier}: no package for ${room}`;
}

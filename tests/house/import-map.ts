import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

interface Room {
  readonly rooms: readonly string[];
  /** Packages, by pattern; `undefined` allows any. */
  readonly packages?: RegExp;
}

const NO_PACKAGE = /^$/;
/** Rooms that run in workerd without `nodejs_compat`: nothing of Node. */
const NOT_NODE = /^(?!node:)/;
const FOUNDATIONS = ['schemas', 'search', 'provenance'];
/** What run time may import: nothing of `publication`, which reads and checks files. */
const DOMAIN = [...FOUNDATIONS, 'text', 'gateway'];
const SERVICE = [...DOMAIN, 'http', 'protocols', 'routes'];

/** The map of docs/architecture.md as data, from the ground floor up. Every room may import itself; none imports upwards. */
export const IMPORT_MAP: Readonly<Record<string, Room>> = {
  // Types of what is signed, which schemas check.
  schemas: { rooms: ['provenance'], packages: /^(zod|spdx-license-ids\/(index|deprecated)\.json)$/ },
  search: { rooms: [], packages: NOT_NODE },
  provenance: { rooms: [], packages: NOT_NODE },
  text: { rooms: FOUNDATIONS, packages: NOT_NODE },
  publication: { rooms: [...FOUNDATIONS, 'text'] },
  gateway: { rooms: [...FOUNDATIONS, 'text'], packages: NO_PACKAGE },
  // search: nearest names; provenance: bytes and digests, which have one owner, at the bottom.
  http: { rooms: ['schemas', 'search', 'provenance', 'gateway'], packages: /^(zod|hono(\/.+)?)$/ },
  protocols: { rooms: [...DOMAIN, 'http'], packages: /^(?:zod|@modelcontextprotocol\/server(\/ext\/skills)?)$/ },
  routes: { rooms: [...DOMAIN, 'http', 'protocols'], packages: /^zod$/ },
  documents: { rooms: [...SERVICE, 'publication'], packages: NOT_NODE },
  platform: { rooms: ['schemas', 'provenance', 'gateway'], packages: NOT_NODE },
  // What a publisher reads and does, by command and in the dashboard.
  administration: { rooms: [...DOMAIN, 'platform'], packages: NO_PACKAGE },
  // Types of the schemas, the verifier, and the paths of routes, which its bundle has as values.
  client: { rooms: ['schemas', 'provenance', 'http', 'routes'], packages: /^zod$/ },
  site: { rooms: [...SERVICE, 'publication', 'documents'] },
  functions: { rooms: [...SERVICE, 'platform', 'administration'], packages: NO_PACKAGE },
  build: { rooms: [...SERVICE, 'publication', 'documents', 'platform', 'site'] },
  // Makes the npm package of the engine, and files that are made of others; not part of it.
  'npm-package': { rooms: ['search', 'client', 'build'] },
  cli: { rooms: [...SERVICE, 'publication', 'documents', 'platform', 'administration', 'build'] },
};

const RESTRICTED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  hono: ['src/http'],
  '@noble/secp256k1': ['src/provenance/ethereum-signatures.ts'],
  '@noble/hashes': ['src/provenance/canonical-json.ts', 'src/search/build/build-index.ts', 'src/documents/well-known-documents.ts'],
};

/** Stages of `publication`: each imports only earlier ones. */
const STAGES = ['read', 'defaults', 'check', 'resolve', 'publish'];

export function roomOf(path: string): string | undefined {
  const [top, second, ...rest] = path.split('/');
  const room = rest.length > 0 && top === 'src' ? second : undefined;
  return room !== undefined && Object.hasOwn(IMPORT_MAP, room) ? room : undefined;
}

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
  if (targetRoom === room) return stageOf(target) > stageOf(path) && stageOf(path) >= 0 ? `imports ${target}, a later stage` : undefined;
  if (targetRoom === undefined) return `imports ${target}, which stands in no room`;
  return IMPORT_MAP[room]?.rooms.includes(targetRoom) ? undefined : `imports ${target}: ${room} may not import ${targetRoom}`;
}

function stageOf(path: string): number {
  const [, room, folder = ''] = path.split('/');
  return room === 'publication' ? STAGES.indexOf(folder) : -1;
}

function packageEdge(path: string, room: string, specifier: string): string | undefined {
  const [head = '', next = ''] = specifier.split('/');
  const name = head.startsWith('@') ? `${head}/${next}` : head;
  const importers = RESTRICTED_PACKAGES[name];
  if (importers !== undefined && !importers.some((place) => path === place || path.startsWith(`${place}/`)))
    return `imports ${specifier}, which only ${importers.join(' and ')} may`;
  const allowed = IMPORT_MAP[room]?.packages;
  return allowed === undefined || allowed.test(specifier) ? undefined : `imports ${specifier}: no package for ${room}`;
}

/** Folders of `src/gateway` from the ground up, `''` for its own files. Each may import itself and those before it. */
const GATEWAY_FOLDERS = [
  '',
  'idempotency',
  'limits',
  'knowledge',
  'intake',
  'agents',
  'commerce/catalog',
  'commerce/cart',
  'commerce/payments',
  'commerce/orders',
];

const PORT_GROUND = /^src\/(schemas\/.+|provenance\/.+|gateway\/(result|platform-ports|([a-z]+\/)+[a-z]+-ports)\.ts)$/;

/** Imports inside the gateway that go up its folders, and imports of ports that are not types of ports or of the ground floor. */
export function checkGatewayImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (!file.path.startsWith('src/gateway/')) return [];
    const isPort = /(^|[/-])ports\.ts$/.test(file.path);
    const level = gatewayLevel(file.path);
    if (level < 0) return [`${file.path}:1 stands in a folder that GATEWAY_FOLDERS does not name`];
    return importsOf(file).flatMap(({ specifier, line }) => {
      const target = posix.join(posix.dirname(file.path), specifier);
      if (isPort && !PORT_GROUND.test(target)) return `${file.path}:${line} imports ${target}: a port imports types of ports only`;
      return target.startsWith('src/gateway/') && gatewayLevel(target) > level
        ? `${file.path}:${line} imports ${target}, which stands above`
        : [];
    });
  });
}

function gatewayLevel(path: string): number {
  const folder = posix.dirname(path).replace(/^src\/gateway\/?/, '');
  return GATEWAY_FOLDERS.findLastIndex((name) => folder === name || (name !== '' && folder.startsWith(`${name}/`)));
}

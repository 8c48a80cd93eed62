import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type BundleLine, readJson } from '../../provenance/verify/verification-types.ts';
import type { Proof } from '../../provenance/verify/verify.ts';
import { capsuleApiPath, capsuleFilePath, lineageApiPath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { httpAddress, UnreadableError } from '../fetch-within-origin.ts';
import {
  forEachConcurrently,
  isLoopback,
  type Loose,
  looseObject,
  looseObjects,
  partsOf,
  readLoosely,
  readNamedFile,
  readOrNote,
  recordsOf,
  SiteReader,
} from './site-reader.ts';

const MANIFEST_FILE = 'manifest.json';

export interface GatheredProof {
  readonly proof: Pick<Proof, 'kind' | 'id' | 'texts'> & Readonly<{ document: Uint8Array; lineages?: Named; parts?: BundleFiles }>;
  readonly unread: readonly string[];
}

type Named = Record<string, Uint8Array>;

interface ProofSource {
  /** Lineage of a capsule, with the address that a document states; `isOnly` if it has no other capsules. */
  readonly lineage: (id: string, address: unknown, isOnly: boolean) => Promise<Uint8Array | undefined>;
  readonly text: (record: Loose, isOnly: boolean) => Promise<Uint8Array | undefined>;
  readonly siteText: (address: URL) => Promise<Uint8Array>;
  /** Path of a part of a bundle, as a file that can be read. */
  readonly part: (uri: unknown, number: number) => Promise<string>;
}

export async function gatherProof(target: string, manifest: string | undefined): Promise<GatheredProof> {
  const url = httpAddress(target);
  return url ? gatherFromSite(url, manifest) : gatherFromFile(target, manifest);
}

export async function readNamed(name: string): Promise<Uint8Array> {
  const url = httpAddress(name);
  return url ? new SiteReader(url.origin).read(url) : readNamedFile(name);
}

async function gatherFromSite(url: URL, manifest: string | undefined): Promise<GatheredProof> {
  const { basePath, ...addressed } = documentAt(url.pathname);
  const site = new SiteReader(url.origin + basePath);
  let folder: Promise<string> | undefined;
  const source: ProofSource = {
    // The address in the document names the host that it was built for; another host may serve it.
    lineage: (id) => site.read(lineageFilePath(id)),
    text: (record) => readFreeText(site, record),
    siteText: ({ pathname }) => site.read(new URL(pathname, url)),
    part: async (uri, number) => {
      folder ??= temporaryPartsFolder();
      const path = join(await folder, `${number}.ndjson`);
      await writeFile(path, await site.read(rootRelative(uri)));
      return path;
    },
  };
  if (!url.pathname.endsWith('.ndjson')) return gather(await site.read(url), addressed, source);
  const document = manifest === undefined ? await site.read(new URL(MANIFEST_FILE, url)) : await readNamed(manifest);
  return gatherBundle(document, url.pathname, source);
}

async function gatherFromFile(path: string, manifest: string | undefined): Promise<GatheredProof> {
  const folder = dirname(path);
  let site: SiteReader | undefined;
  const source: ProofSource = {
    lineage: async (_, address, isOnly) => {
      const local = isOnly ? await readFile(join(folder, 'lineage.json')).catch(() => undefined) : undefined;
      const url = httpAddress(address);
      if (local !== undefined || url === undefined) return local;
      site ??= new SiteReader(url.origin + documentAt(url.pathname).basePath);
      return site.read(url);
    },
    text: async ({ version, canonical }, isOnly) => {
      if (!isOnly) return site?.read(rootRelative(canonical));
      return /^\d+\.\d+\.\d+$/.test(String(version)) ? readFile(join(folder, `${version}.md`)).catch(() => undefined) : undefined;
    },
    siteText: (address) => {
      site ??= new SiteReader(address.origin);
      return site.read(address);
    },
    part: async (uri) => {
      const path = join(folder, basename(String(uri)));
      await readNamedFile(path);
      return path;
    },
  };
  if (!path.endsWith('.ndjson')) return gather(await readNamedFile(path), {}, source);
  return gatherBundle(await readNamed(manifest ?? join(folder, MANIFEST_FILE)), path, source);
}

/** The exact text that a record names; `undefined` if the site says that it is sold. @throws {UnreadableError} If it cannot be read. */
async function readFreeText(site: SiteReader, { id, canonical }: Loose): Promise<Uint8Array | undefined> {
  try {
    return await site.read(rootRelative(canonical));
  } catch (error) {
    const capsule = await site.read(capsuleFilePath(String(id))).catch(() => new Uint8Array());
    if (readLoosely(capsule)['access'] === 'paid') return undefined;
    throw error;
  }
}

/** The exact texts of records by their addresses, without those that are sold. */
export async function readFreeTexts(site: SiteReader, records: readonly Loose[]): Promise<Named> {
  const texts: [string, Uint8Array | undefined][] = [];
  // A loop, because the standalone checker also runs on Node 20, which has no Array.fromAsync.
  for (const record of records) texts.push([String(record['canonical']), await readFreeText(site, record)]);
  return named(texts);
}

function rootRelative(address: unknown): string {
  if (typeof address === 'string' && /^\/(?![/\\])/.test(address)) return address;
  throw new UnreadableError(`${JSON.stringify(address)}: is not an address on the same site, so it was not requested`);
}

async function gather(document: Uint8Array, addressed: Pick<Proof, 'kind' | 'id'>, source: ProofSource): Promise<GatheredProof> {
  const loose = readLoosely(document);
  const unread: string[] = [];
  const reading = <T>(read: () => Promise<T>) => readOrNote(unread, read);
  const textsOf = async (records: readonly Loose[], isOnly: boolean): Promise<Named> => {
    const texts = await forEachConcurrently(
      records,
      async (record) => [String(record['canonical']), await reading(() => source.text(record, isOnly))] as const,
    );
    return named(texts);
  };
  const proof = { document, ...addressed };
  if ('statement' in loose) {
    const parts = await forEachConcurrently([...partsOf(loose).entries()], ([number, { uri }]) => reading(() => source.part(uri, number)));
    const readable = parts.filter((part) => part !== undefined);
    return { proof: readable.length > 0 || parts.length === 0 ? { ...proof, parts: bundleFiles(readable) } : proof, unread };
  }
  const items = 'results' in loose ? looseObjects(loose['results']) : 'capsule_id' in loose ? [loose] : undefined;
  if (items === undefined) {
    const texts = await textsOf(recordsOf(loose), true);
    const missing = recordsOf(loose).filter(({ canonical }) => !(String(canonical) in texts));
    // No texts: a lineage by itself. Some but not all: an incomplete copy.
    if (Object.keys(texts).length > 0 && unread.length === 0)
      unread.push(...missing.map(({ version }) => `the exact text of version ${String(version)} is missing in the folder of the lineage`));
    return { proof: { ...proof, texts }, unread };
  }
  // Guides, offers and errors have no lineage.
  const capsules = items.filter(({ capsule_id }) => capsule_id !== undefined);
  const others = items.filter(({ capsule_id }) => capsule_id === undefined);
  const addresses = new Map(
    capsules.map((item) => [`${item['capsule_id']}`, item['lineage_url'] ?? looseObject(item['links'])['lineage']]),
  );
  const lineages = named(
    await forEachConcurrently(
      [...addresses],
      async ([id, address]) => [id, await reading(() => source.lineage(id, address, !('results' in loose)))] as const,
    ),
  );
  if (!('results' in loose)) return { proof: { ...proof, lineages }, unread };
  // A result whose text is sold quotes its summary.
  const ofTexts = capsules.filter(({ access }) => access !== 'paid');
  const quoted = new Set(ofTexts.map((item) => `${item['capsule_id']} ${item['version']}`));
  const records = Object.entries(lineages).flatMap(([id, lineage]) =>
    recordsOf(readLoosely(lineage)).filter(({ version }) => quoted.has(`${id} ${version}`)),
  );
  const textsOfOthers = await forEachConcurrently(others, async ({ markdown_url: stated }) => {
    const address = httpAddress(stated);
    return [address?.pathname ?? '', address && (await reading(() => source.siteText(address)))] as const;
  });
  const texts = { ...(await textsOf(records, false)), ...named(textsOfOthers) };
  return { proof: { ...proof, lineages, texts }, unread };
}

async function gatherBundle(manifest: Uint8Array, part: string, source: ProofSource): Promise<GatheredProof> {
  const { proof, unread } = await gather(manifest, { kind: 'manifest' }, source);
  if (partsOf(readLoosely(manifest)).some(({ uri }) => basename(String(uri)) === basename(part))) return { proof, unread };
  return { proof, unread: [...unread, `${part}: is not among the parts of the manifest`] };
}

const named = (entries: readonly (readonly [string, Uint8Array | undefined])[]): Named =>
  Object.fromEntries(entries.filter((entry): entry is readonly [string, Uint8Array] => entry[1] !== undefined));

const BLANK = '*';
const CAPSULE_ADDRESSES: readonly (readonly [NonNullable<Proof['kind']>, (id: string) => string])[] = [
  ['lineage', lineageFilePath],
  ['lineage', lineageApiPath],
  ['capsule', capsuleFilePath],
  ['capsule', capsuleApiPath],
];

function documentAt(pathname: string): Pick<Proof, 'kind' | 'id'> & { readonly basePath: string } {
  if (pathname.endsWith(PATHS.mirrorManifest)) return { kind: 'manifest', basePath: pathname.slice(0, -PATHS.mirrorManifest.length) };
  const part = pathname.lastIndexOf(`${PATHS.mirror}/`);
  if (part > 0 && pathname.endsWith('.ndjson')) return { basePath: pathname.slice(0, part) };
  for (const [kind, pathOf] of CAPSULE_ADDRESSES) {
    const [before = '', after = ''] = pathOf(BLANK).split(BLANK);
    const from = pathname.lastIndexOf(before);
    const id = pathname.slice(from + before.length, pathname.length - after.length);
    if (from >= 0 && pathname.endsWith(after) && /^[^/]+$/.test(id)) return { kind, id, basePath: pathname.slice(0, from) };
  }
  return { basePath: '' };
}

/** The address of the site that an address means, without a slash at its end; `undefined` for that of a document. */
export function siteAt({ origin, pathname, search }: URL): string | undefined {
  const isDocument = search !== '' || documentAt(pathname).kind !== undefined || /\.[^/]*$|\/api\//.test(pathname);
  return isDocument ? undefined : origin + pathname.replace(/\/$/, '');
}

/** Address of the document of a did:web (did:web method, section 3.2): https, or http on this machine. */
function didAddress(did: string): string {
  const [authority = '', ...folders] = did.slice('did:web:'.length).split(':');
  const path = folders.length > 0 ? `/${folders.join('/')}/did.json` : PATHS.did;
  const host = authority.replace(/%3A/i, ':');
  const url = /^[\w.-]+(:\d+)?$/.test(host) ? httpAddress(`https://${host}${path}`) : undefined;
  // With a query, a fragment or dot segments, the address would name another document.
  if (url === undefined || url.pathname !== path || url.search + url.hash !== '') throw new UnreadableError(`${did}: is not a did:web`);
  return isLoopback(url.hostname) ? url.href.replace('https', 'http') : url.href;
}

/**
 * Reads trusted keys: a JWK Set or a DID document in a file or at an address, or the document of a did:web.
 *
 * @throws {UnreadableError} If it cannot be read, its address is not https, or it is the document of another DID.
 */
export async function readTrustNamed(name: string): Promise<Uint8Array> {
  if (name.startsWith('did:')) {
    if (!name.startsWith('did:web:')) throw new UnreadableError(`${name}: only did:web is supported`);
    const document = await readNamed(didAddress(name));
    if (readLoosely(document)['id'] !== name) throw new UnreadableError(`${name}: its document belongs to another DID`);
    return document;
  }
  const url = httpAddress(name);
  if (url?.protocol === 'http:' && !isLoopback(url.hostname)) throw new UnreadableError(`${name}: keys must come from an https address`);
  return readNamed(name);
}

export function identityOf(trust: Uint8Array): string | undefined {
  const { keys, issuer, id } = looseObject(readLoosely(trust));
  const identity = keys === undefined ? id : issuer;
  return typeof identity === 'string' ? identity : undefined;
}

const LINE_FEED = 0x0a;

async function temporaryPartsFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-bundle-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type BundleFiles = ReturnType<typeof bundleFiles>;

/** The parts of a bundle as files. Only one part is in memory at a time. */
export function bundleFiles(paths: readonly string[]) {
  return {
    length: paths.length,

    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      for (const path of paths) yield readFile(path);
    },

    /** Finds the capsules. Call it only if all checks of the manifest hold, because lines may have any form otherwise. */
    async capsules(): Promise<BundledCapsules> {
      const capsules = new Map<string, () => BundledCapsule>();
      for (const path of paths) {
        const part = await readFile(path);
        for (let start = 0; start < part.length; ) {
          const end = part.indexOf(LINE_FEED, start);
          const line = part.subarray(start, end < 0 ? part.length : end);
          const [from, length] = [start, line.length];
          if (length > 0) capsules.set((readJson(line) as BundleLine).lineage.id, () => capsuleOf(readLine(path, from, length)));
          start = end < 0 ? part.length : end + 1;
        }
      }
      return capsules;
    },
  };
}

export interface BundledCapsule {
  readonly lineage: BundleLine['lineage'];
  /** Free texts, by the `canonical` address of their records. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The capsules of a bundle by id, each read from its file when it is asked for. */
export type BundledCapsules = ReadonlyMap<string, () => BundledCapsule>;

function readLine(path: string, start: number, length: number): BundleLine {
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

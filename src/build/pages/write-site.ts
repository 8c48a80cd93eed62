import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import {
  fileRewrites,
  formerAddresses,
  formerRedirects,
  headerRules,
  headersFile,
  mergeHeaders,
  type PagePolicy,
  redirectsFile,
  routesFile,
} from '../../documents/headers-and-redirects.ts';
import { serverFiles } from '../../documents/nginx-caddy-s3.ts';
import { statedTitle, stateWords } from '../../gateway/knowledge/capsule-status-sentences.ts';
import type { BuildCache, CachedResults } from '../../publication/build-cache.ts';
import { PUBLIC_FOLDER } from '../../publication/check/check-look-and-theme.ts';
import type { MediaFile } from '../../publication/read/media-file.ts';
import { routeTable } from '../../routes/route-table.ts';
import { EVIDENCE_LEVELS } from '../../schemas/knowledge/kinds-and-levels.ts';
import { basePathOf, capsuleImagePath, pageFilePath, pageMarkdownPath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { type CapsuleImage, capsuleImage, readBrand, socialPng } from '../../site/read-brand.ts';
import type { DocumentFile, Publication } from '../../text/publication-model.ts';
import { ignoreMissing } from '../atomic-build-output.ts';
import { BUILD_FOLDER } from '../corpus-blocks/generation-store.ts';
import { type MainText, pageMarkdown } from './markdown-from-html.ts';
import { placeAddresses, type SitePlace } from './rewrite-addresses.ts';

interface MadePages {
  readonly folder: string;
  readonly pages: readonly string[];
  /** Days of the last changes of pages, `YYYY-MM-DD`, by address. */
  readonly changes: ReadonlyMap<string, string>;
  /** Addresses of documents, which no file of the publication replaces: digests and headers are of theirs. */
  readonly documents: ReadonlySet<string>;
  readonly place: SitePlace;
}

/** What the pictures of the capsules of a publication show, by id. */
export function capsuleImages({ capsules, interfaceLanguage }: Publication): ReadonlyMap<string, CapsuleImage> {
  const { tag, strings } = interfaceLanguage;
  const words = stateWords(tag, strings.capsules, strings.terms);
  return new Map(
    capsules.map(({ id, metadata }) => {
      const isRetracted = metadata.status === 'retracted';
      const level = EVIDENCE_LEVELS.indexOf(metadata.evidence) + 1;
      const evidence = isRetracted ? {} : { evidence: { level, label: String(strings.terms[`evidence_${metadata.evidence}`]) } };
      return [id, { title: statedTitle(metadata, words), isRetracted, ...evidence }];
    }),
  );
}

/** What a publication shows of itself on every page, and what finishes a site once Astro has written its pages: markdown pages, icons, and `public/`. */
export async function openPages(root: string, publisher: Publisher, images: ReadonlyMap<string, CapsuleImage>, cache: BuildCache) {
  const { brand, files } = await readBrand(root, publisher, images.size);
  return {
    brand,
    finish: async (made: MadePages): Promise<void> => {
      const { folder, documents } = made;
      await finishPages(made, cache.results<MainText>('main-texts'));
      for (const [path, bytes] of files) await writeAt(folder, path, bytes);
      if (brand.hasCapsuleImages) await writeImages(folder, publisher, images, cache.results<Uint8Array>('capsule-images'));
      cache.save();
      // The publication's own files win over pages.
      const own = join(root, PUBLIC_FOLDER);
      const isPublished = (path: string): boolean =>
        basename(path) !== '.gitkeep' && !documents.has(`/${relative(own, path).split(sep).join('/')}`);
      await cp(own, folder, { recursive: true, filter: isPublished }).catch(ignoreMissing);
    },
  };
}

async function writeImages(
  folder: string,
  publisher: Publisher,
  images: ReadonlyMap<string, CapsuleImage>,
  cached: CachedResults<Uint8Array>,
): Promise<void> {
  for (const [id, image] of images) {
    const shown = JSON.stringify([image, publisher.name, publisher.base_url, publisher.look]);
    const known = cached.get(shown);
    const png = known ?? (await socialPng(await capsuleImage(image, publisher)));
    if (png === undefined) return;
    if (known === undefined) cached.set(shown, png);
    await writeAt(folder, capsuleImagePath(id), png);
  }
}

async function finishPages({ folder, pages: paths, changes, place }: MadePages, cached: CachedResults<MainText>): Promise<void> {
  const pages = new Set(paths);
  for (const path of paths) {
    const file = join(folder, pageFilePath(path, place.static_form));
    const written = await readFile(file, 'utf8');
    const html = placeAddresses(written, place, pages);
    if (html !== written) await writeFile(file, html);
    if (existsSync(join(folder, pageMarkdownPath(path)))) continue;
    const markdown = pageMarkdown(html, changes, place, cached);
    if (markdown !== undefined && !existsSync(join(folder, markdown.path))) await writeAt(folder, markdown.path, markdown.body);
  }
}

async function writeAt(folder: string, path: string, body: string | Uint8Array): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
}

/** Quality of smaller copies of photographs; drawings and screenshots would show its traces. */
const PHOTO_QUALITY = 80;
const DRAWING_QUALITY = 90;

/** Files that every site serves as they are, unless `public/` of the publication has its own. */
export const ENGINE_PUBLIC = join(import.meta.dirname, '../../site/public');

/** Adds the engine's files to a site, the files of texts, and smaller copies of images, each of which is made once and kept below `.akg`. */
export async function writeFiles(root: string, folder: string, media: readonly MediaFile[]): Promise<void> {
  await cp(ENGINE_PUBLIC, folder, { recursive: true, force: false });
  const cache = join(root, BUILD_FOLDER, 'media');
  const kept = new Set<string>();
  for (const { file, path, image } of media) {
    const source = join(root, file);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(source, join(folder, path));
    for (const variant of image?.variants ?? []) {
      const name = basename(variant.path);
      const copy = join(cache, name);
      if (!existsSync(copy)) await resize(source, copy, variant.width);
      await copyFile(copy, join(folder, variant.path));
      kept.add(name);
    }
  }
  for (const name of await readdir(cache).catch(() => [])) if (!kept.has(name)) await rm(join(cache, name));
}

async function resize(source: string, target: string, width: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  // Loaded late, and only where it is installed: it is native code.
  const { default: sharp } = await import('sharp');
  const quality = /\.jpe?g$/i.test(source) ? PHOTO_QUALITY : DRAWING_QUALITY;
  await sharp(source).rotate().resize({ width, withoutEnlargement: true }).webp({ quality }).toFile(target);
}

/** Writes headers, redirects and the paths that functions answer, with the publication's own rules; without functions, settings of servers. */
export async function writeHostFiles(
  { folder, staged }: { readonly folder: string; readonly staged: string },
  files: readonly DocumentFile[],
  publication: Publication,
  policies?: readonly PagePolicy[],
): Promise<void> {
  const { deployment } = publication;
  const present = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
  const table = routeTable(deployment);
  await writeFile(join(folder, '_headers'), mergeHeaders(await present('_headers'), headersFile(files, deployment, policies)));
  const own = await present('_redirects');
  const formerly = formerAddresses(publication);
  const former = formerRedirects(formerly, own);
  const rules = `${own.trimEnd()}${own.trim() === '' ? '' : '\n'}${former.text}`;
  if (deployment.mode === 'edge') {
    if (former.text !== '') await writeFile(join(folder, '_redirects'), rules);
    const takenDown = Object.keys(deployment.takenDown ?? {});
    const sold = publication.capsules.flatMap(({ id, metadata }) => (metadata.access === 'paid' ? [id] : []));
    await writeFile(
      join(folder, '_routes.json'),
      routesFile(table, { takenDown, sold, hasFormerAddresses: former.left > 0, negotiates: deployment.markdownNegotiation === true }),
    );
    return;
  }
  const rewrites = fileRewrites(table, basePathOf(deployment.baseUrl));
  await writeFile(join(folder, '_redirects'), rules + redirectsFile(rewrites));
  // GitHub Pages would leave out files whose names begin with an underscore or a dot.
  await writeFile(join(folder, '.nojekyll'), '');
  const redirects = [...formerly.map(([from, to]) => ({ from, to, status: 308 })), ...rewrites];
  for (const [name, text] of Object.entries(serverFiles(headerRules(files, deployment, policies), redirects, publication.publisher)))
    await writeAt(join(staged, SERVERS_FOLDER), name, text);
}

/** Folder of the configurations of servers, which are no files of the site. */
export const SERVERS_FOLDER = `${BUILD_FOLDER}/servers`;

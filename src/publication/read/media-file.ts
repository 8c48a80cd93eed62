import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { PATHS } from '../../schemas/paths.ts';
import type { SizedImage } from '../../schemas/primitives.ts';

export interface MediaFile {
  /** Path from the publication's root, such as `content/capsules/map.png`. */
  readonly file: string;
  readonly path: string;
  readonly image?: SizedImage;
}

export interface MediaProblem {
  readonly problem: string;
}

const BYTES_MAX = 25 * 1024 * 1024;

/** Widths of the smaller copies of an image in pixels: a phone, a text, a text on a dense screen. */
const VARIANT_WIDTHS = [480, 800, 1_400];
const RESIZED = ['png', 'jpg', 'jpeg', 'webp'];

/** Files that were read, by path, time of change and size: a development server reads texts again and again. */
const known = new Map<string, MediaFile | MediaProblem>();

/** Reads a file that a text shows or links to: its address, and of an image its size. */
export async function readMediaFile(root: string, file: string): Promise<MediaFile | MediaProblem> {
  const absolute = join(root, file);
  const stats = await lstat(absolute).catch(() => undefined);
  if (stats === undefined) return { problem: `but there is no file ${file}; correct the address, or add the file` };
  if (!/^(content|public)\//.test(file)) return { problem: `which is at ${file}; files that texts use are below content/ or public/` };
  if (file.startsWith('content/deliveries/')) return { problem: 'which orders deliver, so it is not published; link to the offer instead' };
  if (stats.isDirectory()) return { problem: 'which is a folder; link to a file' };
  if (!stats.isFile() || (await realpath(absolute)) !== join(await realpath(root), file))
    return { problem: 'which is a symbolic link; copy the file itself' };
  if (!isMediaFile(file)) return { problem: `a type that is not published; use one of ${[...IMAGE_TYPES, ...DOWNLOAD_TYPES].join(', ')}` };
  if (stats.size > BYTES_MAX) return { problem: `which has ${stats.size} bytes; at most ${BYTES_MAX} can be published` };
  const key = `${absolute}\n${stats.mtimeMs}\n${stats.size}`;
  const media = known.get(key) ?? (await describe(file, await readFile(absolute)));
  known.set(key, media);
  return media;
}

async function describe(file: string, bytes: Buffer): Promise<MediaFile | MediaProblem> {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const address = (ending: string): string => `${PATHS.media}/${nameOf(file)}.${digest}${ending}`;
  const path = address(`.${typeOf(file)}`);
  if (!isImageFile(file)) return { file, path };
  const script = typeOf(file) === 'svg' ? scriptInSvg(bytes.toString('utf8')) : undefined;
  if (script !== undefined) return { problem: `which contains ${script}; export it without scripts` };
  // Loaded late: most texts have no images.
  const { imageMetadata } = await import('astro/assets/utils');
  const read = typeOf(file) === 'svg' ? Buffer.from(beginningOfSvg(bytes.toString('utf8'))) : bytes;
  const size = await imageMetadata(read, file).catch(() => undefined);
  if (size === undefined || size.width < 1 || size.height < 1) return { problem: 'which is no image that can be read; export it again' };
  const width = Math.round(size.width);
  const widths = RESIZED.includes(typeOf(file)) && (await canResize()) ? VARIANT_WIDTHS.filter((variant) => variant < width) : [];
  const variants = widths.map((variant) => ({ path: address(`.${variant}w.webp`), width: variant }));
  return { file, path, image: { path, width, height: Math.round(size.height), variants } };
}

/** Whether sharp is installed: it is native code, and not on every machine. */
async function canResize(): Promise<boolean> {
  return import('sharp').then(
    () => true,
    () => false,
  );
}

/** The root of an SVG stands among the first bytes, says who measures it: without remarks before it, and the file of its editor in an attribute. */
function beginningOfSvg(svg: string): string {
  return svg.slice(Math.max(0, svg.search(/<svg\s/))).replace(/="[^"]{200,}"/g, '=""');
}

function nameOf(file: string): string {
  const words = posix
    .basename(file, posix.extname(file))
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const name = (words ?? []).join('-').slice(0, 60);
  return name === '' ? 'file' : name;
}

/** Endings of images that texts show, in lower case without the dot. */
export const IMAGE_TYPES: readonly string[] = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg'];

export const DOWNLOAD_TYPES: readonly string[] = [
  ...['pdf', 'csv', 'tsv', 'ics', 'zip', 'epub', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'mp3', 'mp4', 'webm'],
];

export function isImageFile(file: string): boolean {
  return IMAGE_TYPES.includes(typeOf(file));
}

export function isMediaFile(file: string): boolean {
  return isImageFile(file) || DOWNLOAD_TYPES.includes(typeOf(file));
}

export function typeOf(file: string): string {
  return /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
}

const FORBIDDEN: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/<(?:[\w-]+:)?script\b/i, 'a script'],
  [/<(?:[\w-]+:)?(?:iframe|object|embed)\b/i, 'an embedded page'],
  [/<[^<>]*[\s"'/]on[a-z]+\s*=/i, 'an event handler'],
  [/<!ENTITY/i, 'an entity declaration'],
];

/** Addresses that run or show a page; browsers ignore white space in them. */
const RUNNING_ADDRESS = /(?:javascript|vbscript):|data:text\/html/i;

/** What could run in an SVG that somebody opens by itself. In a page, as an image, it runs nothing anyway (SVG 2, secure static mode). */
export function scriptInSvg(svg: string): string | undefined {
  const decoded = svg
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, code: string) => characterOf(Number.parseInt(code, 16)))
    .replace(/&#(\d{1,7});?/g, (_, code: string) => characterOf(Number(code)));
  if (RUNNING_ADDRESS.test(decoded.replace(/\s|&(?:Tab|NewLine);/g, ''))) return 'a link to a script';
  return FORBIDDEN.find(([pattern]) => pattern.test(decoded))?.[1];
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

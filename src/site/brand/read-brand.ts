import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageMetadata } from 'astro/assets/utils';
import { PUBLIC_FOLDER } from '../../publication/appearance/check-look.ts';
import { paletteOf } from '../../publication/appearance/palette.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { letterIcon, socialImage } from './brand-images.ts';
import { inlineSvg } from './inline-svg.ts';
import { icoOf, pngOf, touchIconOf } from './rasterise.ts';

/** A picture of the publication's `public/`, with its size in pixels. */
export interface PictureFile {
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** A logo: markup in the colour of the text, or a file for each colour scheme. */
export type Logo = { readonly svg: string } | { readonly light: PictureFile; readonly dark?: PictureFile | undefined };

/** Logo, icons and picture of links, as pages name them. */
export interface Brand {
  readonly logo?: Logo | undefined;
  /** Icons for browser tabs, the preferred one last. */
  readonly icons: readonly { readonly href: string; readonly type?: string; readonly sizes?: string }[];
  /** Beside the title of the home page. */
  readonly homeImage?: PictureFile | undefined;
  /** Absent if the publication has none and none can be made. */
  readonly socialImage?: { readonly path: string; readonly alt: string } | undefined;
}

/** What a publication shows of itself, and the files for it that its `public/` does not contain. */
export interface BrandFiles {
  readonly brand: Brand;
  /** By path from the site's root. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Names by which browsers and publications know these files. */
const FAVICON_SVG = '/favicon.svg';
const FAVICON_ICO = '/favicon.ico';
const TOUCH_ICON = '/apple-touch-icon.png';
const SOCIAL_IMAGE_FILE = '/og-image.png';

/** Heights of logos in the header, in pixels. */
const LOGO_HEIGHT = { beside: 20, instead: 30 } as const;

/** Reads the logo, icons and picture of links of a publication, and makes those that it lacks. */
export async function readBrand(root: string, publisher: Publisher): Promise<BrandFiles> {
  const { look } = publisher;
  const files = new Map<string, Uint8Array>();
  const isPublic = (path: string): boolean => existsSync(join(root, PUBLIC_FOLDER, path));
  const read = (path: string): Promise<Uint8Array> => readFile(join(root, PUBLIC_FOLDER, path));
  const add = (path: string, bytes: Uint8Array | undefined): boolean => {
    if (bytes !== undefined) files.set(path, bytes);
    return bytes !== undefined;
  };

  const icon = look.favicon ?? FAVICON_SVG;
  const isGiven = isPublic(icon);
  const source = isGiven ? await read(icon) : new TextEncoder().encode(await letterIcon(publisher));
  if (!isGiven) add(icon, source);
  const small = isPublic(FAVICON_ICO) ? undefined : await pngOf(source, 32);
  const hasIco = small === undefined ? isPublic(FAVICON_ICO) : add(FAVICON_ICO, icoOf(small));
  if (!isPublic(TOUCH_ICON)) add(TOUCH_ICON, await touchIconOf(source, paletteOf(look, 'light').background));

  const isSocialImageGiven = look.social_image !== undefined || isPublic(SOCIAL_IMAGE_FILE);
  const hasSocialImage =
    isSocialImageGiven || add(SOCIAL_IMAGE_FILE, await pngOf(new TextEncoder().encode(await socialImage(publisher)), 1200, 630));
  return {
    brand: {
      logo: await readLogo(publisher, read),
      homeImage: publisher.home.image && (await pictureFile(publisher.home.image.file, read)),
      icons: [
        ...(hasIco ? [{ href: FAVICON_ICO, sizes: '32x32' }] : []),
        { href: icon, type: icon.endsWith('.png') ? 'image/png' : 'image/svg+xml' },
      ],
      socialImage: hasSocialImage
        ? { path: look.social_image?.file ?? SOCIAL_IMAGE_FILE, alt: look.social_image?.alt ?? publisher.name }
        : undefined,
    },
    files,
  };
}

type ReadFile = (path: string) => Promise<Uint8Array>;

async function readLogo({ look }: Publisher, read: ReadFile): Promise<Logo | undefined> {
  if (look.logo === undefined) return undefined;
  const height = look.logo_has_name ? LOGO_HEIGHT.instead : LOGO_HEIGHT.beside;
  if (typeof look.logo === 'object' && look.color_scheme === 'auto')
    return { light: await pictureFile(look.logo.light, read, height), dark: await pictureFile(look.logo.dark, read, height) };
  const logo = typeof look.logo === 'string' ? look.logo : look.logo[look.color_scheme === 'dark' ? 'dark' : 'light'];
  const svg = logo.endsWith('.svg') ? inlineSvg(new TextDecoder().decode(await read(logo)), height) : undefined;
  return svg === undefined ? { light: await pictureFile(logo, read, height) } : { svg };
}

/** A picture in its own size, or scaled to a height. */
async function pictureFile(src: string, read: ReadFile, height?: number): Promise<PictureFile> {
  const size = await imageMetadata(await read(src), src);
  const scale = height === undefined ? 1 : height / size.height;
  return { src, width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
}

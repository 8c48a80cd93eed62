import type { Sharp } from 'sharp';

type Pixels = (picture: Uint8Array) => Sharp;

/** Reads pictures with sharp, an optional package that is missing where no binary of it fits the machine. */
async function loadSharp(): Promise<Pixels | undefined> {
  const sharp = await import('sharp').then(
    (module) => module.default,
    () => undefined,
  );
  return sharp && ((picture) => sharp(picture, { density: 300 }));
}

/** A picture as PNG with these sides, on a transparent background; `undefined` without sharp. */
export async function pngOf(picture: Uint8Array, width: number, height = width): Promise<Uint8Array | undefined> {
  const pixels = await loadSharp();
  return pixels?.(picture).resize(width, height, { fit: 'contain', background: '#0000' }).png().toBuffer();
}

/** A picture of 180 pixels on a background, which iOS shows with round corners; `undefined` without sharp. */
export async function touchIconOf(picture: Uint8Array, background: string): Promise<Uint8Array | undefined> {
  const pixels = await loadSharp();
  if (pixels === undefined) return undefined;
  const side = 180;
  const padding = 20;
  const icon = await pixels(picture)
    .resize(side - 2 * padding, side - 2 * padding, { fit: 'contain', background: '#0000' })
    .toBuffer();
  return pixels(icon)
    .extend({ top: padding, bottom: padding, left: padding, right: padding, background })
    .flatten({ background })
    .png()
    .toBuffer();
}

/** An icon file with one PNG of 32 pixels: header and directory entry of the ICO format, then the picture. */
export function icoOf(png: Uint8Array): Uint8Array {
  const headerBytes = 22;
  const file = new Uint8Array(headerBytes + png.length);
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, 1, true);
  file.set([32, 32], 6);
  view.setUint16(10, 1, true);
  view.setUint16(12, 32, true);
  view.setUint32(14, png.length, true);
  view.setUint32(18, headerBytes, true);
  file.set(png, headerBytes);
  return file;
}

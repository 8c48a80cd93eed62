import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageMetadata } from 'astro/assets/utils';
import { describe, expect, it } from 'vitest';
import { type BrandFiles, CAPSULE_IMAGES_MAX, capsuleImage, inlineSvg, readBrand, socialPng } from '../../../../src/site/read-brand.ts';
import { publisherOf } from '../../../support/publisher.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

const SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M1 1h8v8z"/></svg>';
const brandOf = (root: string, look: unknown): Promise<BrandFiles> => readBrand(root, publisherOf(['a-review'], { name: 'Zebra', look }));

describe('what a publication shows of itself', () => {
  it('is made from its name if it brings nothing', async () => {
    const { brand, files } = await brandOf('/nowhere', {});
    expect(brand).toEqual({
      logo: undefined,
      icons: [
        { href: '/favicon.ico', sizes: '32x32' },
        { href: '/favicon.svg', type: 'image/svg+xml' },
      ],
      socialImage: { path: '/og-image.png', alt: 'Zebra' },
    });
    expect([...files.keys()]).toEqual(['/favicon.svg', '/favicon.ico', '/apple-touch-icon.png', '/og-image.png']);
    const sizes = await Promise.all(
      [...files].filter(([path]) => path.endsWith('.png')).map(async ([path, bytes]) => imageMetadata(bytes, path)),
    );
    expect(sizes.map(({ width, height }) => [width, height])).toEqual([
      [180, 180],
      [1200, 630],
    ]);
  });

  it('is what stands in public/, which the engine never replaces', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'public'));
    for (const name of ['favicon.svg', 'favicon.ico', 'apple-touch-icon.png', 'og-image.png', 'mark.svg'])
      await writeFile(join(root, 'public', name), SQUARE);
    const { brand, files } = await brandOf(root, { logo: 'mark.svg', favicon: '/mark.svg' });
    expect([...files.keys()]).toEqual([]);
    expect(brand.icons.map(({ href }) => href)).toEqual(['/favicon.ico', '/mark.svg']);
    expect(brand.logo).toEqual({ light: { src: '/mark.svg', width: 20, height: 20 } });
    const ofBoth = await brandOf(root, { logo: { light: '/mark.svg', dark: '/mark.svg' }, color_scheme: 'dark' });
    expect(ofBoth.brand.logo).not.toHaveProperty('dark');
  });
});

describe('an SVG as markup', () => {
  it('keeps what its content inherits, and gets a size', () => {
    const source = `<?xml version="1.0"?><!-- mark --><svg xmlns="http://www.w3.org/2000/svg" class="a" width="9" viewBox="0 0 48 24" fill="none" stroke="currentColor" stroke-width="2"><title>Mark</title><path d="M0 0"/></svg>`;
    expect(inlineSvg(source, 20)).toBe(
      '<svg viewBox="0 0 48 24" width="40" height="20" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true" focusable="false"><path d="M0 0"/></svg>',
    );
  });

  it.each([
    ['has colours of its own', SQUARE],
    ['has a script', '<svg viewBox="0 0 1 1" fill="currentColor"><script>alert(1)</script></svg>'],
    ['has a style, which pages forbid', '<svg viewBox="0 0 1 1" fill="currentColor"><style>path{fill:red}</style></svg>'],
    ['has a handler', '<svg viewBox="0 0 1 1" fill="currentColor"><path onload="alert(1)"/></svg>'],
    ['has a comment that does not end', '<svg viewBox="0 0 1 1" fill="currentColor"><!-- a <!-- b --><path d="M0 0"/></svg>'],
    ['has no size', '<svg fill="currentColor"><path d="M0 0"/></svg>'],
  ])('stays a file if it %s', (_case, source) => expect(inlineSvg(source, 20)).toBeUndefined());
});

describe('the picture of a capsule', () => {
  const publisher = publisherOf(['a-review'], { name: 'Zebra', look: {} });
  const draw = (title: string, isRetracted = false): Promise<string> =>
    capsuleImage({ title, isRetracted, ...(isRetracted ? {} : { evidence: { level: 3, label: 'documented' } }) }, publisher);
  const outlines = (svg: string): number => svg.split('<path').length - 1;

  it('has the title on as many lines as it needs, its evidence unless it is retracted, and the publisher', async () => {
    const [short, long] = [
      await draw('Chains wear'),
      await draw('Chains wear out sooner than anybody who oils them every week would believe of a chain'),
    ];
    expect(outlines(short)).toBe(3);
    expect(outlines(long)).toBeGreaterThan(4);
    expect(short.split('width="24" height="24"')).toHaveLength(6);
    expect(await draw('Retracted: Chains wear', true)).not.toContain('width="24" height="24"');
    expect(await imageMetadata((await socialPng(long)) ?? new Uint8Array(), 'a.png')).toMatchObject({ width: 1200, height: 630 });
  });

  it('is that of the publication where the font lacks a character of the title', async () => {
    expect(await draw('鎖は摩耗する')).toBe(await draw('チェーン'));
  });

  it('is drawn up to a number of capsules', async () => {
    const has = async (capsules: number): Promise<boolean | undefined> =>
      (await readBrand('/nowhere', publisher, capsules)).brand.hasCapsuleImages;
    expect([await has(0), await has(CAPSULE_IMAGES_MAX), await has(CAPSULE_IMAGES_MAX + 1)]).toEqual([undefined, true, undefined]);
  });
});

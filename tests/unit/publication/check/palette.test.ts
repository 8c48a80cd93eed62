import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contrastFindings,
  contrastRatio,
  MIN_TEXT_CONTRAST,
  nearestReadable,
  paletteOf,
  SCHEMES,
} from '../../../../src/publication/check/palette.ts';
import { Look } from '../../../../src/schemas/publisher.ts';

const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('contrast', () => {
  it('is the ratio of WCAG', () => {
    expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
    // Examples of webaim.org/resources/contrastchecker.
    expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastRatio('#ff0000', '#ffffff')).toBeCloseTo(4, 2);
  });

  it('keeps a colour that can be read, and otherwise finds one that can', () => {
    expect(nearestReadable('#767676', ['#ffffff'])).toBe('#767676');
    fc.assert(
      fc.property(color, color, (one, background) => {
        expect(contrastRatio(nearestReadable(one, [background]), background)).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST);
      }),
    );
  });

  it('keeps the hue: the nearest readable magenta is a magenta', () => {
    expect(nearestReadable('#ff4fa3', ['#ffffff'])).toMatch(/^#(c|d)[0-9a-f]{3}[6-8][0-9a-f]$/);
  });
});

describe('the palette', () => {
  it('of the engine is readable, and stays as it is without settings', () => {
    expect(paletteOf(Look.parse({}), 'light')).toMatchObject({ accent: '#1b4b8f', verified: '#1a6a41', 'text-muted': '#55575a' });
    expect(paletteOf(Look.parse({}), 'dark')).toMatchObject({ accent: '#98bdf3', verified: '#82c9a0', 'text-muted': '#a9a8a4' });
    expect(contrastFindings(Look.parse({}))).toEqual([]);
  });

  it('derives the accent of the other scheme from a single colour', () => {
    const look = Look.parse({ colors: { accent: '#7a1fa2' } });
    expect(paletteOf(look, 'light').accent).toBe('#7a1fa2');
    expect(paletteOf(look, 'dark').accent).not.toBe('#7a1fa2');
    expect(contrastFindings(look)).toEqual([]);
  });

  it('reports a colour that is hard to read, with a nearest one that passes', () => {
    const look = Look.parse({ colors: { accent: '#FC9' } });
    const [finding, ...others] = contrastFindings(look);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ color: 'accent', scheme: 'light', value: '#ffcc99' });
    expect(contrastFindings(Look.parse({ colors: { accent: finding?.suggestion } }))).toEqual([]);
  });

  it('reports nothing about a scheme that no reader gets', () => {
    expect(contrastFindings(Look.parse({ color_scheme: 'dark', colors: { accent: '#ff4fa3', background: '#0b0d12' } }))).toEqual([]);
  });

  it('is readable on every background, apart from the colours that are set', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...SCHEMES), (background, scheme) => {
        const palette = paletteOf(Look.parse({ color_scheme: scheme, colors: { background } }), scheme);
        for (const name of ['text', 'accent', 'verified', 'superseded', 'retracted'] as const)
          expect(contrastRatio(palette[name], background), name).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST);
      }),
    );
  });
});

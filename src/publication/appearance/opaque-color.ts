import { type CssColor, transform } from 'lightningcss';

/** Browsers without any newer notation of colours, in the encoding of lightningcss: Chrome 60. */
const OLD_BROWSERS = { chrome: 60 << 16 };

/**
 * A colour in any notation of CSS, such as `hsl()`, `oklch()`, `color-mix()` or a name, as `#rrggbb`; colours outside of sRGB as the nearest
 * one in it. `undefined` for transparent colours, for those that depend on other properties, and for what is no colour.
 */
export function opaqueColor(value: string): string | undefined {
  let color: string | undefined;
  try {
    const [fallback = ''] = /(?<=color:)[^;}]+/.exec(compiled(`a{color:${value}}`)) ?? [];
    compiled(`a{color:${fallback}}`, (parsed) => {
      if (typeof parsed === 'object' && parsed.type === 'rgb' && parsed.alpha === 1)
        color = `#${[parsed.r, parsed.g, parsed.b].map(hexadecimal).join('')}`;
    });
  } catch {
    return undefined;
  }
  return color;
}

/** A style sheet in the notations of old browsers, which stand before newer ones. */
function compiled(css: string, visit?: (color: CssColor) => void): string {
  const visitor = visit === undefined ? {} : { visitor: { Color: visit } };
  const { code } = transform({ filename: 'color.css', code: Buffer.from(css), minify: true, targets: OLD_BROWSERS, ...visitor });
  return code.toString();
}

function hexadecimal(channel: number): string {
  return channel.toString(16).padStart(2, '0');
}

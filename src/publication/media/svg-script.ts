const FORBIDDEN: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/<(?:[\w-]+:)?script\b/i, 'a script'],
  [/<(?:[\w-]+:)?(?:iframe|object|embed)\b/i, 'an embedded page'],
  [/<[^<>]*[\s"'/]on[a-z]+\s*=/i, 'an event handler'],
  [/<!ENTITY/i, 'an entity declaration'],
];

/** Addresses that run or show a page; browsers ignore white space in them. */
const RUNNING_ADDRESS = /(?:javascript|vbscript):|data:text\/html/i;

/**
 * What could run in an SVG that somebody opens by itself; `undefined` if nothing could. In a page, as an image, it runs nothing anyway.
 *
 * @see {@link https://www.w3.org/TR/SVG2/conform.html#secure-static-mode SVG 2, secure static mode}
 */
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

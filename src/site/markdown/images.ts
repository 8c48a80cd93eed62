import type { Element, ElementContent } from 'hast';
import type { TextImage } from '../../publication/links/text-references.ts';

/** What an image of a text says about itself. */
interface AuthoredImage {
  readonly url: string;
  readonly alt: string;
  readonly title?: string | null | undefined;
  /** Width and height that the author wants, in CSS pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Widest an image is shown in a text, in CSS pixels. */
const SHOWN_WIDTH = 700;

/**
 * An image of the publication, with its size, so that nothing shifts while it loads. An image elsewhere becomes a link: pages load nothing
 * from other sites, which would learn who reads them. One that is nowhere becomes its alternative text.
 *
 * @param image The file of the publication that it is; `undefined` if there is none.
 */
export function renderImage({ url, alt, title, width, height }: AuthoredImage, image: TextImage | undefined): ElementContent[] {
  if (image === undefined) {
    const text: ElementContent = { type: 'text', value: alt };
    if (!/^https:\/\/[^\\]*$/.test(url)) return [text];
    const label: ElementContent = alt === '' ? { type: 'text', value: url } : text;
    return [{ type: 'element', tagName: 'a', properties: { href: url, rel: ['nofollow', 'noopener'] }, children: [label] }];
  }
  const scale = width !== undefined ? width / image.width : height !== undefined ? height / image.height : 1;
  const candidates = [...image.variants, { path: image.path, width: image.width }];
  const properties: Element['properties'] = {
    src: image.path,
    ...(image.variants.length === 0
      ? {}
      : {
          srcSet: candidates.map((variant) => `${variant.path} ${variant.width}w`).join(', '),
          sizes: `(max-width: ${SHOWN_WIDTH}px) 100vw, ${Math.min(SHOWN_WIDTH, Math.round(image.width * scale))}px`,
        }),
    alt,
    ...(title ? { title } : {}),
    width: Math.round(image.width * scale),
    height: Math.round(image.height * scale),
    loading: 'lazy',
    decoding: 'async',
  };
  return [{ type: 'element', tagName: 'img', properties, children: [] }];
}

/** An image with its caption. */
export function renderFigure(content: ElementContent[], caption: string): Element {
  const children: ElementContent[] = [
    ...content,
    { type: 'element', tagName: 'figcaption', properties: {}, children: [{ type: 'text', value: caption }] },
  ];
  return { type: 'element', tagName: 'figure', properties: {}, children };
}

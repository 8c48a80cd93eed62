import slugify from '@sindresorhus/slugify';

/** A text in the form of an id, of any length: `Über uns` is `ueber-uns`. Empty if it has no letter or digit with a Latin form. */
export function slugOf(text: string): string {
  return slugify(text.normalize('NFC'), { decamelize: false })
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

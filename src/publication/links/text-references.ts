import * as z from 'zod';

/** A smaller copy of an image. */
const ImageVariant = z.object({ path: z.string(), width: z.int().min(1) });

/** An image of the publication as its pages show it. */
export const TextImage = z.object({
  /** Root-relative address, which contains a digest of the bytes. */
  path: z.string(),
  /** In pixels. */
  width: z.int().min(1),
  height: z.int().min(1),
  /** Smaller copies, smallest first. */
  variants: z.array(ImageVariant),
});
export type TextImage = z.infer<typeof TextImage>;

/** Where a relative link or image of a text leads on this site. */
export const TextReference = z.object({
  /** Root-relative address, with query and fragment. */
  href: z.string(),
  image: TextImage.optional(),
});
export type TextReference = z.infer<typeof TextReference>;

/** The references of a text, by their addresses as the author wrote them. */
export const TextReferences = z.record(z.string(), TextReference);
export type TextReferences = Readonly<Record<string, TextReference>>;

/** Only the addresses of some references. */
export function referenceAddresses(references: TextReferences | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(references ?? {}).map(([link, { href }]) => [link, href]));
}

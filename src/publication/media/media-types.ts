/** Endings of images that texts show, in lower case without the dot. */
export const IMAGE_TYPES: readonly string[] = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg'];

/** Endings of files that texts link to, as downloads. */
export const DOWNLOAD_TYPES: readonly string[] = [
  ...['pdf', 'csv', 'tsv', 'ics', 'zip', 'epub', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'mp3', 'mp4', 'webm'],
];

/** Whether a file is an image, by its name. */
export function isImageFile(file: string): boolean {
  return IMAGE_TYPES.includes(typeOf(file));
}

/** Whether a file is published when a text shows it or links to it, by its name. */
export function isMediaFile(file: string): boolean {
  return isImageFile(file) || DOWNLOAD_TYPES.includes(typeOf(file));
}

/** Ending of a file in lower case, without the dot; empty without one. */
export function typeOf(file: string): string {
  return /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
}

import { capsules, offers } from 'virtual:strings';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import {
  capsuleFilePath,
  capsuleMarkdownPath,
  capsuleVersionPath,
  lineageFilePath,
  type PATHS,
  pageMarkdownPath,
} from '../schemas/paths.ts';
import { text } from './strings.ts';

/** The content of a page in a format for machines. */
export interface AlternateFormat {
  readonly label: string;
  readonly path: string;
  readonly type: string;
  /** Whether it is the page itself in another format, for `<link rel="alternate">`. */
  readonly isAlternate: boolean;
}

/** Formats of a capsule; without its text if that is sold. */
export function capsuleFormats({ capsule_id: id, version, access }: CapsuleMetadata): AlternateFormat[] {
  const isFree = access === 'public';
  const exactText = {
    label: text(capsules.exactText, { version }),
    path: capsuleVersionPath(id, version),
    type: 'text/markdown',
    isAlternate: false,
  };
  return [
    ...(isFree ? [{ label: 'Markdown', path: capsuleMarkdownPath(id), type: 'text/markdown', isAlternate: true }] : []),
    { label: 'JSON', path: capsuleFilePath(id), type: 'application/json', isAlternate: true },
    { label: capsules.lineageAsJson, path: lineageFilePath(id), type: 'application/json', isAlternate: false },
    ...(isFree ? [exactText] : []),
  ];
}

/** The markdown twin of a page, which the build makes from the page. */
export function markdownFormat(path: string): AlternateFormat {
  return { label: 'Markdown', path: pageMarkdownPath(path), type: 'text/markdown', isAlternate: true };
}

/** The catalog, at the address that belongs to a page. */
export function catalogFormat(path: typeof PATHS.offersJson | typeof PATHS.buyJson | typeof PATHS.pricingJson): AlternateFormat {
  return { label: offers.catalogAsJson, path, type: 'application/json', isAlternate: true };
}

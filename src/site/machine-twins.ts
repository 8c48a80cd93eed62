import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { capsuleFilePath, capsuleTwinPath, capsuleVersionPath, lineageFilePath, type PATHS } from '../schemas/paths.ts';

/** The same content in a form for machines. */
export interface MachineTwin {
  readonly label: string;
  readonly path: string;
  readonly type: string;
  /** Whether it is another form of this very page, for `<link rel="alternate">`. */
  readonly isAlternate: boolean;
}

/** Machine forms of a capsule's page; no text among them where that is sold. */
export function capsuleTwins({ capsule_id: id, version, access }: CapsuleMetadata): MachineTwin[] {
  const isFree = access === 'public';
  const text = {
    label: `Exact text of version ${version}`,
    path: capsuleVersionPath(id, version),
    type: 'text/markdown',
    isAlternate: false,
  };
  return [
    ...(isFree ? [{ label: 'Markdown', path: capsuleTwinPath(id), type: 'text/markdown', isAlternate: true }] : []),
    { label: 'JSON', path: capsuleFilePath(id), type: 'application/json', isAlternate: true },
    { label: 'Lineage as JSON', path: lineageFilePath(id), type: 'application/json', isAlternate: false },
    ...(isFree ? [text] : []),
  ];
}

/** The catalog, under the address that belongs to a page. */
export function catalogTwin(path: typeof PATHS.offersJson | typeof PATHS.buyJson | typeof PATHS.pricingJson): MachineTwin {
  return { label: 'Catalog as JSON', path, type: 'application/json', isAlternate: true };
}

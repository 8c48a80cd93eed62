import { capsuleApiPath, capsuleFilePath, lineageApiPath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import type { Kind } from '../../provenance/verify/verify.ts';

/** Name of a manifest in the folder of its parts. */
export const MANIFEST_FILE = 'manifest.json';

/** What an address says about the document that stands there. */
export interface AddressedDocument {
  readonly kind?: Kind;
  /** Id of the capsule. */
  readonly id?: string;
}

const BLANK = '*';
const CAPSULE_ADDRESSES: readonly (readonly [Kind, (id: string) => string])[] = [
  ['lineage', lineageFilePath],
  ['lineage', lineageApiPath],
  ['capsule', capsuleFilePath],
  ['capsule', capsuleApiPath],
];

/** Kind and id that were asked for with the path of an address; a document of another kind is not an answer to that. */
export function documentAt(pathname: string): AddressedDocument {
  if (pathname === PATHS.mirrorManifest) return { kind: 'manifest' };
  for (const [kind, pathOf] of CAPSULE_ADDRESSES) {
    const [before = '', after = ''] = pathOf(BLANK).split(BLANK);
    const id = pathname.slice(before.length, pathname.length - after.length);
    if (pathname.startsWith(before) && pathname.endsWith(after) && /^[^/]+$/.test(id)) return { kind, id };
  }
  return {};
}

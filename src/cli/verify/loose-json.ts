/** A JSON object of which nothing is known yet. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value itself if it is an object, else one without members. */
export const looseObject = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};

/** Objects of a list; other items, and what is no list, count as none. */
export const looseObjects = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.filter((item) => Object.keys(looseObject(item)).length > 0) : [];

/** What can be read out of bytes before they are checked: their JSON object, or one without members. */
export function readLoosely(bytes: Uint8Array): Loose {
  try {
    return looseObject(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}

/** Records of a lineage. */
export const recordsOf = (lineage: Loose): Loose[] => looseObjects(lineage['versions']).map((entry) => looseObject(entry['record']));

/** Parts that a manifest names. */
export const partsOf = (manifest: Loose): Loose[] => looseObjects(looseObject(looseObject(manifest['statement'])['bundle'])['parts']);

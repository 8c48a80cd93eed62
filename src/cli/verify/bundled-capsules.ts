import type { BundleLine } from '../../provenance/verify/documents.ts';
import { readJson } from '../../provenance/verify/json-text.ts';
import type { Proof } from '../../provenance/verify/verify.ts';

/** A capsule as a bundle has it. */
export interface BundledCapsule {
  readonly lineage: BundleLine['lineage'];
  /** Texts that are free to read, by the `canonical` address of their records. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Capsules of a bundle by id, of which all checks of the manifest hold; otherwise lines may have any form, and reading may throw. */
export function bundledCapsules(parts: NonNullable<Proof['parts']>): Map<string, BundledCapsule> {
  const capsules = new Map<string, BundledCapsule>();
  for (const part of parts) {
    const text = typeof part === 'string' ? part : new TextDecoder().decode(part);
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const { lineage, texts } = readJson(line) as BundleLine;
      const free = lineage.versions.map(({ record }, at) => [record.canonical, texts[at]?.markdown] as const);
      capsules.set(lineage.id, {
        lineage,
        texts: Object.fromEntries(free.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
      });
    }
  }
  return capsules;
}

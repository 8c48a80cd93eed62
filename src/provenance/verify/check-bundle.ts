import { digestOf, nameOf } from './canonical.ts';
import { type Context, checkLineage } from './check-lineage.ts';
import type { BundleLine, ManifestStatement } from './documents.ts';
import { lineForm } from './forms.ts';
import { type Source, toBytes, toText } from './json-text.ts';

/** Reads a document and notes `json` and `form`; gives nothing if one of them fails. */
export type Open = <T>(source: Source, form: typeof lineForm, what: string) => T | undefined;

/** Checks the parts of a bundle, what stands in them, and that together they are the corpus of a manifest. */
export async function checkBundle(
  { bundle, corpusDigest, capsules, versions }: ManifestStatement,
  parts: readonly Source[],
  context: Context,
  open: Open,
): Promise<void> {
  const { note } = context;
  const lines: (BundleLine | undefined)[] = [];
  note('parts', parts.length === bundle.parts.length, `${parts.length} of ${bundle.parts.length} parts`);
  for (const [at, part] of parts.entries()) {
    const said = bundle.parts[at];
    const what = said?.uri ?? `part ${at}`;
    let texts: string[] = [];
    try {
      texts = toText(part).replace(/\n$/, '').split('\n')
    } catch {
      
    }
  }
}

import { digestOf, nameOf } from './canonical.ts';
import { checkLineage } from './check-lineage.ts';
import type { Context } from './context.ts';
import type { BundleLine, ManifestStatement } from './documents.ts';
import { lineForm } from './forms.ts';
import { type Source, toBytes } from './json-text.ts';

const LINE_FEED = 10;

/** Lines of a part, without the line feeds at their ends. */
function linesOf(part: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0, end = 0; start < part.length; start = end + 1) {
    end = part.indexOf(LINE_FEED, start);
    if (end < 0) end = part.length;
    lines.push(part.subarray(start, end));
  }
  return lines;
}

/** Checks the parts of a bundle, what stands in them, and that together they are the corpus of a manifest. */
export async function checkBundle(manifest: ManifestStatement, parts: readonly Source[], context: Context): Promise<void> {
  const { note, open } = context;
  const told = manifest.bundle.parts;
  const read: (BundleLine | undefined)[] = [];
  note('parts', parts.length === told.length, `${parts.length} of ${told.length} parts`);
  for (const [at, source] of parts.entries()) {
    const part = toBytes(source);
    const lines = linesOf(part);
    const { uri = `part ${at}`, size = 0, lines: count = 0, digest } = told[at] ?? {};
    note('parts', size === part.length && count === lines.length && digest?.['sha-256'] === (await digestOf(part)), uri);
    for (const [row, text] of lines.entries()) {
      const line = open<BundleLine>(text, lineForm, `${uri} line ${row + 1}`);
      read.push(line);
      if (line) await checkLineage(line.lineage, context, undefined, (_, sequence) => line.texts[sequence]?.markdown);
    }
  }
  const whole = read.filter((line) => line !== undefined);
  if (whole.length < read.length) return;
  let before = '';
  let versions = 0;
  const list = [];
  for (const { lineage } of whole) {
    const { id, status, statusReason, supersededBy } = { ...lineage.head.statement, id: lineage.id };
    note('corpus', before < id, `order at ${id}`);
    before = id;
    versions += lineage.versions.length;
    list.push({ id, status, statusReason, supersededBy, versions: lineage.versions.map(({ recordDigest }) => recordDigest) });
  }
  note('corpus', whole.length === manifest.capsules && versions === manifest.versions, `${whole.length} capsules, ${versions} versions`);
  note('corpus', (await nameOf(list)) === manifest.corpusDigest, 'corpusDigest');
}

import { digestOf, nameOf } from './canonical.ts';
import type { BundleLine, ManifestStatement } from './documents.ts';
import type { Note } from './findings.ts';
import { type Source, toBytes } from './json-text.ts';

/** Lines of a part, without the line feeds at their ends. */
function linesOf(part: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0, end = 0; start < part.length; start = end + 1) {
    end = part.indexOf(10, start);
    if (end < 0) end = part.length;
    lines.push(part.subarray(start, end));
  }
  return lines;
}

/** Checks the parts of a bundle and that its lines, each checked by `readLine`, are the corpus of a manifest. */
export async function checkBundle(
  { bundle, corpusDigest, capsules, versions }: ManifestStatement,
  parts: readonly Source[],
  note: Note,
  readLine: (line: Source, what: string) => Promise<BundleLine | undefined>,
): Promise<void> {
  const read: (BundleLine | undefined)[] = [];
  let index = 0;
  note('parts', parts.length === bundle.parts.length, `${parts.length} parts`);
  for (const source of parts) {
    const part = toBytes(source);
    const lines = linesOf(part);
    const told = bundle.parts[index++];
    const what = `part ${index}`;
    note('parts', told?.size === part.length && told.lines === lines.length && told.digest['sha-256'] === (await digestOf(part)), what);
    for (const line of lines) read.push(await readLine(line, what));
  }
  let id = '';
  let count = 0;
  const corpus: unknown[] = [];
  for (const line of read) {
    if (!line) return;
    const { lineage } = line;
    const { status, statusReason, supersededBy } = lineage.head.statement;
    note('corpus', id < lineage.id, `order of ${lineage.id}`);
    id = lineage.id;
    count += lineage.versions.length;
    corpus.push({ id, status, statusReason, supersededBy, versions: lineage.versions.map(({ recordDigest }) => recordDigest) });
  }
  note(
    'corpus',
    corpus.length === capsules && count === versions && (await nameOf(corpus)) === corpusDigest,
    `${corpus.length} capsules, ${count} versions`,
  );
}

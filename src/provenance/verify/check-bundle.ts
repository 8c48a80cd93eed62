import { digestOf, nameOf } from './canonical.ts';
import type { BundleLine, ManifestStatement } from './documents.ts';
import type { Note } from './findings.ts';
import { type Source, toBytes, toText } from './json-text.ts';

/** Checks the parts of a bundle and that its lines, each checked by `readLine`, are the corpus of a manifest. */
export async function checkBundle(
  note: Note,
  statement: ManifestStatement,
  parts: readonly Source[],
  readLine: (line: Source, what: string) => Promise<BundleLine | undefined>,
): Promise<void> {
  const read: (BundleLine | undefined)[] = [];
  let index = 0;
  note('parts', parts.length === statement.bundle.parts.length, `${parts.length} parts`);
  for (const part of parts) {
    const told = statement.bundle.parts[index++];
    const what = `part ${index}`;
    const lines = toText(part).split(/^|(?<=\n)/);
    note(
      'parts',
      told?.size === toBytes(part).length && told.lines === lines.length && told.digest?.['sha-256'] === (await digestOf(part)),
      what,
    );
    for (const line of lines) read.push(await readLine(line, what));
  }
  let before = '';
  let count = 0;
  const corpus: unknown[] = [];
  for (const line of read) {
    if (!line) return;
    const { id, versions, head } = line.lineage;
    const { status, statusReason, supersededBy } = head.statement;
    note('corpus', before < id, id);
    before = id;
    count += versions.length;
    corpus.push({ id, status, statusReason, supersededBy, versions: versions.map(({ recordDigest }) => recordDigest) });
  }
  note(
    'corpus',
    statement.capsules === corpus.length && statement.versions === count && statement.corpusDigest === (await nameOf(corpus)),
    `${count} versions`,
  );
}

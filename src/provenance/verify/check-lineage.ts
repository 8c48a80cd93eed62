import { canonical, digestOf, nameOf } from './canonical.ts';
import type { Lineage, Signature, Statement, VersionRecord } from './documents.ts';
import type { Note } from './findings.ts';
import { type Source, toBytes } from './json-text.ts';

/** Checks how long a statement may be relied on, and who made it. */
export type Vouch = (what: string, statement: Statement, signatures: readonly Signature[]) => Promise<void>;

/** Checks size and digest of the exact text of a version. */
export const checkText = async (note: Note, record: VersionRecord, text: Source, what: string): Promise<unknown> =>
  note('text', toBytes(text).length === record.size && (await digestOf(text)) === record.digest?.['sha-256'], what);

/** Numbers of a version so written that versions compare as texts: each after its length. */
const ordered = (version: string): string => version.replace(/\d+/g, (digits) => String.fromCharCode(digits.length) + digits);

/** Checks everything that a lineage says of itself, and those of its texts that there are; `asked` is the id that was asked for. */
export async function checkLineage(
  note: Note,
  vouch: Vouch,
  { id, versions, head: { statement, signatures } }: Lineage,
  asked: string,
  texts: readonly (Source | undefined)[],
): Promise<void> {
  let sequence = 0;
  let before: { readonly version: string; readonly recordDigest: string } | undefined;
  for (const { record, recordDigest, signatures } of versions) {
    const { version } = record;
    const what = `${id} ${version}`;
    const text = texts[sequence];
    note('subject', record.id === asked && record.issuer.id === statement.issuer.id, what);
    note('records', recordDigest === (await nameOf(record)), what);
    note(
      'chain',
      record.sequence === sequence++ &&
        canonical(record.previous) === canonical(before) &&
        (!before || ordered(before.version) < ordered(version)),
      what,
    );
    if (text !== undefined) await checkText(note, record, text, what);
    await vouch(what, record, signatures);
    before = { version, recordDigest };
  }
  note('subject', id === asked && statement.id === asked, id);
  note('head', statement.head === before?.recordDigest && statement.version === before?.version && statement.count === sequence, id);
  await vouch(id, statement, signatures);
}

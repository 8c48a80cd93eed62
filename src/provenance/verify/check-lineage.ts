import { digestOf, nameOf } from './canonical.ts';
import type { Lineage, Signature, Statement, VersionRecord } from './documents.ts';
import type { Note } from './findings.ts';
import { type Source, toBytes } from './json-text.ts';
import type { IsSigned, StatementType } from './trusted-keys.ts';

/** Checks size and digest of the exact text of a version. */
export const checkText = async (note: Note, { id, version, size, digest }: VersionRecord, text: Source): Promise<boolean> =>
  note('text', toBytes(text).length === size && (await digestOf(text)) === digest['sha-256'], `${id} ${version}`);

/** Checks how long a statement may be relied on, and who made it. */
export type Vouch = (what: string, type: StatementType, statement: Statement, signatures: readonly Signature[]) => Promise<void>;

/** Makes the check of statements for a time, and for a trust if one was given that can be used. */
export const vouchAt =
  (note: Note, now: string, isSigned?: IsSigned): Vouch =>
  async (what, type, statement, signatures) => {
    const { issued, validUntil } = statement;
    if (validUntil) note('fresh', now <= validUntil && issued <= validUntil, `${what}: until ${validUntil}`);
    if (isSigned) note('signature', await isSigned(type, statement, signatures), what);
  };

/** Numbers of a version so written that versions compare as texts: each after its length. */
const ordered = (version: string): string => version.replace(/\d+/g, (digits) => String.fromCharCode(digits.length) + digits);

/** Checks everything that a lineage says of itself, and the texts that `textOf` has; `asked` is the id that was asked for. */
export async function checkLineage(
  { id, versions, head: { statement, signatures } }: Lineage,
  note: Note,
  vouch: Vouch,
  textOf: (record: VersionRecord, sequence: number) => Source | undefined,
  asked = id,
): Promise<void> {
  let sequence = 0;
  let before: Lineage['versions'][number] | undefined;
  for (const entry of versions) {
    const { record, recordDigest } = entry;
    const { version, previous } = record;
    const what = `${id} ${version}`;
    note('subject', record.id === asked && record.issuer.id === statement.issuer.id, what);
    note('records', (await nameOf(record)) === recordDigest, what);
    note(
      'chain',
      record.sequence === sequence &&
        previous?.version === before?.record.version &&
        previous?.recordDigest === before?.recordDigest &&
        ordered(before?.record.version ?? '') < ordered(version),
      what,
    );
    const text = textOf(record, sequence);
    if (text !== undefined) await checkText(note, record, text);
    await vouch(what, 'capsule-version', record, entry.signatures);
    before = entry;
    sequence += 1;
  }
  const what = `head of ${id}`;
  note('subject', id === asked && statement.id === asked, what);
  note(
    'head',
    statement.head === before?.recordDigest && statement.version === before.record.version && statement.count === sequence,
    what,
  );
  await vouch(what, 'lineage-head', statement, signatures);
}

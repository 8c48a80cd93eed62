import { canonical, digestOf, nameOf } from './canonical.ts';
import type { Lineage, Signature, Statement, VersionRecord } from './documents.ts';
import type { Note } from './findings.ts';
import { demand, demandStatement, ID, VERSION } from './forms.ts';
import { type Source, toBytes } from './json-text.ts';
import type { IsSigned } from './trusted-keys.ts';

/** Checks of statements and texts, which documents of all kinds share. */
export interface Checks {
  /** Checks the form of a statement, how long it may be relied on, and who made it. */
  readonly vouch: (statement: Statement, signatures: readonly Signature[], schema: string, type: string, what: string) => Promise<void>;
  /** Checks size and digest of the exact text of a version. */
  readonly checkText: (record: VersionRecord, text: Source, what: string) => Promise<void>;
  /** Checks everything that a lineage says of itself, and those of its texts that there are; `asked` is the id that was asked for. */
  readonly checkLineage: (lineage: Lineage, texts: readonly (Source | undefined)[], asked: string) => Promise<void>;
}

/** Numbers of a version so written that versions compare as texts: each after its length. */
const ordered = (version: string): string => version.replace(/\d+/g, (digits) => String.fromCharCode(digits.length) + digits);

/** Makes the checks for a time, and for a trust if one was given that can be used. */
export function makeChecks(note: Note, now: string, isSigned: IsSigned | undefined): Checks {
  const vouch: Checks['vouch'] = async (statement, signatures, schema, type, what) => {
    const { issued, validUntil } = statement;
    demandStatement(statement, schema, type);
    note('form', true, what);
    if (validUntil) note('fresh', now <= validUntil && issued <= validUntil, what);
    if (isSigned) note('signature', await isSigned(statement, signatures), what);
  };
  const checkText: Checks['checkText'] = async (record, text, what) =>
    note('text', toBytes(text).length === record.size && (await digestOf(text)) === record.digest?.['sha-256'], what);
  return {
    vouch,
    checkText,
    checkLineage: async ({ id, versions, head }, texts, asked) => {
      let sequence = 0;
      let before = { version: '', recordDigest: '' };
      demand(id.match(ID), id);
      for (const { record, recordDigest, signatures } of versions) {
        const { version } = record;
        const what = `${id} ${version}`;
        const text = texts[sequence];
        demand(version.match(VERSION), what);
        await vouch(record, signatures, 'capsule-version', 'CapsuleVersion', what);
        note('subject', record.id === asked && record.issuer.id === head.statement.issuer.id, what);
        note('records', recordDigest === (await nameOf(record)), what);
        note(
          'chain',
          record.sequence === sequence &&
            canonical(record.previous) === canonical(sequence ? before : undefined) &&
            ordered(before.version) < ordered(version),
          what,
        );
        if (text !== undefined) await checkText(record, text, what);
        before = { version, recordDigest };
        sequence += 1;
      }
      const { statement, signatures } = head;
      await vouch(statement, signatures, 'lineage-head', 'LineageHead', id);
      note('subject', id === asked && statement.id === asked, id);
      note('head', statement.head === before.recordDigest && statement.version === before.version && statement.count === sequence, id);
      demand(sequence, id);
    },
  };
}

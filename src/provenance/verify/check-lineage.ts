import { digestOf, nameOf } from './canonical.ts';
import type { Context } from './context.ts';
import type { Lineage, Statement, VersionRecord } from './documents.ts';
import { type Source, toBytes } from './json-text.ts';
import type { IsSigned } from './trusted-keys.ts';

/** Numbers of a version so written that versions compare as texts: each after its length. */
const ascending = (version: string): string => version.replace(/\d+/g, (digits) => String.fromCharCode(digits.length) + digits);

/** Checks until when a statement may be relied on. */
export const checkFresh = ({ note, now }: Context, { issued, validUntil }: Statement, what: string): unknown =>
  validUntil && note('fresh', now <= validUntil && issued <= validUntil, `${what}: until ${validUntil}`);

/** Checks size and digest of the exact text of a version. */
export const checkText = async ({ note }: Context, { id, version, size, digest }: VersionRecord, text: Source): Promise<boolean> =>
  note('text', toBytes(text).length === size && (await digestOf(text)) === digest['sha-256'], `${id} ${version}`);

/** Checks who says it. */
export const checkSignature: (context: Context, what: string, ...signed: Parameters<IsSigned>) => Promise<unknown> = async (
  { note, isSigned },
  what,
  type,
  statement,
  signatures,
) => isSigned && note('signature', await isSigned(type, statement, signatures), `${what}: by ${statement.issuer.id}`);

/**
 * Checks everything that a lineage says of itself.
 *
 * @param asked Id that was asked for.
 * @param textOf Exact text of a version, if it was given; by the address in its record where this is left out.
 */
export async function checkLineage(
  { id, versions, head: { statement, signatures } }: Lineage,
  context: Context,
  asked?: string,
  textOf: (record: VersionRecord, sequence: number) => Source | undefined = ({ canonical }) => context.texts.get(canonical),
): Promise<void> {
  const { note } = context;
  note(
    'subject',
    id === (asked ?? id) &&
      [statement, ...versions.map(({ record }) => record)].every((about) => about.id === id && about.issuer.id === statement.issuer.id),
    asked ?? id,
  );
  let before: Lineage['versions'][number] | undefined;
  for (const [sequence, entry] of versions.entries()) {
    const { record, recordDigest } = entry;
    const what = `${id} ${record.version}`;
    note('records', (await nameOf(record)) === recordDigest, what);
    note(
      'chain',
      record.sequence === sequence &&
        record.previous?.version === before?.record.version &&
        record.previous?.recordDigest === before?.recordDigest &&
        ascending(before?.record.version ?? '') < ascending(record.version),
      what,
    );
    const text = textOf(record, sequence);
    if (text !== undefined) await checkText(context, record, text);
    await checkSignature(context, what, 'capsule-version', record, entry.signatures);
    before = entry;
  }
  note(
    'head',
    statement.head === before?.recordDigest && statement.version === before.record.version && statement.count === versions.length,
    `${id} ${statement.version}`,
  );
  checkFresh(context, statement, id);
  await checkSignature(context, `head of ${id}`, 'lineage-head', statement, signatures);
}

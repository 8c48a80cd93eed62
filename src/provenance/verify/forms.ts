import { canonical } from './canonical.ts';
import type { Statement } from './documents.ts';

/** Pattern of ids. */
export const ID = /^(?=.{1,64}$)[a-z\d]+(-[a-z\d]+)*$/;

/** Pattern of versions. */
export const VERSION = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;

const isTime = (time: string): boolean => time[19] === 'Z' && new Date(time).toJSON() === time.replace('Z', '.000Z');

/**
 * Demands the form of a document.
 *
 * @throws {Error} If it has another form.
 */
export function demand(hasForm: unknown, what: string): void {
  if (!hasForm) throw new Error(what);
}

/** Demands the form of a statement; canonical forms are of whole numbers alone. */
export const demandStatement = (statement: Statement, schema: string, type: string): void =>
  demand(
    canonical(statement) &&
      statement.type === type &&
      statement.$schema === `/schemas/${schema}/1.json` &&
      statement.issuer.id.match('') &&
      isTime(statement.issued) &&
      (statement.validUntil === undefined || isTime(statement.validUntil)),
    type,
  );

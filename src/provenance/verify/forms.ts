import { canonical } from './canonical.ts';
import type { Statement } from './documents.ts';
import { demand } from './json-text.ts';

const isTime = (time: string): boolean => time[19] === 'Z' && new Date(time).toJSON() === time.replace('Z', '.000Z');

/** Demands the form of a statement; its numbers are whole if it has a canonical form, and nothing but a text can be matched. */
export const demandStatement = (statement: Statement, schema: string): void =>
  demand(
    canonical(statement) &&
      statement.$schema === `/schemas/${schema}/1.json` &&
      statement.issuer.id.match('') &&
      isTime(statement.issued) &&
      (statement.validUntil === undefined || isTime(statement.validUntil)),
  );

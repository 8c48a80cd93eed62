import { canonical } from './canonical.ts';
import type { BundleLine, Document, Lineage, Signature, Statement } from './documents.ts';
import type { Kind } from './findings.ts';

/** What a document must have to be checked: gives something true, or gives nothing true, or throws. Only texts can be matched. */
export type Form<T> = (document: T) => unknown;

const ID = /^(?=.{1,64}$)[a-z\d]+(-[a-z\d]+)*$/;
const VERSION = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;

const isTime: Form<string> = (time) => time[19] === 'Z' && new Date(time).toJSON() === time.replace('Z', '.000Z');

const areSigned: Form<readonly Signature[]> = (signatures) => signatures.every((entry) => entry.protected.match('') && entry.signature.match(''));

/** Canonical forms are of whole numbers alone. */
const isStatement = (statement: Statement, type: string, schema: string): unknown =>
  canonical(statement) &&
  statement.type === type &&
  statement.$schema === `/schemas/${schema}/1.json` &&
  statement.issuer.id.match('') &&
  isTime(statement.issued) &&
  (statement.validUntil === undefined || isTime(statement.validUntil));

const isLineage: Form<Lineage> = ({ id, versions, head }) =>
  id.match(ID) &&
  versions.length &&
  versions.every(
    ({ record, signatures }) =>
      isStatement(record, 'CapsuleVersion', 'capsule-version') &&
      record.version.match(VERSION) &&
      record.canonical.match('') &&
      areSigned(signatures),
  ) &&
  isStatement(head.statement, 'LineageHead', 'lineage-head') &&
  areSigned(head.signatures);

/** Form of a line of a bundle: with a text for each record, in their order. */
export const isLine: Form<BundleLine> = ({ lineage, texts }) =>
  isLineage(lineage) &&
  texts.length === lineage.versions.length &&
  texts.every(({ version, markdown }, at) => version === lineage.versions[at]?.record.version && markdown.match(''));

/** Forms of documents by their kinds. */
export const FORMS: Readonly<Record<Kind, Form<Document>>> = {
  lineage: isLineage,
  capsule: ({ capsule_id, markdown }) => capsule_id.match(ID) && markdown.match(''),
  answer: ({ results }) =>
    results.every(({ capsule_id, quote }) => capsule_id.match(ID) && Number.isSafeInteger(quote.start) && quote.text.match('')),
  manifest: ({ statement, signatures }) =>
    isStatement(statement, 'CorpusManifest', 'corpus-manifest') &&
    Array.isArray(statement.bundle.parts) &&
    Number.isSafeInteger(statement.changes.count) &&
    areSigned(signatures),
};

import { canonicalForm } from '../../../support/proof-vectors/parties.ts';
import type { Given } from './mutate-proof.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Members of a capsule or a result that lineages prove, as the page "The format of proofs" lists them, check `fields`. */
const PROVED =
  'title summary language evidence tags type license content_sha256 updated status status_reason superseded_by capsule_id version'.split(
    ' ',
  );
const PROVED_OF_VERSION = 'version issued content_sha256 record_digest'.split(' ');

const pick = (value: unknown, names: readonly string[]): Json =>
  Object.fromEntries(isObject(value) ? names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]) : []);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Statements of a lineage, without what stands beside them. */
function statementsOf(lineage: unknown): unknown {
  const { id, versions, head } = lineage as Json;
  return [id, list(versions).map((entry) => pick(entry, ['record', 'recordDigest'])), pick(head, ['statement'])];
}

function itemOf(item: unknown, isCapsule: boolean): string {
  if (!isCapsule) return canonicalForm(pick(item, PROVED));
  const capsule = item as Json;
  const sources = list(capsule['sources']).map((one) => pick(one, ['key', 'url', 'title', 'publisher', 'retrieved']));
  const supersedes = list(capsule['supersedes']).map((one) => pick(one, ['capsule_id']));
  const versions = list(capsule['versions']).map((one) => pick(one, PROVED_OF_VERSION));
  return canonicalForm({ ...pick(item, [...PROVED, 'derived_from', 'cites']), sources, supersedes, versions });
}

/**
 * What a reader of an accepted proof may rely on, as texts: two proofs with the same ones say the same. Of an answer it is what each
 * result says, so that fewer results, or the same in another order, are part of what a larger answer says; so is a capsule whose text
 * was taken out because it is said to be sold.
 */
export function meaningOf(proof: Given, kind: string): string[] {
  const document: unknown = JSON.parse(proof.document);
  if (kind === 'lineage') return [canonicalForm(statementsOf(document))];
  if (kind === 'manifest')
    return [canonicalForm((document as Json)['statement']), ...(proof.parts ?? []).map((part) => JSON.stringify(part))];
  if (kind === 'capsule')
    return [itemOf(document, true), ...Object.values(pick(document, ['markdown'])).map((text) => JSON.stringify(text))];
  return list((document as Json)['results']).map((item) => itemOf(item, false));
}

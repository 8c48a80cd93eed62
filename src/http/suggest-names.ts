import * as z from 'zod';
import type { SuggestedValue } from '../gateway/result.ts';
import { memberNames, schemaAt } from '../schemas/schema-members.ts';
import { nearestName } from '../search/format/spelling.ts';

/** Names that callers of other interfaces use for the same thing. In each group, the names of ours are among the others. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['query', 'q', 'text', 'question', 'search', 'search_query', 'search_text', 'prompt', 'input', 'keywords', 'term', 'terms', 'queries'],
  ['max_results', 'limit', 'top_k', 'topk', 'k', 'n', 'num', 'num_results', 'n_results', 'count', 'size', 'page_size', 'per_page', 'max'],
  ['cursor', 'next_cursor', 'page_token', 'next_page_token', 'continuation', 'starting_after', 'page', 'offset', 'after'],
  ['filters', 'filter', 'where', 'conditions', 'metadata_filter'],
  ['tags', 'tag', 'topics', 'topic', 'subjects', 'subject', 'categories', 'category', 'labels', 'label'],
  ['tags_any', 'any_tags', 'tags_or'],
  ['language', 'lang', 'locale', 'languages'],
  ['license', 'licence', 'licenses', 'spdx'],
  ['min_evidence', 'evidence', 'evidence_level', 'min_trust', 'trust'],
  ['updated_after', 'since', 'after', 'from', 'changed_after', 'modified_after', 'start_date', 'date_from'],
  ['updated_before', 'until', 'before', 'to', 'changed_before', 'modified_before', 'end_date', 'date_to'],
  ['exclude_ids', 'exclude', 'excluded', 'excluded_ids', 'seen', 'seen_ids', 'without'],
  ['facets', 'facet', 'aggregations', 'aggs', 'group_by'],
  ['explain', 'debug', 'explanation'],
  ['token_budget', 'max_tokens', 'tokens', 'budget', 'token_limit'],
  ['corpus_version', 'index_version', 'corpus', 'pin'],
  ['ids', 'id', 'capsule_ids', 'capsule_id', 'capsules', 'items', 'documents'],
  ['agent_name', 'name', 'agent', 'client_name', 'app_name', 'username'],
  ['platform', 'software', 'client', 'vendor', 'user_agent'],
  ['contact', 'email', 'e_mail', 'mail', 'contact_email', 'homepage', 'url'],
  ['scopes', 'scope', 'permissions'],
  ['version', 'v', 'revision', 'semver'],
  ['fields', 'select', 'include', 'attributes'],
  ['sort', 'order', 'order_by', 'sort_by'],
  ['items', 'cart', 'line_items', 'products', 'offers'],
  ['currency', 'currency_code'],
];

/** A name as names of members are written: `maxResults` and `Max-Results` as `max_results`. */
function asMember(name: string): string {
  return name
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s.-]+/g, '_')
    .toLowerCase();
}

/** The known name that an unknown one most likely means: another spelling, a synonym, or the nearest one. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const member = asMember(name);
  if (known.includes(member)) return member;
  const synonym = SYNONYMS.filter((group) => group.includes(member))
    .flat()
    .find((other) => known.includes(other));
  return synonym ?? nearestName(member, known);
}

/**
 * Where an unknown member of an object belongs: a member of the object, or of one of its objects, as in `filters.tags`; `undefined` if none is
 * near.
 */
export function suggestMember(name: string, schema: unknown): string | undefined {
  const names = memberNames(schema);
  const member = asMember(name);
  const inner = names.flatMap((outer) => memberNames(schemaAt(schema, [outer])).map((each) => [outer, each] as const));
  const exact = names.includes(member) ? undefined : inner.find(([, each]) => each === member);
  if (exact !== undefined) return exact.join('.');
  const own = suggestName(name, names);
  if (own !== undefined) return own;
  const found = suggestName(
    name,
    inner.map(([, each]) => each),
  );
  return inner.find(([, each]) => each === found)?.join('.');
}

/** Longest text that another way of writing is looked for, in UTF-16 code units. */
const VALUE_MAX_LENGTH = 200;

/** Letters, digits and marks of a value that is repeated in an error: never a key or a sentence. */
const PLAIN_VALUE = /^(?!akg_)[A-Za-z0-9_.:+-]{1,40}$/;

/** Other ways to write a text: what a schema may accept in its place. */
const REWRITES: readonly ((text: string) => string | number | boolean | undefined)[] = [
  (text) => text.trim(),
  (text) => text.trim().replaceAll('_', '-'),
  (text) => text.trim().toLowerCase(),
  (text) =>
    text
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  (text) =>
    text
      .trim()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, ''),
  (text) => text.trim().replace(/^v/i, ''),
  (text) => (/^v?\d+\.\d+$/i.test(text.trim()) ? `${text.trim().replace(/^v/i, '')}.0` : undefined),
  (text) => text.trim().replaceAll(/[/.]/g, '-'),
  (text) => text.trim().slice(0, 10),
  (text) => (/^-?\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined),
  (text) => (/^(true|yes|on)$/i.test(text.trim()) ? true : /^(false|no|off)$/i.test(text.trim()) ? false : undefined),
];

/** What a schema accepts in place of a value: one of its words, the value written in another way, or the value as a list of one. */
export function suggestValue(value: unknown, schema: unknown): SuggestedValue | undefined {
  const here = schemaAt(schema, []);
  if (!(here instanceof z.ZodType) || typeof value !== 'string' || value.length > VALUE_MAX_LENGTH) return undefined;
  const accepts = (candidate: SuggestedValue): boolean => here.safeParse(candidate).success;
  if (here instanceof z.ZodEnum) return nearestName(value.trim().replaceAll(/[\s-]+/g, '_'), here.options.map(String));
  const rewritten = REWRITES.map((rewrite) => rewrite(value)).filter((candidate) => candidate !== undefined);
  const candidates: SuggestedValue[] = here instanceof z.ZodArray ? [value, ...rewritten].map((item) => [`${item}`]) : rewritten;
  return candidates.find((candidate) => PLAIN_VALUE.test(`${candidate}`) && accepts(candidate));
}

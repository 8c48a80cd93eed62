import { editDistance } from './edit-distance.ts';

/** The known name that an unknown one most likely means; `undefined` if none is like it. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  return suggestNames(name, known, 1)[0];
}

/** At most `max` known names that an unknown one may mean: the same as a member, then by meaning, then by fewest edits. Letter case does not count. */
export function suggestNames(name: string, known: readonly string[], max: number): string[] {
  const member = asMember(name);
  const limit = Math.max(1, Math.floor(name.length / 3));
  const same = known.filter((candidate) => candidate === member);
  const meant = SYNONYMS.filter((group) => group.includes(member)).flatMap((group) => group.filter((other) => known.includes(other)));
  const alike = known
    .map((candidate) => {
      const distances = [name, member].map((form) => editDistance(form.toLowerCase(), candidate.toLowerCase(), limit));
      return { candidate, distance: Math.min(...distances) };
    })
    .filter(({ candidate, distance }) => distance <= limit && distance < candidate.length)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
  return [...new Set([...same, ...meant, ...alike])].slice(0, max);
}

/** A name as names of members are written: `maxResults` and `Max-Results` as `max_results`. */
export function asMember(name: string): string {
  return name
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s.-]+/g, '_')
    .toLowerCase();
}

/** Names that other interfaces and other tools of authors use for the same thing. In each group, the names of ours are among the others. */
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
  ['quote', 'quotation', 'text'],
  ['agent_name', 'name', 'agent', 'client_name', 'app_name', 'username'],
  ['platform', 'software', 'client', 'vendor', 'user_agent'],
  ['contact', 'email', 'e_mail', 'mail', 'contact_email', 'homepage', 'url'],
  ['scopes', 'scope', 'permissions'],
  ['version', 'v', 'revision', 'semver'],
  ['fields', 'select', 'include', 'attributes'],
  ['sort', 'order', 'order_by', 'sort_by'],
  ['items', 'cart', 'line_items', 'products', 'offers'],
  ['currency', 'currency_code'],
  ['name', 'title'],
  ['summary', 'description', 'excerpt'],
  ['checkout', 'link', 'url', 'payment_link'],
];

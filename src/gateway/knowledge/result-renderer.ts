import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import type { QueryResult } from '../../schemas/knowledge/query.ts';
import type { Explanation } from '../../schemas/knowledge/query-details.ts';
import { utf8Length } from '../../schemas/knowledge/tokens.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import { AnalysedText } from '../../search/passages/analysed-text.ts';
import { findBestPassage, findHighlights } from '../../search/passages/find-passage.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';

/** Members of a result that depend on the query. */
type QueriedMembers = Pick<QueryResult, 'score' | 'quote' | 'highlights' | 'explanation'>;

/** JSON, and its length as UTF-8. */
export interface SerializedJson {
  readonly json: string;
  readonly bytes: number;
}

/** Renders one stored version as query results. Members that no query changes are serialized once. */
export class ResultRenderer {
  /** Text that quotes are taken from: the markdown, or the summary of a paid capsule. */
  readonly text: AnalysedText;
  /** Body as it is indexed; empty for a paid capsule. */
  readonly body: AnalysedText;
  readonly #metadata: StoredVersion['metadata'];
  /** The members that no query changes, with the addresses of the service at `baseUrl`: a result up to the comma after them. */
  #beginning: (SerializedJson & { readonly baseUrl: string }) | undefined;

  constructor({ metadata, markdown }: StoredVersion) {
    this.#metadata = metadata;
    this.text = new AnalysedText(markdown ?? metadata.summary, metadata.language);
    this.body = markdown === undefined ? new AnalysedText('', metadata.language) : this.text;
  }

  /**
   * The capsule as the result of a query, a {@link QueryResult}, with the passage that fits best.
   *
   * @param terms Analysed terms of the query, corrections included.
   */
  result(terms: readonly string[], score: number, explanation: Explanation | undefined, baseUrl: string): SerializedJson {
    const { text } = this;
    const { start, end } = findBestPassage(text, terms, LIMITS.quoteMaxLength);
    const queried: QueriedMembers = {
      score,
      quote: { start, end, text: text.text.slice(start, end) },
      highlights: findHighlights(text, terms, { start, end }),
      ...(explanation ? { explanation } : {}),
    };
    if (this.#beginning?.baseUrl !== baseUrl) this.#beginning = { ...this.#begin(baseUrl), baseUrl };
    const rest = JSON.stringify(queried).slice(1);
    return { json: this.#beginning.json + rest, bytes: this.#beginning.bytes + utf8Length(rest) };
  }

  #begin(baseUrl: string): SerializedJson {
    const capsule = summaryOf(this.#metadata);
    const members: Omit<QueryResult, keyof QueriedMembers> = {
      ...capsule,
      ...capsuleAddresses(capsule, baseUrl),
      related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    };
    const json = `${JSON.stringify(members).slice(0, -1)},`;
    return { json, bytes: utf8Length(json) };
  }
}

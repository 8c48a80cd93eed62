import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { STATE_MEMBERS, searchedText } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { QueryResult } from '../../schemas/knowledge/query.ts';
import { utf8Length } from '../../schemas/knowledge/token-estimates.ts';
import { capsulePath, relatedApiPath } from '../../schemas/paths.ts';
import { AnalysedText } from '../../search/passages/analysed-text.ts';
import { findHighlights, findPassages, type Passage } from '../../search/passages/find-passages.ts';
import type { PassageQuery } from '../../search/passages/passage-query.ts';
import type { TextRange } from '../../search/search-document.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';

export interface SerializedJson {
  readonly json: string;
  readonly bytes: number;
}

export interface ResultShape {
  /** Of the quote and each passage, in UTF-16 code units. */
  readonly quoteLength: number;
  /** Of the quote where the rest of the text says nearly as much about the query. */
  readonly unsureQuoteLength: number;
  readonly passages: number;
  /** Members to keep; all if `undefined`. */
  readonly fields?: ReadonlySet<string> | undefined;
}

export interface FoundDocument extends Pick<QueryResult, 'score' | 'match' | 'found_by' | 'explanation'> {
  readonly query: PassageQuery;
  /** Whether it is the first in the list of the query, and ahead of the others. */
  readonly mayAnswer: boolean;
}

type QueriedMembers = Pick<QueryResult, 'score' | 'match' | 'quote' | 'answer' | 'highlights' | 'passages' | 'found_by' | 'explanation'>;

/** Renders one text as query results. Query-independent members are serialized once. */
export abstract class TextRenderer {
  readonly text: AnalysedText;
  #beginning: ResultBeginning | undefined;

  constructor(text: AnalysedText) {
    this.text = text;
  }

  protected abstract members(baseUrl: string): object;

  /** Whether its answers hold: no text that is superseded or retracted, nor a summary of a sold one. */
  protected get canAnswer(): boolean {
    return true;
  }

  protected abstract addressAt(offset: number, baseUrl: string): string;

  /** JSON of a result. @param current Members that may change while the text stays. */
  result(found: FoundDocument, shape: ResultShape, baseUrl: string, current: object = {}): SerializedJson {
    const { query, score, match, found_by, explanation } = found;
    const answers = found.mayAnswer && this.canAnswer && match.level !== 'weak';
    const passages = findPassages(this.text, query, {
      maxLength: shape.quoteLength,
      unsureMaxLength: shape.unsureQuoteLength,
      count: Math.max(1, shape.passages),
      answers,
    });
    const [first = { start: 0, end: 0 }] = passages;
    const { start, end, answer }: Partial<Passage> & TextRange = first;
    const queried: QueriedMembers = {
      ...current,
      score,
      match,
      quote: this.#quoted(first),
      ...(answer && { answer: this.#quoted(answer) }),
      highlights: findHighlights(this.text, query.terms, { start, end }),
      ...(shape.passages > 0 && {
        passages: passages.map((passage) => ({
          ...this.#quoted(passage),
          headings: [...passage.headings],
          url: this.addressAt(passage.start, baseUrl),
        })),
      }),
      ...(found_by ? { found_by } : {}),
      ...(explanation ? { explanation } : {}),
    };
    if (this.#beginning?.baseUrl !== baseUrl) this.#beginning = resultBeginning(this.members(baseUrl), baseUrl);
    if (shape.fields !== undefined) return withFields(this.#beginning, queried, shape.fields);
    const rest = JSON.stringify(queried).slice(1);
    return { json: this.#beginning.json + rest, bytes: this.#beginning.bytes + utf8Length(rest) };
  }

  #quoted({ start, end, cut, tableHeader }: TextRange & Pick<Passage, 'cut' | 'tableHeader'>): QueryResult['quote'] {
    return {
      start,
      end,
      text: this.text.text.slice(start, end),
      ...(cut ? { cut } : {}),
      ...(tableHeader === undefined ? {} : { table_header: tableHeader }),
    };
  }
}

/** Renders one stored version; quotes are from the markdown, or from the summary of a paid capsule. */
export class ResultRenderer extends TextRenderer {
  readonly body: AnalysedText;
  readonly #stored: StoredVersion;

  constructor(stored: StoredVersion) {
    const { metadata, markdown, preview } = stored;
    super(new AnalysedText(markdown ?? metadata.summary, metadata.language, metadata.title));
    this.#stored = stored;
    this.body = markdown === undefined ? new AnalysedText(searchedText(preview), metadata.language) : this.text;
  }

  protected override get canAnswer(): boolean {
    return this.#stored.metadata.status === 'current' && this.body === this.text;
  }

  protected addressAt(offset: number, baseUrl: string): string {
    const { metadata, anchors = [] } = this.#stored;
    const page = baseUrl + capsulePath(metadata.capsule_id);
    const anchor = anchors.findLast(([start]) => start <= offset)?.[1];
    return anchor === undefined ? page : `${page}#${encodeURIComponent(anchor)}`;
  }

  protected members(baseUrl: string): Omit<QueryResult, keyof QueriedMembers> {
    const capsule = summaryOf(this.#stored.metadata);
    return {
      kind: 'capsule',
      ...capsule,
      ...capsuleAddresses(capsule, baseUrl),
      related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    };
  }
}

/** Query-independent members of a result, up to the comma after them. */
interface ResultBeginning extends SerializedJson {
  readonly baseUrl: string;
  readonly members: object;
}

function resultBeginning(members: object, baseUrl: string): ResultBeginning {
  const json = `${JSON.stringify(members).slice(0, -1)},`;
  return { members, baseUrl, json, bytes: utf8Length(json) };
}

function withFields({ members }: ResultBeginning, queried: QueriedMembers, fields: ReadonlySet<string>): SerializedJson {
  const all: Readonly<Record<string, unknown>> = { ...members, ...queried };
  const isCurrent = (all['status'] ?? 'current') === 'current';
  const chosen = Object.entries(all).filter(([name]) => fields.has(name) || (!isCurrent && Object.hasOwn(STATE_MEMBERS, name)));
  const json = JSON.stringify(Object.fromEntries(chosen));
  return { json, bytes: utf8Length(json) };
}

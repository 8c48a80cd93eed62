import { statedTitle, stateNote } from '../../gateway/knowledge/capsule-state.ts';
import { REFERENCE } from '../../gateway/knowledge/numbered-sources.ts';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { termsNote } from '../../gateway/knowledge/site-result-renderer.ts';
import { verifyQuote } from '../../gateway/knowledge/verify-quote.ts';
import { ok, type Result } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { changeOutsideCode, markdownLink, plainMarkdown, withAbsoluteLinks } from '../../publication/markdown/write-markup.ts';
import type { QuoteCheck } from '../../schemas/knowledge/quote-check.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import type { SkillRequest } from './schemas.ts';

/** Results of an answer, unless the request says otherwise: what fits into a conversation. */
const RESULTS_DEFAULT = 5;

/** An answer as text and as data. */
export interface SkillAnswer {
  readonly text: string;
  readonly data: SearchResponse | QuoteCheck;
}

/** Answers a request to a skill. */
export async function runSkill(
  request: SkillRequest,
  { corpus, deployment }: Pick<GatewayDependencies, 'corpus' | 'deployment'>,
  onFallback: () => void,
): Promise<Result<SkillAnswer>> {
  if (request.skill === 'verify_quote') {
    const { capsule_id: capsuleId, version, quote } = request;
    const check = await verifyQuote({ capsuleId, version, quote }, corpus, deployment.baseUrl, onFallback);
    return check.ok ? ok({ text: checkText(check.value), data: check.value }) : check;
  }
  const found = await queryKnowledgeText(
    queryOfSearch({
      q: request.query,
      max_results: String((request.skill === 'ask' ? request.max_results : undefined) ?? RESULTS_DEFAULT),
      ...(request.skill === 'find_offer' ? { kind: 'offer' } : {}),
    }),
    corpus,
    deployment,
    onFallback,
  );
  if (!found.ok) return found;
  const data = JSON.parse(found.value) as SearchResponse;
  return ok({ text: answerText(data), data });
}

/** The results as quotations with their addresses. */
export function answerText({ match, results }: SearchResponse): string {
  if (results.length === 0) return 'Nothing on this site matches. Ask with other words, or for another subject.';
  const sections = results.map((result) => {
    const { url, quote } = result;
    const [title, note] = result.kind === 'capsule' ? [statedTitle(result), stateNote(result)] : [result.title, termsNote(result)];
    const version = result.kind === 'capsule' ? `, version ${result.version}` : '';
    const quoted = readable(quote.text, new URL(url).origin)
      .split('\n')
      .map((line) => (line === '' ? '>' : `> ${line}`));
    return `${markdownLink(plainMarkdown(title), url)} (${result.kind}${version}):\n\n${note === '' ? '' : `${plainMarkdown(note)}\n\n`}${quoted.join('\n')}`;
  });
  return [`Match: ${match.level}, ${Math.round(match.share * 100)} % of the question.`, ...sections].join('\n\n');
}

/** A quotation to be read: links are absolute, and the marks of footnotes are left out, because the notes are not quoted. */
function readable(quote: string, baseUrl: string): string {
  return changeOutsideCode(withAbsoluteLinks(quote, baseUrl), (part) => part.replace(REFERENCE, ''));
}

function checkText(check: QuoteCheck): string {
  const { verdict, part = 'text', capsule_id, version, url } = check;
  const source = `${markdownLink(plainMarkdown(statedTitle(check)), url)} (${capsule_id} ${version})`;
  const note = stateNote(check);
  const state = note === '' ? '' : ` ${plainMarkdown(note)}`;
  if (verdict === 'not_found') return `The quotation is not in ${source}.${state}`;
  const place = part === 'text' ? '' : `the ${part} of `;
  return `The quotation is ${verdict === 'exact' ? 'word for word ' : ''}in ${place}${source}${DIFFERENCES[verdict]}.${state}`;
}

const DIFFERENCES = { exact: '', white_space_differs: ', with other white space', markup_differs: ', with other markup' } as const;

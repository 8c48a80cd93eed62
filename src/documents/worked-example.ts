import type { Publication } from '../publication/publication.ts';
import { capsuleApiPath, lineageApiPath, PATHS, quoteApiPath } from '../schemas/paths.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';

/** Words of a text that a quotation has, and its longest length in UTF-16 code units, because some languages have no spaces. */
const QUOTED_WORDS = 5;
const QUOTE_MAX_LENGTH = 60;

/** From a question to a proof in six requests, with their bodies, as lines of a shell; none for a corpus without capsules. */
export function workedExample({ deployment: { baseUrl }, capsules }: Publication): string[] {
  const [capsule] = capsules.filter(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  if (capsule === undefined) return [];
  const gateway = baseUrl + PATHS.gateway;
  const question = capsule.id.replaceAll('-', ' ');
  const quote = new URLSearchParams({ text: cutWhole((capsule.markdown ?? '').split(/\s+/, QUOTED_WORDS).join(' '), QUOTE_MAX_LENGTH) });
  const json = "-H 'Content-Type: application/json'";
  return [
    '```sh',
    `curl -s '${gateway}/search?q=${question.replaceAll(' ', '+')}&max_results=1'   # no key: quotes with offsets, digests and addresses`,
    `curl -s '${baseUrl}${quoteApiPath(capsule.id)}?${quote}'   # no key: whether the capsule contains this quote`,
    `curl -s -X POST ${gateway}/register ${json} -d '{"agent_name":"My agent"}'   # returns your api_key`,
    `curl -s -X POST ${gateway}/query ${json} -H "Authorization: Bearer $API_KEY" \\`,
    `  -d '{"query":"${question}","max_results":3,"token_budget":1500}'   # a higher limit, filters and pages`,
    `curl -s ${baseUrl}${capsuleApiPath(capsule.id)}   # text, metadata, status and content_sha256`,
    `curl -s ${baseUrl}${lineageApiPath(capsule.id)}   # versions and their digests, for the verifier`,
    '```',
  ];
}

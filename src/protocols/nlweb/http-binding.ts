import { errorEntry } from '../../gateway/errors.ts';
import { ok } from '../../gateway/result.ts';
import type { Protocol } from '../../http/protocol.ts';
import { publishedFault, retryAfterOf } from '../../http/render-problem.ts';
import { PATHS, problemPath } from '../../schemas/paths.ts';
import { AskFailure, type AskResponse } from './schemas.ts';
import { askMeta } from './write-answer.ts';

/** NLWeb over HTTP: errors are failures of NLWeb, with the statuses of the error table. */
export const NLWEB_BINDING: Protocol = {
  name: 'nlweb',
  prefix: PATHS.ask,
  errorSchema: AskFailure,
  statusOf: (code) => errorEntry(code).status,
  errorBody: (refusal, { baseUrl }) => {
    const { code, detail, errors } = refusal;
    const retryAfter = retryAfterOf(refusal);
    return {
      _meta: askMeta('failure') satisfies AskResponse['_meta'],
      error: {
        code: code.toUpperCase(),
        message: detail,
        ...(errors === undefined ? {} : { details: errors.map(publishedFault) }),
        ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter }),
        help: baseUrl + problemPath(code),
      },
    };
  },
  admit: () => ok(undefined),
  admissionErrors: [],
  echoedHeaders: [],
};

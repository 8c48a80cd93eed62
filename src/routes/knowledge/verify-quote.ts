import * as z from 'zod';
import { verifyQuote } from '../../gateway/knowledge/verify-quote.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { QuoteCheck, quotation } from '../../schemas/knowledge/quote-check.ts';
import { quoteApiPath } from '../../schemas/paths.ts';
import { Version } from '../../schemas/primitives.ts';
import { CapsulePathParameters } from './get-capsule.ts';

const QuoteParameters = z.strictObject({
  text: quotation('is missing; send the quotation in the URL: ?text=word+for+word'),
  version: Version.optional().describe('Quoted version; the newest by default.'),
});

/** Says whether a capsule contains a quotation, for agents that cannot compare texts themselves. */
export const verifyQuoteRoute = defineRoute({
  id: 'verifyQuote',
  method: 'GET',
  path: quoteApiPath('{capsule_id}'),
  summary: 'Verify a quotation',
  description:
    'Says whether a capsule contains a quotation, and where. White space and markup may differ. For agents that cannot compare texts or compute digests.',
  capability: 'capsules',
  access: 'open',
  pathParameters: CapsulePathParameters,
  queryParameters: QuoteParameters,
  responses: [jsonResponse('Whether and where the capsule has the quotation.', QuoteCheck)],
  errors: ['capsule_not_found', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path, query, degrade }, { corpus, deployment }) =>
    jsonOutcome(
      await verifyQuote({ capsuleId: path.capsule_id, version: query.version, quote: query.text }, corpus, deployment.baseUrl, () =>
        degrade('index'),
      ),
    ),
});

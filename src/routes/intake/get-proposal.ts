import * as z from 'zod';
import { readProposal } from '../../gateway/intake/submit-proposal.ts';
import { refuse } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { SubmissionStatus } from '../../schemas/intake/intake.ts';
import { submissionApiPath } from '../../schemas/paths.ts';

/** Any text is accepted: an invalid receipt gets the same response as an unknown one. */
const GetProposalPath = z.object({ receipt: z.string().describe('The receipt that the response to the proposal returned.') });
type GetProposalPath = z.infer<typeof GetProposalPath>;

/** There are no parameters. */
const GetProposalParameters = z.strictObject({});
type GetProposalParameters = z.infer<typeof GetProposalParameters>;

export const getProposalRoute = defineRoute<GetProposalPath, GetProposalParameters>({
  id: 'getProposal',
  method: 'GET',
  path: submissionApiPath('{receipt}'),
  summary: 'Get the status of a proposal',
  description:
    'The status of a proposal, for the agent that sent it, with any of its keys. Every other receipt gets the same 404, whether the proposal exists or not.',
  capability: 'capsules',
  access: 'key',
  edge: true,
  pathParameters: GetProposalPath,
  queryParameters: GetProposalParameters,
  responses: [jsonResponse('The status.', SubmissionStatus)],
  errors: ['submission_not_found', 'state_unavailable'],
  rateLimit: 'query',
  cache: 'no-store',
  handle: async ({ path, caller }, { secrets, submissions }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    if (submissions === undefined) return refuse('not_configured', 'No database is bound, so there are no proposals.');
    if (caller === undefined) throw new TypeError('a receipt came without a caller');
    return jsonOutcome(await readProposal(path.receipt, caller.key.payload.agent, secrets, submissions));
  },
});

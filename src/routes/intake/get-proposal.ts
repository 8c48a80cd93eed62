import * as z from 'zod';
import { readProposal } from '../../gateway/intake/submit-proposal.ts';
import { callerOf, defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { SubmissionStatus } from '../../schemas/intake/intake.ts';
import { submissionApiPath } from '../../schemas/paths.ts';

/** Any text is accepted: an invalid receipt gets the same response as an unknown one. */
const GetProposalPath = z.object({ receipt: z.string().describe('The receipt that the response to the proposal returned.') });

export const getProposalRoute = defineRoute({
  id: 'getProposal',
  feature: 'intake',
  method: 'GET',
  path: submissionApiPath('{receipt}'),
  summary: 'Get the status of a proposal',
  description:
    'The status of a proposal, for the agent that sent it, with any of its keys. Every other receipt gets the same 404, whether the proposal exists or not.',
  capability: 'capsules',
  access: 'key',
  pathParameters: GetProposalPath,
  queryParameters: z.strictObject({}),
  responses: [jsonResponse('The status.', SubmissionStatus)],
  needs: ['secrets', 'submissions'],
  errors: ['submission_not_found', 'state_unavailable'],
  rateLimit: 'query',
  handle: async (input, { secrets, submissions }) =>
    jsonOutcome(await readProposal(input.path.receipt, callerOf(input).key.payload.agent, secrets, submissions)),
});

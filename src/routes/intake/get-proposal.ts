import * as z from 'zod';
import { readProposal } from '../../gateway/intake/read-proposal.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { SubmissionStatus } from '../../schemas/intake/intake.ts';
import { submissionApiPath } from '../../schemas/paths.ts';
import { defineRoute } from '../../http/define-route.ts';

/** Any text is taken: what is no receipt is answered as one that nobody has. */
const GetProposalPath = z.object({ receipt: z.string().describe('The receipt, as the answer to the proposal gave it.') });
type GetProposalPath = z.infer<typeof GetProposalPath>;

/** None is taken. */
const GetProposalParameters = z.strictObject({});
type GetProposalParameters = z.infer<typeof GetProposalParameters>;

export const getProposalRoute = defineRoute<GetProposalPath, GetProposalParameters>({
  id: 'getProposal',
  method: 'GET',
  path: submissionApiPath('{receipt}'),
  summary: 'See what became of a proposal',
  description:
    'The state of a proposal, told to the agent that sent it, under any of its keys. Every other receipt is answered with the same 404, whether there is such a proposal or not.',
  capability: 'capsules',
  access: 'key',
  servedBy: 'function',
  edge: true,
  pathParameters: GetProposalPath,
  queryParameters: GetProposalParameters,
  responses: [{ status: 200, description: 'The state.', content: { type: 'application/json', schema: SubmissionStatus } }],
  errors: ['submission_not_found', 'state_unavailable'],
  rateLimit: 'query',
  cache: 'no-store',
  handle: async ({ path, caller }, { secrets, submissions }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    if (submissions === undefined) return refuse('not_configured', 'No database is bound, so there are no proposals.');
    if (caller === undefined) throw new TypeError('a receipt came without a caller');
    const result = await readProposal(path.receipt, caller.key.payload.agent, secrets, submissions);
    return result.ok ? ok({ kind: 'json', status: 200, value: result.value }) : result;
  },
});

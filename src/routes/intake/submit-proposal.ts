import { proposalKeyScope, submitProposal } from '../../gateway/intake/submit-proposal.ts';
import { isFormerId } from '../../gateway/knowledge/former-capsule.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { callerOf, defineRoute, jsonResponse } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION, idempotencyKey } from '../../http/route-headers.ts';
import { IntakeReceipt, IntakeRequest } from '../../schemas/intake/intake.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const submitProposalRoute = defineRoute({
  id: 'submitProposal',
  feature: 'intake',
  method: 'POST',
  path: `${PATHS.publicCapsules}/intake`,
  summary: 'Propose a capsule or a correction',
  description:
    'Sends a proposal to the publisher, under the rules of published capsules, and returns a receipt once it is stored. A person reviews it; nothing is published until then. The same request with the same Idempotency-Key takes effect once and returns the same response for 24 hours, and identical proposals are stored once.',
  capability: 'capsules',
  access: 'submit',
  headers: [
    CHALLENGE_SOLUTION,
    idempotencyKey('Text that makes a retry safe, such as a UUID. Keys of different agents never collide.', {
      isOwn: true,
      isRequired: true,
    }),
  ],
  keyScope: (input) => proposalKeyScope(callerOf(input).key.payload.agent),
  body: IntakeRequest,
  bodyLimits: { maxBytes: LIMITS.intakeBodyMaxBytes, maxStringLength: LIMITS.intakeStringMaxLength },
  responses: [jsonResponse('The proposal is stored and pending.', IntakeReceipt, 202)],
  needs: ['secrets', 'submissions', 'quotas'],
  errors: [
    'intake_closed',
    'already_published',
    'idempotency_conflict',
    'submission_refused',
    'quota_exceeded',
    'index_unavailable',
    'state_unavailable',
  ],
  rateLimit: 'submit',
  handle: async (input, deps) => {
    const { body, idempotencyKey: key, sentBody, network } = input;
    const { deployment, clock, secrets, corpus, quotas, submissions } = deps;
    if (key === undefined) throw new TypeError('a proposal needs an Idempotency-Key');
    if (body.kind === 'capsule' && isFormerId(body.capsule_id, deployment))
      return refuse('already_published', `A capsule had the id "${body.capsule_id}". Propose another id.`);
    const sender = { agent: callerOf(input).key.payload.agent, network, idempotencyKey: key, sentBody };
    const { baseUrl, intake } = deployment;
    const result = await submitProposal(body, sender, { baseUrl, intake, clock, secrets, corpus, quotas, submissions });
    return result.ok ? ok({ kind: 'json', status: 202, value: JSON.parse(result.value) as IntakeReceipt }) : result;
  },
});

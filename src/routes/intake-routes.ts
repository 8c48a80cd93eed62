import * as z from 'zod';
import { sendMessage } from '../gateway/commerce/orders/request-invoice.ts';
import { entityTag } from '../gateway/digests-and-base62.ts';
import { proposalKeyScope, readProposal, submitProposal } from '../gateway/intake/submit-proposal.ts';
import { isFormerId } from '../gateway/knowledge/read-capsule.ts';
import { ok, refuse } from '../gateway/result.ts';
import {
  CHALLENGE_SOLUTION,
  callerOf,
  defineRoute,
  documentRoute,
  FORM_BODY_LIMITS,
  idempotencyKey,
  jsonOutcome,
  jsonResponse,
  pageResponse,
  type Route,
} from '../http/define-route.ts';
import { refusedForm } from '../http/on-demand-page-props.ts';
import { MessageBody, StoredMessage } from '../schemas/commerce/orders.ts';
import { IntakeReceipt, IntakeRequest, IntakeResponse, SubmissionStatus } from '../schemas/intake/proposals.ts';
import { LIMITS } from '../schemas/limits.ts';
import { PATHS, submissionApiPath } from '../schemas/paths.ts';

/** The form of the contact page. No document describes it: for proposals and orders there are operations. */
export const sendMessageRoute = defineRoute({
  id: 'sendMessage',
  method: 'POST',
  path: PATHS.messages,
  formPath: PATHS.contact,
  summary: 'Send a message to the publisher',
  description:
    'Stores a message, to which the publisher replies by e-mail. The same message within a day is stored once. A form gets the contact page, which says so; browsers get it back with its errors.',
  capability: 'agents',
  access: 'open',
  headers: [CHALLENGE_SOLUTION],
  body: MessageBody,
  bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
  bodyLimits: FORM_BODY_LIMITS,
  responses: [jsonResponse('The message is stored.', StoredMessage, 201), pageResponse('The contact page, after a form.')],
  needs: ['secrets', 'orders', 'quotas'],
  errors: ['quota_exceeded', 'state_unavailable'],
  rateLimit: 'message',
  refusalPage: (refusal, { fields }) => ({ page: 'contact', props: refusedForm(refusal, fields), visibility: 'unlisted' }),
  handle: async ({ body, network, isForm }, deps) => {
    const stored = await sendMessage(body, network, { ...deps, invoices: deps.commerce.invoices });
    if (!stored.ok) return stored;
    // No redirect: an address that says so could be opened without having sent anything. Sent again, it is stored once.
    if (isForm) return ok({ kind: 'page', page: 'contact', props: { values: {} }, visibility: 'unlisted' });
    const { receipt, createdAtMs } = stored.value;
    return ok({ kind: 'json', status: 201, value: { receipt, created_at: new Date(createdAtMs).toISOString() } });
  },
});

export const getIntakeRoute = documentRoute('intake', {
  id: 'getIntake',
  feature: 'intake',
  path: `${PATHS.publicCapsules}/intake`,
  staticPath: `${PATHS.data}/intake.json`,
  summary: 'Get the rules for proposals',
  description:
    'Whether proposals can be submitted, their requirements, how an agent gets the scope, how many are pending and for how long, and where else to send them.',
  capability: 'capsules',
  schema: IntakeResponse,
  cache: 60,
  atRunTime: async (built, { intakeQueue }) => {
    const document = JSON.parse(built.body) as IntakeResponse;
    if (!document.open) return built;
    const body = JSON.stringify({ ...document, queue: { ...document.queue, ...(await intakeQueue.read()) } } satisfies IntakeResponse);
    return { contentType: built.contentType, body, etag: await entityTag(body) };
  },
});

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
  needs: ['secrets', 'proposals', 'quotas'],
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
    const { body, idempotencyKey, sentBody, network } = input;
    const { baseUrl, intake } = deps.deployment;
    if (idempotencyKey === undefined) throw new TypeError('a proposal needs an Idempotency-Key');
    if (body.kind === 'capsule' && isFormerId(body.capsule_id, deps.deployment))
      return refuse('already_published', `A capsule had the id "${body.capsule_id}". Propose another id.`);
    const sender = { agent: callerOf(input).key.payload.agent, network, idempotencyKey, sentBody };
    const result = await submitProposal(body, sender, { ...deps, baseUrl, intake });
    return result.ok ? ok({ kind: 'json', status: 202, value: JSON.parse(result.value) as IntakeReceipt }) : result;
  },
});

/** Any text is accepted: an invalid receipt gets the same response as an unknown one. */
const GetProposalPath = z.object({ receipt: z.string().describe('The receipt that the response to the proposal returned.') });

export const getProposalRoute = defineRoute({
  id: 'getProposal',
  feature: 'intake',
  path: submissionApiPath('{receipt}'),
  summary: 'Get the status of a proposal',
  description:
    'The status of a proposal, for the agent that sent it, with any of its keys. Every other receipt gets the same 404, whether the proposal exists or not.',
  capability: 'capsules',
  access: 'key',
  pathParameters: GetProposalPath,
  queryParameters: z.strictObject({}),
  responses: [jsonResponse('The status.', SubmissionStatus)],
  needs: ['secrets', 'proposals'],
  errors: ['submission_not_found', 'state_unavailable'],
  rateLimit: 'query',
  handle: async (input, { secrets, proposals }) =>
    jsonOutcome(await readProposal(input.path.receipt, callerOf(input).key.payload.agent, secrets, proposals)),
});

export function routes(): readonly Route[] {
  return [getIntakeRoute, submitProposalRoute, getProposalRoute, sendMessageRoute];
}

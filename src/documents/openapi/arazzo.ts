import { ACP_VERSION } from '../../protocols/acp/acp-schemas.ts';
import { describedRoutes } from '../../routes/route-table.ts';
import { hasPrice } from '../../schemas/commerce/currency-and-availability.ts';
import { featuresOf } from '../../schemas/feature-switches.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../text/publication-model.ts';

type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

interface Step {
  readonly stepId: string;
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly value: Value }[];
  readonly requestBody?: { readonly contentType: 'application/json'; readonly payload: Value };
  readonly successCriteria: readonly { readonly condition: string }[];
  readonly outputs?: Readonly<Record<string, string>>;
}

const criteria = (...conditions: readonly string[]): { readonly condition: string }[] => conditions.map((condition) => ({ condition }));
const json = (payload: Value): NonNullable<Step['requestBody']> => ({ contentType: 'application/json', payload });
const text = (description: string, value: string): object => ({ type: 'string', description, default: value });

const BEARER = { name: 'Authorization', in: 'header', value: 'Bearer {$steps.register.outputs.api_key}' } as const;
/** Keys belong to an agent and an operation, and each run has an agent of its own. */
const IDEMPOTENCY_KEY = { name: 'Idempotency-Key', in: 'header', value: '$steps.register.outputs.agent_id' } as const;
const CAPSULE_ID = { name: 'capsule_id', in: 'path', value: '$steps.query.outputs.capsule_id' } as const;

/** Steps that end with a capsule, whose digests agree in the result, the capsule and its lineage. */
const ASK: readonly Step[] = [
  {
    stepId: 'register',
    operationId: 'registerAgent',
    description: 'Get an API key.',
    requestBody: json({ agent_name: '$inputs.agent_name' }),
    successCriteria: criteria('$statusCode == 201'),
    outputs: { api_key: '$response.body#/api_key' },
  },
  {
    stepId: 'query',
    operationId: 'queryKnowledge',
    description: 'Ask a question.',
    parameters: [BEARER],
    requestBody: json({ query: '$inputs.question', max_results: 1 }),
    successCriteria: criteria('$statusCode == 200', '$response.body#/page/total > 0'),
    outputs: {
      capsule_id: '$response.body#/results/0/capsule_id',
      version: '$response.body#/results/0/version',
      content_sha256: '$response.body#/results/0/content_sha256',
      quote: '$response.body#/results/0/quote/text',
    },
  },
  {
    stepId: 'read',
    operationId: 'getCapsule',
    description: 'Read the version that was quoted.',
    parameters: [CAPSULE_ID, { name: 'version', in: 'query', value: '$steps.query.outputs.version' }],
    successCriteria: criteria('$statusCode == 200', '$response.body#/content_sha256 == $steps.query.outputs.content_sha256'),
    outputs: { markdown: '$response.body#/markdown' },
  },
  {
    stepId: 'lineage',
    operationId: 'getCapsuleLineage',
    description: 'Get the versions of the capsule, and the head that names the newest one.',
    parameters: [CAPSULE_ID],
    successCriteria: criteria('$statusCode == 200', '$response.body#/id == $steps.query.outputs.capsule_id'),
    outputs: { head: '$response.body#/head/statement/head' },
  },
];

const OFFERS: Step = {
  stepId: 'offers',
  operationId: 'getOffers',
  description: 'Read the offers and their prices.',
  successCriteria: criteria('$statusCode == 200'),
  outputs: { offer_id: '$response.body#/offers/0/id' },
};

/** Steps that open a checkout session of the Agentic Commerce Protocol. Nothing is charged. */
const CHECKOUT: readonly Step[] = [
  {
    stepId: 'register',
    operationId: 'registerAgent',
    description: 'Get an API key that may open sessions.',
    requestBody: json({ agent_name: '$inputs.agent_name', scopes: ['read', 'buy'] }),
    successCriteria: criteria('$statusCode == 201'),
    outputs: { api_key: '$response.body#/api_key', agent_id: '$response.body#/agent_id' },
  },
  {
    stepId: 'open',
    operationId: 'createCheckoutSession',
    description: 'Open a session with one offer.',
    parameters: [BEARER, { name: 'API-Version', in: 'header', value: ACP_VERSION }, IDEMPOTENCY_KEY],
    requestBody: json({ line_items: [{ id: '$inputs.offer_id', quantity: 1 }], currency: 'usd', capabilities: {} }),
    successCriteria: criteria('$statusCode == 201'),
    outputs: { session_id: '$response.body#/id', status: '$response.body#/status' },
  },
  {
    stepId: 'cancel',
    operationId: 'cancelCheckoutSession',
    description: 'Cancel the session, as nobody confirmed a payment.',
    parameters: [
      BEARER,
      { name: 'checkout_session_id', in: 'path', value: '$steps.open.outputs.session_id' },
      { name: 'API-Version', in: 'header', value: ACP_VERSION },
      IDEMPOTENCY_KEY,
    ],
    successCriteria: criteria('$statusCode == 200', "$response.body#/status == 'canceled'"),
  },
];

/**
 * Arazzo 1.0.1. Inputs have defaults with which a workflow succeeds.
 * @throws {RangeError} If a step names an operation that the description of the API lacks.
 */
export function arazzoDocument({ deployment, publisher, offers, capsules }: Publication): object {
  const features = featuresOf(publisher, offers);
  const capsule = capsules.find(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  const sold = offers.find((offer) => hasPrice(offer));
  const agentName = text('Name of the agent, shown to the publisher.', 'My research agent');
  const workflows = [
    {
      workflowId: 'ask',
      summary: 'Ask a question and read what was found with its lineage',
      inputs: {
        type: 'object',
        properties: { agent_name: agentName, question: text('Question or keywords.', capsule?.metadata.title ?? deployment.name) },
        required: ['agent_name', 'question'],
      },
      steps: features.shop ? [...ASK, OFFERS] : ASK,
      outputs: { quote: '$steps.query.outputs.quote', markdown: '$steps.read.outputs.markdown', head: '$steps.lineage.outputs.head' },
    },
    ...(deployment.commerce.acp && sold !== undefined
      ? [
          {
            workflowId: 'checkout',
            summary: 'Open a checkout session, and cancel it',
            inputs: {
              type: 'object',
              properties: { agent_name: agentName, offer_id: text('Offer to buy.', sold.id) },
              required: ['agent_name', 'offer_id'],
            },
            steps: CHECKOUT,
            outputs: { session_id: '$steps.open.outputs.session_id' },
          },
        ]
      : []),
  ];
  const described = new Set(describedRoutes(deployment, features).map(({ id }) => id));
  for (const { operationId } of workflows.flatMap(({ steps }) => steps))
    if (!described.has(operationId)) throw new RangeError(`a workflow names the operation "${operationId}", which is not described`);
  return {
    arazzo: '1.0.1',
    info: { title: `Workflows of ${deployment.name}`, version: '1.0.0', description: 'What agents do with the API, step by step.' },
    sourceDescriptions: [{ name: 'api', url: deployment.baseUrl + PATHS.openApi, type: 'openapi' }],
    workflows: workflows.map((workflow) => ({ ...workflow, failureActions: [{ reference: '$components.failureActions.wait' }] })),
    components: {
      failureActions: {
        // Retry-After of the response overrules the seconds here (Arazzo 1.0.1, Failure Action Object).
        wait: { name: 'wait', type: 'retry', retryAfter: 5, retryLimit: 2, criteria: [{ condition: '$statusCode == 429' }] },
      },
    },
  };
}

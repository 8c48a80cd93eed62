import * as z from 'zod';
import { queryText } from '../../schemas/knowledge/query.ts';
import { QuoteCheck, quotation } from '../../schemas/knowledge/quote-check.ts';
import { SearchResponse } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { Id, IsoDate, Uri, Version } from '../../schemas/primitives.ts';
import { Publisher } from '../../schemas/publisher.ts';
import { JsonRpcId } from '../json-rpc.ts';

/** Agent2Agent Protocol (a2a-protocol.org). */
export const A2A_VERSION = '1.0';

const ShortText = z.string().max(LIMITS.shortTextMaxLength);
const Metadata = z.looseObject({}).optional().describe('Accepted and not used.');

export const A2aRequest = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.describe('Id of the request, which the response repeats.'),
  method: ShortText.min(1).describe('SendMessage, SendStreamingMessage, GetTask, ListTasks or CancelTask.'),
  params: z.looseObject({}).optional().describe('Parameters of the method: for SendMessage an object with the member message.'),
});
export type A2aRequest = z.infer<typeof A2aRequest>;

/** A part of a message that was received. Only texts and data are read. */
const SentPart = z.looseObject({ text: z.string().optional(), data: z.unknown().optional(), mediaType: ShortText.optional() });

/** Parameters of `SendMessage` (A2A 1.0, `SendMessageRequest`). */
export const SentMessage = z.looseObject({
  message: z.looseObject({
    messageId: ShortText.min(1),
    contextId: ShortText.optional(),
    taskId: ShortText.optional(),
    role: z.literal('ROLE_USER', 'must be ROLE_USER'),
    parts: z.array(SentPart).min(1).max(LIMITS.maxResultsMax),
    metadata: Metadata,
  }),
  configuration: z.looseObject({ acceptedOutputModes: z.array(ShortText).max(LIMITS.maxResultsMax).nullish() }).nullish(),
  metadata: Metadata,
});
export type SentMessage = z.infer<typeof SentMessage>;

export const TaskReference = z.looseObject({ id: ShortText.min(1) });

export const SkillRequest = z.discriminatedUnion(
  'skill',
  [
    z.strictObject({
      skill: z.literal('ask'),
      query: queryText().describe('Question or keywords.'),
      max_results: z.int().min(1).optional().describe('Most results; 5 by default.'),
    }),
    z.strictObject({
      skill: z.literal('verify_quote'),
      capsule_id: Id.describe('Id of the quoted capsule.'),
      version: Version.optional().describe('Quoted version; the newest by default.'),
      quote: quotation(),
    }),
    z.strictObject({ skill: z.literal('find_offer'), query: queryText().describe('What is wanted.') }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be one of ask, verify_quote, find_offer' : undefined) },
);
export type SkillRequest = z.infer<typeof SkillRequest>;

export const OutputMode = z.enum(['text/markdown', 'application/json', 'text/plain']);
export type OutputMode = z.infer<typeof OutputMode>;

const AnswerPart = z.object({
  text: z.string().min(1).optional().describe('The answer as markdown: quotations with their addresses.'),
  data: z.union([SearchResponse, QuoteCheck]).optional().describe('The answer as structured data.'),
  mediaType: OutputMode.describe('Media type of the part.'),
});

/** The answer to a message: a message again, because nothing is stored that could be a task. */
export const A2aMessage = z.object({
  messageId: ShortText.min(1).describe('Id of the answer.'),
  contextId: ShortText.min(1).describe('Context that the request named, or a new one. Nothing is kept of a context.'),
  role: z.literal('ROLE_AGENT').describe('The agent.'),
  parts: z.array(AnswerPart).describe('Parts of the accepted media types.'),
});
export type A2aMessage = z.infer<typeof A2aMessage>;

export const A2aResponse = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.describe('Id of the request.'),
  result: z.looseObject({}).describe('Result of the method: for SendMessage an object with the member message.'),
});

const DetailType = z.string().regex(/^type\.googleapis\.com\//);

/** The response to a request that failed (A2A 1.0, section 9.5). */
export const A2aFailure = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.nullable().describe('Id of the request, or null if it could not be read.'),
  error: z
    .object({
      code: z.int().max(-1).describe('Code of JSON-RPC or A2A.'),
      message: z.string().min(1).describe('What is wrong, and how to correct it.'),
      data: z
        .array(z.looseObject({ '@type': DetailType.describe('Type of the detail.') }))
        .describe('Details, in the types of google.rpc.'),
    })
    .describe('The error.'),
});

const MediaTypes = z.array(z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/)).min(1);

const Interface = z.object({
  url: Uri.describe('Address of the endpoint.'),
  protocolBinding: z.literal('JSONRPC').describe('Binding of the protocol.'),
  protocolVersion: z.literal(A2A_VERSION).describe('Version of the protocol.'),
});

const SkillId = z.string().regex(/^[a-z_]+$/);
const Skill = z.object({
  id: SkillId.describe('Id of the skill; data parts name it as skill.'),
  name: z.string().min(1).describe('Name of the skill.'),
  description: z.string().min(1).describe('What the skill does, and what to send.'),
  tags: z.array(z.string().min(1)).min(1).describe('Tags.'),
  examples: z.array(z.string().min(1)).optional().describe('Example messages.'),
  inputModes: MediaTypes.optional().describe('Accepted media types, if not those of the card.'),
});

/** `/.well-known/agent-card.json` (A2A 1.0, `AgentCard`). */
export const AgentCard = z.object({
  name: Publisher.shape.name.describe('Name of the agent: of the site.'),
  description: z.string().min(1).describe('What the agent answers.'),
  supportedInterfaces: z.array(Interface).min(1).describe('Where and how the agent is reached, the preferred way first.'),
  provider: z
    .object({ organization: Publisher.shape.name.describe('Publisher.'), url: Uri.describe('Site.') })
    .describe('Who provides the agent.'),
  version: IsoDate.describe('Version of the agent: date of the interface.'),
  documentationUrl: Uri.describe('Documentation.'),
  capabilities: z
    .object({
      streaming: z.boolean().describe('Whether answers can be streamed.'),
      pushNotifications: z.boolean().describe('Whether push notifications are supported.'),
      extendedAgentCard: z.boolean().describe('Whether there is an extended card.'),
    })
    .describe('Optional capabilities.'),
  defaultInputModes: MediaTypes.describe('Accepted media types.'),
  defaultOutputModes: MediaTypes.describe('Media types of answers.'),
  skills: z.array(Skill).min(1).describe('What the agent can do.'),
});
export type AgentCard = z.infer<typeof AgentCard>;

import * as z from 'zod';
import { errorEntry } from '../../gateway/errors.ts';
import { REFERENCE } from '../../gateway/knowledge/capsule-markdown.ts';
import { statedTitle, stateNote } from '../../gateway/knowledge/capsule-status-sentences.ts';
import { queryAllKinds } from '../../gateway/knowledge/query-knowledge.ts';
import { withSuggestedCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { termsNote } from '../../gateway/knowledge/render-site-result.ts';
import { verifyQuote } from '../../gateway/knowledge/verify-quote.ts';
import { ok, type Result, refuse, suggestionOf } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Outcome, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { renamed, withoutNulls } from '../../http/read-body.ts';
import { retryAfterOf } from '../../http/render-problem.ts';
import { validateInput, withSentNames } from '../../http/validate-input.ts';
import { toHex } from '../../provenance/bytes-and-sha256.ts';
import { featuresOf } from '../../schemas/feature-switches.ts';
import type { QuoteCheck } from '../../schemas/knowledge/quote-check.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import { GATEWAY_VERSION } from '../../schemas/limits.ts';
import { PATHS, problemPath } from '../../schemas/paths.ts';
import { changeOutsideCode, markdownLink, plainMarkdown, withAbsoluteLinks } from '../../text/markdown/write-markup.ts';
import { type Publication, priceNote } from '../../text/publication-model.ts';
import { rpcBinding, withRpc } from '../json-rpc.ts';
import { jsonDocument, type OperationExamples, type ProtocolModule, type ProtocolSettings } from '../protocol-module.ts';
import {
  A2A_VERSION,
  A2aFailure,
  type A2aMessage,
  A2aRequest,
  A2aResponse,
  AgentCard,
  OutputMode,
  SentMessage,
  SkillRequest,
  TaskReference,
} from './a2a-schemas.ts';

/** How long clients may cache the card, in seconds (A2A 1.0, section 8.6.1). */
const CARD_SECONDS = 300;

const A2A = { name: 'Agent2Agent Protocol', version: A2A_VERSION };

/** It needs functions, and a static site has no card. */
export const a2aProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static' ? undefined : { ...A2A, document: baseUrl + PATHS.agentCard, services: ['SendMessage', 'SendStreamingMessage'] },
  documents: [
    {
      name: 'agent_card',
      path: PATHS.agentCard,
      listing: { title: 'A2A agent card', note: 'skills and endpoint of the agent that answers questions, by the Agent2Agent Protocol' },
      kind: 'knowledge',
      isPublished: ({ mode }: ProtocolSettings) => mode !== 'static',
      make: (publication) => ({ ...jsonDocument(agentCard(publication)), contentType: AGENT_CARD_TYPE }),
      route: () => ({
        id: 'getAgentCard',
        summary: 'Discover the agent (A2A)',
        description: 'Agent card of the Agent2Agent Protocol: skills, endpoint and supported versions.',
        capability: 'knowledge',
        edge: true,
        schema: AgentCard,
        type: AGENT_CARD_TYPE,
        cache: CARD_SECONDS,
      }),
    },
  ],
  operations: () => [sendA2aMessageRoute],
  examples: (publication) => ({ getAgentCard: { response: agentCard(publication) }, ...a2aExamples(publication) }),
  schemas: { requests: { A2aRequest }, responses: { AgentCard, A2aResponse, A2aFailure } },
};

function a2aExamples({ examples }: Publication): OperationExamples {
  const search = examples.get('searchKnowledge');
  const query = search?.parameters?.['q'];
  if (search === undefined || query === undefined) return {};
  const data = search.response as SearchResponse;
  const message = writeMessage({ text: answerText(data), data }, { messageId: 'm-2', contextId: 'c-1', outputModes: OUTPUT_MODES });
  const response = { jsonrpc: '2.0', id: 1, result: { message } };
  return {
    sendA2aMessage: {
      request: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { messageId: 'm-1', contextId: 'c-1', role: 'ROLE_USER', parts: [{ data: { skill: 'ask', query, max_results: 2 } }] },
        },
      },
      response,
      otherForms: { 'text/event-stream': `data: ${JSON.stringify(response)}\n\n` },
    },
  };
}

const EVENTS = 'text/event-stream';
const HEADER = 'A2A-Version';

type Input = RouteInput<undefined, undefined, A2aRequest>;

const A2A_BINDING = rpcBinding({
  name: 'a2a',
  prefix: PATHS.a2a,
  errorSchema: A2aFailure,
  codes: { version_unsupported: -32_009 },
  errorOf: (refusal, baseUrl) => {
    const { code, detail, errors, protocolCode } = refusal;
    const retryAfter = retryAfterOf(refusal);
    const fieldViolations = errors?.map((error) => ({
      field: error.pointer,
      description: `${error.message}. ${suggestionOf(error)}`.replace(/\. $/, ''),
    }));
    return {
      message: detail === '' ? errorEntry(code).title : detail,
      data: [
        code === 'version_unsupported'
          ? errorInfo('VERSION_NOT_SUPPORTED', { supportedVersions: A2A_VERSION })
          : errorInfo(protocolCode ?? code.toUpperCase(), { code }),
        ...(fieldViolations === undefined ? [] : [{ '@type': `${TYPE}BadRequest`, fieldViolations }]),
        ...(retryAfter === undefined ? [] : [{ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfter}s` }]),
        { '@type': `${TYPE}Help`, links: [{ description: errorEntry(code).title, url: baseUrl + problemPath(code) }] },
      ],
    };
  },
});

/** It stores nothing, so that there are no tasks. */
const sendA2aMessageRoute = defineRoute({
  id: 'sendA2aMessage',
  method: 'POST',
  path: PATHS.a2a,
  answersTrailingSlash: true,
  summary: 'Ask over A2A',
  description:
    'The agent of this site by the Agent2Agent Protocol: JSON-RPC 2.0, version 1.0. A message is answered at once with a message: text with quotations, and the same as data. The agent card lists its skills.',
  capability: 'knowledge',
  access: 'open',
  headers: [{ name: HEADER, description: 'Version of A2A, which is 1.0.', minLength: 1, maxLength: 20, example: A2A_VERSION }],
  protocol: A2A_BINDING,
  body: A2aRequest,
  responses: [
    jsonResponse('The result.', A2aResponse),
    {
      status: 200,
      description: 'The result as one server-sent event, for methods that stream.',
      content: { type: EVENTS, schema: z.string() },
    },
  ],
  errors: ['version_unsupported', 'rpc_method_not_found', 'capsule_not_found', 'index_unavailable'],
  rateLimit: 'search',
  handlesOverLimit: true,
  handle: async (input, deps) => {
    const response = input.overLimit ? { ok: false as const, refusal: input.overLimit } : await respond(input, deps);
    return response.ok ? response : { ok: false, refusal: withRpc(response.refusal, { id: input.body.id }) };
  },
});

async function respond(input: Input, deps: GatewayDependencies): Promise<Result<Outcome>> {
  const { method, params, id } = input.body;
  // In a header, or a parameter of the same name (A2A 1.0, section 3.6.1).
  const sent = input.headers[HEADER.toLowerCase()] || input.rawQuery.get(HEADER);
  // Without it a client means 0.3 (section 3.6.2), unless the method is of 1.0 only.
  const version = sent || (/^(message|tasks|agent)\//.test(method) ? '0.3' : A2A_VERSION);
  if (/^\d+\.\d+/.exec(version)?.[0] !== A2A_VERSION)
    return refuse('version_unsupported', `This version of A2A is not supported. Send "A2A-Version: ${A2A_VERSION}".`);
  switch (method) {
    case 'SendMessage':
    case 'SendStreamingMessage': {
      const answer = await answerMessage(input, deps);
      return answer.ok ? rpcResult(id, { message: answer.value }, method === 'SendStreamingMessage') : answer;
    }
    case 'GetTask':
    case 'CancelTask':
    case 'SubscribeToTask': {
      const task = validateInput(TaskReference, params ?? {}, 'body');
      return task.ok ? noTask() : task;
    }
    case 'ListTasks':
      return rpcResult(id, { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 });
    case 'CreateTaskPushNotificationConfig':
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      return noPushNotifications();
    case 'GetExtendedAgentCard':
      return refuseA2a('UNSUPPORTED_OPERATION', 'There is no extended agent card; the public one says everything.');
    default:
      return refuse('rpc_method_not_found', `A2A ${A2A_VERSION} has no such method. Send a question with SendMessage.`);
  }
}

/** Nothing is stored, so that a message cannot continue a task. */
async function answerMessage({ body, degrade }: Input, deps: GatewayDependencies): Promise<Result<A2aMessage>> {
  const sent = validateInput(SentMessage, body.params ?? {}, 'body');
  if (!sent.ok) return sent;
  const { message, configuration } = sent.value;
  if (message.taskId) return noTask();
  if (configuration?.['taskPushNotificationConfig'] !== undefined || configuration?.['pushNotificationConfig'] !== undefined)
    return noPushNotifications();
  const outputModes = acceptedModes(configuration?.acceptedOutputModes ?? []);
  if (outputModes.length === 0)
    return refuseA2a('CONTENT_TYPE_NOT_SUPPORTED', `Answers are ${OUTPUT_MODES.join(' and ')}; acceptedOutputModes names neither.`);
  const request = readParts(message.parts, deps.features.shop);
  if (!request.ok) return request;
  const answer = withSentNames(await runSkill(request.value.skill, deps, () => degrade('index')), request.value.sentName);
  if (!answer.ok) return answer;
  const newId = (): string => toHex(deps.randomness.bytes(16));
  return ok(writeMessage(answer.value, { messageId: newId(), contextId: message.contextId || newId(), outputModes }));
}

function rpcResult(id: string | number, result: object, isStreamed = false): Result<Outcome> {
  const json = JSON.stringify({ jsonrpc: '2.0', id, result });
  const [contentType, body] = isStreamed ? [EVENTS, `data: ${json}\n\n`] : ['application/json', json];
  return ok({ kind: 'text', contentType, body });
}

function noTask() {
  return refuseA2a('TASK_NOT_FOUND', 'There is no such task: every message is answered at once, with a message.');
}

function noPushNotifications() {
  return refuseA2a('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are not supported: every message is answered at once.');
}

function acceptedModes(accepted: readonly string[]): OutputMode[] {
  if (accepted.length === 0) return [...OUTPUT_MODES];
  const accepts = (type: string): boolean => accepted.some((each) => each === type || each === '*/*' || each === `${type.split('/')[0]}/*`);
  const modes: OutputMode[] = [];
  if (accepts('text/markdown')) modes.push('text/markdown');
  else if (accepts('text/plain') || accepted.includes('text')) modes.push('text/plain');
  if (accepts('application/json')) modes.push('application/json');
  return modes;
}

/**
 * One data part is a request to a skill; otherwise the texts are a question. `sentName` is the JSON Pointer into the params for that of an error in
 * the request.
 */
function readParts(
  parts: SentMessage['message']['parts'],
  hasShop: boolean,
): Result<{ readonly skill: SkillRequest; readonly sentName: (pointer: string) => string }> {
  const isReadable = ({ text, data, mediaType = '' }: (typeof parts)[number]): boolean => {
    const isKnown = mediaType === '' || INPUT_MODES.some((mode) => mediaType.split(';')[0]?.trim().toLowerCase() === mode);
    return isKnown && (text !== undefined || data !== undefined);
  };
  if (!parts.every(isReadable))
    return refuseA2a('CONTENT_TYPE_NOT_SUPPORTED', `Parts must be text or data, of the media types ${INPUT_MODES.join(', ')}.`);
  const texts = parts.flatMap(({ text }) => text ?? []);
  const [first, second] = parts.flatMap(({ text, data }) => (text === undefined ? [data] : []));
  if (second !== undefined) return refuse('invalid_request', 'A message may have one data part.');
  const asked = first === undefined ? { skill: 'ask', query: texts.join('\n').trim() } : withoutNulls(first);
  const request = renamed(asked, 'id', 'capsule_id');
  const place = `/message/parts/${Math.max(
    0,
    parts.findIndex(({ text }) => (text === undefined) === (first !== undefined)),
  )}`;
  const sentName = (pointer: string): string => {
    if (first === undefined) return `${place}/text`;
    const member = pointer.replace(/^(?=[a-z])/, '/');
    return `${place}/data${request === asked ? member : member.replace(/^\/capsule_id$/, '/id')}`;
  };
  const skill = withSentNames(validateInput(SkillRequest, request, 'body'), sentName);
  if (!skill.ok) return skill;
  return skill.value.skill === 'find_offer' && !hasShop
    ? refuse('invalid_request', 'This site has no such skill; the agent card lists all.')
    : ok({ skill: skill.value, sentName });
}

/** A2A 1.0, section 5.4. */
const A2A_ERRORS = {
  TASK_NOT_FOUND: -32_001,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32_003,
  UNSUPPORTED_OPERATION: -32_004,
  CONTENT_TYPE_NOT_SUPPORTED: -32_005,
} as const;

const TYPE = 'type.googleapis.com/google.rpc.';

function refuseA2a(reason: keyof typeof A2A_ERRORS, detail: string) {
  return refuse('invalid_request', detail, { protocolCode: reason, rpc: { code: A2A_ERRORS[reason] } });
}

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): object {
  return { '@type': `${TYPE}ErrorInfo`, reason, domain: 'a2a-protocol.org', metadata };
}

/** Results of an answer, unless the request says otherwise: what fits into a conversation. */
const RESULTS_DEFAULT = 5;

interface SkillAnswer {
  readonly text: string;
  readonly data: SearchResponse | QuoteCheck;
}

async function runSkill(request: SkillRequest, deps: GatewayDependencies, onFallback: () => void): Promise<Result<SkillAnswer>> {
  const { corpus, deployment } = deps;
  if (request.skill === 'verify_quote') {
    const { capsule_id: capsuleId, version, quote } = request;
    const check = await verifyQuote({ capsuleId, version, quote }, corpus, deployment.baseUrl, onFallback);
    if (check.ok) return ok({ text: checkText(check.value), data: check.value });
    return { ok: false, refusal: await withSuggestedCapsules(check.refusal, capsuleId, corpus) };
  }
  const { max_results = RESULTS_DEFAULT } = request.skill === 'ask' ? request : {};
  const kind = request.skill === 'find_offer' ? { kind: 'offer' } : {};
  const query = queryOfSearch({ q: request.query, max_results, ...kind });
  const found = await queryAllKinds(query, corpus, deployment, onFallback);
  return found.ok ? ok({ text: answerText(found.value), data: found.value }) : found;
}

function answerText({ match, results }: SearchResponse): string {
  if (results.length === 0) return 'Nothing on this site matches. Ask with other words, or for another subject.';
  // Links are absolute, and the marks of footnotes are left out, because the notes are not quoted.
  const quoted = (text: string, url: string): string =>
    changeOutsideCode(withAbsoluteLinks(text, new URL(url).origin), (part) => part.replace(REFERENCE, ''))
      .split('\n')
      .map((line) => (line === '' ? '>' : `> ${line}`))
      .join('\n');
  const sections = results.map((result) => {
    const { url, quote } = result;
    const [title, note] =
      result.kind === 'capsule' ? [statedTitle(result), (priceNote(result) + stateNote(result)).trim()] : [result.title, termsNote(result)];
    const version = result.kind === 'capsule' ? `, version ${result.version}` : '';
    return `${markdownLink(plainMarkdown(title), url)} (${result.kind}${version}):\n\n${note === '' ? '' : `${plainMarkdown(note)}\n\n`}${quoted(quote.text, url)}`;
  });
  const [best] = results;
  const isCurrent = best?.kind !== 'capsule' || best.status === 'current';
  const first = best?.answer && isCurrent ? [`The answer, from the first result:\n\n${quoted(best.answer.text, best.url)}`] : [];
  return [`Match: ${match.level}, ${Math.round(match.share * 100)} % of the question.`, ...first, ...sections].join('\n\n');
}

function checkText(check: QuoteCheck): string {
  const { verdict, part = 'text', capsule_id, version, url } = check;
  const source = `${markdownLink(plainMarkdown(statedTitle(check)), url)} (${capsule_id} ${version})`;
  const note = stateNote(check);
  const state = note === '' ? '' : ` ${plainMarkdown(note)}`;
  if (verdict === 'not_found') return `The quotation is not in ${source}.${state}`;
  if (verdict === 'paid')
    return `The text of ${source} is sold, so the quotation was not compared with it. It is not in the title or the summary.${state}`;
  const place = part === 'text' ? '' : `the ${part} of `;
  return `The quotation is ${verdict === 'exact' ? 'word for word ' : ''}in ${place}${source}${DIFFERENCES[verdict]}.${state}`;
}

const DIFFERENCES = { exact: '', white_space_differs: ', with other white space', markup_differs: ', with other markup' } as const;

type MessageFrame = Pick<A2aMessage, 'messageId' | 'contextId'> & { readonly outputModes: readonly OutputMode[] };

function writeMessage({ text, data }: SkillAnswer, { messageId, contextId, outputModes }: MessageFrame): A2aMessage {
  const parts = outputModes.map((mediaType) => (mediaType === 'application/json' ? { data, mediaType } : { text, mediaType }));
  return { messageId, contextId, role: 'ROLE_AGENT', parts };
}

/** Media type of the card in catalogs (Agentic Resource Discovery). */
export const AGENT_CARD_TYPE = 'application/a2a-agent-card+json';

const INPUT_MODES = ['text/plain', 'text/markdown', 'application/json'] as const;
const OUTPUT_MODES = OutputMode.exclude(['text/plain']).options;

function agentCard({ deployment, publisher, offers, examples }: Publication): AgentCard {
  const { name, description, baseUrl } = deployment;
  const question = examples.get('searchKnowledge')?.parameters?.['q'];
  const capsule = examples.get('getCapsule')?.parameters?.['capsule_id'];
  return AgentCard.parse({
    name,
    description: `Answers questions from ${name} with quotations that can be verified. ${description}`,
    supportedInterfaces: [{ url: baseUrl + PATHS.a2a, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    provider: { organization: name, url: baseUrl },
    version: GATEWAY_VERSION,
    documentationUrl: baseUrl + PATHS.docs,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: [...INPUT_MODES],
    defaultOutputModes: [...OUTPUT_MODES],
    skills: [
      {
        id: 'ask',
        name: 'Ask a question',
        description:
          'Finds the passages that answer a question, quoted word for word with their addresses, versions and digests. No model writes the answer. Send the question as text, or data {"skill": "ask", "query": "…", "max_results": 5}.',
        tags: ['search', 'questions', 'quotations'],
        ...(question === undefined ? {} : { examples: [question] }),
      },
      {
        id: 'verify_quote',
        name: 'Verify a quotation',
        description:
          'Tells whether a capsule contains a quotation, and where. Send data {"skill": "verify_quote", "capsule_id": "…", "quote": "…"}, optionally with version.',
        tags: ['verification', 'quotations', 'provenance'],
        inputModes: ['application/json'],
        ...(capsule === undefined ? {} : { examples: [JSON.stringify({ skill: 'verify_quote', capsule_id: capsule, quote: '…' })] }),
      },
      ...(featuresOf(publisher, offers).shop
        ? [
            {
              id: 'find_offer',
              name: 'Find an offer',
              description:
                'Finds what is for sale, with current prices where they are fixed, and the pages that sell it. Send data {"skill": "find_offer", "query": "…"}.',
              tags: ['offers', 'prices'],
              inputModes: ['application/json'],
              ...(offers[0] === undefined ? {} : { examples: [JSON.stringify({ skill: 'find_offer', query: offers[0].name })] }),
            },
          ]
        : []),
    ],
  } satisfies AgentCard);
}

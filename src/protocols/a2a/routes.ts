import * as z from 'zod';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Outcome, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { validateInput } from '../../http/validate-input.ts';
import { toHex } from '../../provenance/bytes.ts';
import { PATHS } from '../../schemas/paths.ts';
import { invalidMessage, withRpc } from '../json-rpc.ts';
import { A2A_VERSIONS } from '../versions.ts';
import { A2A_BINDING, refuseA2a, unsupportedVersion } from './json-rpc.ts';
import { noPushNotifications, noTask, readMessage } from './read-message.ts';
import { runSkill } from './run-skill.ts';
import { type A2aMessage, A2aRequest, A2aResponse, TaskReference } from './schemas.ts';
import { writeMessage } from './write-message.ts';

const EVENTS = 'text/event-stream';
const HEADER = 'A2A-Version';

/** Bytes of an id that is made here. */
const ID_BYTES = 16;

type A2aVersion = (typeof A2A_VERSIONS)[number];
type Input = RouteInput<undefined, undefined, A2aRequest>;

/** Operations of version 1.0, by their names in version 0.3 (A2A 1.0, appendix A). */
const NAMES_IN_0_3: Readonly<Record<string, string>> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
  'tasks/pushNotificationConfig/set': 'CreateTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/get': 'GetTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/list': 'ListTaskPushNotificationConfigs',
  'tasks/pushNotificationConfig/delete': 'DeleteTaskPushNotificationConfig',
  'agent/getAuthenticatedExtendedCard': 'GetExtendedAgentCard',
};

/** The agent of A2A: one JSON-RPC request, one response. It stores nothing, so that there are no tasks. */
export const sendA2aMessageRoute = defineRoute({
  id: 'sendA2aMessage',
  method: 'POST',
  path: PATHS.a2a,
  answersTrailingSlash: true,
  summary: 'Ask over A2A',
  description:
    'The agent of this site by the Agent2Agent Protocol: JSON-RPC 2.0, versions 1.0 and 0.3. A message is answered at once with a message: text with quotations, and the same as data. The agent card lists its skills.',
  capability: 'knowledge',
  access: 'open',
  headers: [
    {
      name: HEADER,
      description: 'Version of A2A. Without it, the name of the method decides.',
      minLength: 1,
      maxLength: 20,
      example: A2A_VERSIONS[0],
    },
  ],
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
  onInvalid: async (_path, refusal, _deps, sentBody) => invalidMessage(refusal, sentBody),
  handle: async (input, deps) => {
    const response = input.overLimit ? { ok: false as const, refusal: input.overLimit } : await respond(input, deps);
    return response.ok ? response : { ok: false, refusal: withRpc(response.refusal, { id: input.body.id }) };
  },
});

async function respond(input: Input, deps: GatewayDependencies): Promise<Result<Outcome>> {
  const { method: name, params, id } = input.body;
  const version = versionOf(input);
  if (version === undefined) return unsupportedVersion();
  const method = version === '0.3' ? NAMES_IN_0_3[name] : name;
  switch (method) {
    case 'SendMessage':
    case 'SendStreamingMessage': {
      const answer = await answerMessage(input, version, deps);
      if (!answer.ok) return answer;
      const result = version === '0.3' ? answer.value : { message: answer.value };
      return rpcResult(id, result, method === 'SendStreamingMessage');
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
      return version === '0.3'
        ? refuseA2a('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'There is no extended agent card.')
        : refuseA2a('UNSUPPORTED_OPERATION', 'There is no extended agent card; the public one says everything.');
    default:
      return refuse(
        'rpc_method_not_found',
        `A2A ${version} has no such method. Send a question with ${version === '0.3' ? 'message/send' : 'SendMessage'}.`,
      );
  }
}

/**
 * The version of a request: of its header, or of a parameter of the same name (A2A 1.0, section 3.6.1). An empty one means 0.3 (section
 * 3.6.2); names of methods that 0.3 does not have can only mean a newer version.
 */
function versionOf({ headers, rawQuery, body }: Input): A2aVersion | undefined {
  const stated = headers[HEADER.toLowerCase()] ?? rawQuery.get(HEADER) ?? '';
  if (stated === '') return Object.hasOwn(NAMES_IN_0_3, body.method) || body.method.includes('/') ? '0.3' : '1.0';
  return A2A_VERSIONS.find((version) => version === /^\d+\.\d+/.exec(stated)?.[0]);
}

async function answerMessage({ body, degrade }: Input, version: A2aVersion, deps: GatewayDependencies): Promise<Result<A2aMessage>> {
  const message = readMessage(body.params, deps.features.shop);
  if (!message.ok) return message;
  const { request, contextId, outputModes } = message.value;
  const answer = await runSkill(request, deps, () => degrade('index'));
  if (!answer.ok) return answer;
  const newId = (): string => toHex(deps.randomness.bytes(ID_BYTES));
  return ok(writeMessage(answer.value, { messageId: newId(), contextId: contextId ?? newId(), outputModes, version }));
}

function rpcResult(id: string | number, result: object, isStreamed = false): Result<Outcome> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  return ok(
    isStreamed ? { kind: 'text', contentType: EVENTS, body: `data: ${body}\n\n` } : { kind: 'text', contentType: 'application/json', body },
  );
}

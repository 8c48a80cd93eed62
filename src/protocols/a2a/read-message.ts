import { ok, type Result, refuse } from '../../gateway/result.ts';
import { validateInput } from '../../http/validate-input.ts';
import { INPUT_MODES, OUTPUT_MODES } from './agent-card.ts';
import { refuseA2a } from './json-rpc.ts';
import { type OutputMode, SentMessage, type SentPart, SkillRequest } from './schemas.ts';

/** A message that was understood. */
export interface ReadMessage {
  readonly request: SkillRequest;
  readonly contextId: string | undefined;
  /** Media types of the answer that the client accepts. */
  readonly outputModes: readonly OutputMode[];
}

/** Reads the parameters of `SendMessage`; nothing is stored, so that a message cannot continue a task. */
export function readMessage(params: unknown, hasShop: boolean): Result<ReadMessage> {
  const sent = validateInput(SentMessage, params ?? {}, 'body');
  if (!sent.ok) return sent;
  const { message, configuration } = sent.value;
  if (message.taskId !== undefined && message.taskId !== '') return noTask();
  if (configuration?.['taskPushNotificationConfig'] !== undefined || configuration?.['pushNotificationConfig'] !== undefined)
    return noPushNotifications();
  const outputModes = acceptedModes(configuration?.acceptedOutputModes ?? []);
  if (outputModes.length === 0)
    return refuseA2a('CONTENT_TYPE_NOT_SUPPORTED', `Answers are ${OUTPUT_MODES.join(' and ')}; acceptedOutputModes names neither.`);
  const request = readParts(message.parts, hasShop);
  if (!request.ok) return request;
  return ok({ request: request.value, contextId: message.contextId === '' ? undefined : message.contextId, outputModes });
}

/** The refusal of every task: a message is answered with a message, and nothing is stored. */
export function noTask() {
  return refuseA2a('TASK_NOT_FOUND', 'There is no such task: every message is answered at once, with a message.');
}

/** The refusal of push notifications. */
export function noPushNotifications() {
  return refuseA2a('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are not supported: every message is answered at once.');
}

/** Modes of an answer that a list of media types accepts; an empty list accepts all. */
function acceptedModes(accepted: readonly string[]): OutputMode[] {
  if (accepted.length === 0) return [...OUTPUT_MODES];
  const accepts = (type: string): boolean => accepted.some((each) => each === type || each === '*/*' || each === `${type.split('/')[0]}/*`);
  const text: OutputMode[] = accepts('text/markdown')
    ? ['text/markdown']
    : accepts('text/plain') || accepted.includes('text')
      ? ['text/plain']
      : [];
  return [...text, ...(accepts('application/json') ? (['application/json'] as const) : [])];
}

/** What the parts ask for: one data part is a request to a skill; otherwise the texts are a question. */
function readParts(parts: readonly SentPart[], hasShop: boolean): Result<SkillRequest> {
  const texts: string[] = [];
  const data: unknown[] = [];
  for (const part of parts) {
    const { text, data: value, mediaType } = part;
    const isKnown =
      mediaType === undefined || mediaType === '' || INPUT_MODES.some((mode) => mediaType.split(';')[0]?.trim().toLowerCase() === mode);
    if (!isKnown || (text === undefined && value === undefined))
      return refuseA2a('CONTENT_TYPE_NOT_SUPPORTED', `Parts must be text or data, of the media types ${INPUT_MODES.join(', ')}.`);
    if (text !== undefined) texts.push(text);
    else data.push(value);
  }
  const [first, second] = data;
  if (second !== undefined) return refuse('invalid_request', 'A message may have one data part.');
  const asked = first ?? { skill: 'ask', query: texts.join('\n').trim() };
  const request = validateInput(SkillRequest, asked, 'body');
  if (!request.ok) return request;
  return request.value.skill === 'find_offer' && !hasShop
    ? refuse('invalid_request', 'This site has no such skill; the agent card lists all.')
    : request;
}

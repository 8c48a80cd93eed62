import type { JsonObject } from '../../schemas/json-schema.ts';
import { type Components, componentRef, type OperationObject, type Reference, type ResponseObject } from './document.ts';
import { firstSentence, type Shortening, shortSchema } from './shorten.ts';

/** Name of the response that stands for every error. */
export const ANY_ERROR = 'Error';

/** How an operation is shortened. */
export interface OperationShortening {
  readonly request: Shortening;
  readonly response: Shortening;
  /** Largest example of a request that stays, in bytes of JSON; 0 for none. */
  readonly requestExampleMaxBytes: number;
  /** The same for the example of a response. */
  readonly responseExampleMaxBytes: number;
  /** Whether the description is whole, or its first sentence. */
  readonly isWhole: boolean;
  /** Errors: their codes by status for each operation, or one response that all operations share. */
  readonly errors: 'codes' | 'shared';
}

/** An operation in short: what to send, and what comes back if it succeeds; errors by status, each with its codes. */
export function shortOperation(operation: OperationObject, components: Components, shortening: OperationShortening): OperationObject {
  const { isWhole } = shortening;
  const { operationId, summary, description, security = [], parameters, requestBody, responses, tags } = operation;
  return {
    operationId,
    summary,
    description: isWhole ? description : firstSentence(description),
    ...(isWhole && tags ? { tags } : {}),
    ...(isWhole || security.length > 0 ? { security } : {}),
    ...(parameters === undefined
      ? {}
      : {
          parameters: parameters.map(({ example, required, ...parameter }) => ({
            ...parameter,
            ...(required ? { required } : {}),
            description: firstSentence(parameter.description),
            schema: shortSchema(parameter.schema, shortening.request) as JsonObject,
            ...(example !== undefined && (isWhole || parameter.in !== 'header') ? { example } : {}),
          })),
        }),
    ...(requestBody === undefined ? {} : { requestBody: shortBody(requestBody, shortening) }),
    responses: shortResponses(responses, components, shortening),
  };
}

function shortBody({ required, content }: JsonObject, { request, requestExampleMaxBytes }: OperationShortening): JsonObject {
  const json = (content as Record<string, JsonObject>)['application/json'];
  if (json === undefined) return { required, content };
  const examples = json['examples'] as Record<string, { value: unknown }> | undefined;
  const example = json['example'] ?? Object.values(examples ?? {})[0]?.value;
  return {
    required,
    content: {
      'application/json': { schema: shortSchema(json['schema'], request), ...exampleWithin(example, requestExampleMaxBytes) },
    },
  };
}

function exampleWithin(example: unknown, maxBytes: number): JsonObject {
  return example === undefined || JSON.stringify(example).length > maxBytes ? {} : { example };
}

/** Successes in their first form, and every error under its status: codes in the description, one schema for all. */
function shortResponses(
  responses: OperationObject['responses'],
  components: Components,
  { response: shortening, responseExampleMaxBytes, errors: errorForm }: OperationShortening,
): OperationObject['responses'] {
  const short: Record<string, ResponseObject | Reference> = {};
  const errors: string[] = [];
  for (const [status, entry] of Object.entries(responses)) {
    const response = resolved(entry, components);
    if (status.startsWith('2') || status.startsWith('3')) {
      if (status === '304') continue;
      const [first] = Object.entries(response.content ?? {});
      short[status] = {
        description: firstSentence(response.description),
        ...(first === undefined
          ? {}
          : {
              content: {
                [first[0]]: {
                  schema: shortSchema(first[1]['schema'], shortening),
                  ...exampleWithin(first[1]['example'], responseExampleMaxBytes),
                },
              },
            }),
      };
    } else errors.push(...codesOf(response).map((code) => `${status} ${code}`));
  }
  if (errors.length > 0 && errorForm === 'shared') short['default'] = componentRef('responses', ANY_ERROR);
  else if (errors.length > 0) {
    const [, { content } = { content: undefined }] = Object.entries(responses)
      .map(([status, entry]) => [status, resolved(entry, components)] as const)
      .find(([status, { content: body }]) => status.startsWith('4') && body !== undefined) ?? [undefined, undefined];
    const [type, body] = Object.entries(content ?? {})[0] ?? [];
    short['default'] = {
      description: `${errors.join(', ')}.`,
      ...(type === undefined || body === undefined ? {} : { content: { [type]: { schema: shortSchema(body['schema'], shortening) } } }),
    };
  }
  return short;
}

function codesOf(response: ResponseObject): string[] {
  return Object.values(response.content ?? {}).flatMap(({ examples }, at) => (at === 0 ? Object.keys(examples ?? {}) : []));
}

function resolved(entry: ResponseObject | Reference, components: Components): ResponseObject {
  if (!('$ref' in entry)) return entry;
  const name = entry.$ref.slice(componentRef('responses', '').$ref.length);
  return (components.responses?.[name] ?? { description: '' }) as ResponseObject;
}

import type { JsonObject } from '../../schemas/json-schema.ts';

export interface ResponseObject {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, JsonObject>>;
}

export interface Reference {
  readonly $ref: string;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** Absent in short descriptions if it may be left out. */
  readonly required?: boolean;
  readonly schema: JsonObject;
  readonly example?: unknown;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** Absent in short descriptions if no key is needed, which means the same as an empty list. */
  readonly security?: readonly JsonObject[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: JsonObject;
  /** Price (draft-payment-discovery-00). */
  readonly 'x-payment-info'?: JsonObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export type Paths = Record<string, Record<string, OperationObject>>;

export type ComponentKind = 'schemas' | 'responses' | 'headers' | 'examples' | 'securitySchemes';

export type Components = Partial<Record<ComponentKind, JsonObject>>;

export interface OpenApiObject {
  readonly openapi: '3.1.1';
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly externalDocs: JsonObject;
  readonly 'x-service-info'?: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Components;
}

export function componentRef(kind: ComponentKind, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

export function pascalCase(snake: string): string {
  return snake.replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase());
}

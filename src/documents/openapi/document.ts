import type { JsonObject } from '../../schemas/json-schema.ts';

/** An answer, by its media types. */
export interface ResponseObject {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, JsonObject>>;
}

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

/** A parameter of an operation. */
export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly example?: unknown;
}

/** An operation. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly JsonObject[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: JsonObject;
  /** What the operation costs (draft-payment-discovery-00). */
  readonly 'x-payment-info'?: JsonObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** Kinds of components that the document uses. */
export type ComponentKind = 'schemas' | 'responses' | 'headers' | 'examples' | 'securitySchemes';

/** Components by kind and name. */
export type Components = Partial<Record<ComponentKind, JsonObject>>;

/** An OpenAPI 3.1.1 document, as far as it is used here. */
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

/** Reference to a component. */
export function componentRef(kind: ComponentKind, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `snake_case` as `PascalCase`, for names of components. */
export function pascalCase(snake: string): string {
  return snake.replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase());
}

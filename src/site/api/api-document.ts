/** The members of a JSON Schema that pages show. */
export interface SchemaView {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: SchemaView;
  readonly properties?: Readonly<Record<string, SchemaView>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly SchemaView[];
  readonly oneOf?: readonly SchemaView[];
  readonly allOf?: readonly SchemaView[];
}

/** A body of one media type, with an example or several by name. */
export interface MediaView {
  readonly schema?: SchemaView;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** A response of an operation. */
interface ResponseView {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaView>>;
}

interface OperationView {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: SchemaView;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaView>> };
  readonly responses: Readonly<Record<string, ResponseView>>;
}

/** The members of the OpenAPI document that pages show. */
export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaView>> };
}

/** An operation with its method and path. */
export interface PlacedOperation extends OperationView {
  readonly method: string;
  readonly path: string;
}

/** All operations in the order of the document. */
export function operationsOf(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The schema behind a reference; a description beside the reference takes precedence. */
export function resolveSchema(schema: SchemaView | undefined, document: ApiDocument): SchemaView {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined
    ? (schema ?? {})
    : { ...document.components.schemas[name], ...(schema?.description ? { description: schema.description } : {}) };
}

import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type JsonSchema = Readonly<Record<string, unknown>>;

interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** Says what is wrong with a value, or nothing. */
type Validate = (value: unknown) => string | undefined;

/** An answer of an operation: its headers, media types with what checks them, and the error codes that it may carry. */
interface DescribedAnswer {
  readonly headers: readonly string[];
  readonly types: ReadonlyMap<string, Validate>;
  readonly codes: readonly string[];
}

export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsKey: boolean;
  readonly parameters: readonly DescribedParameter[];
  readonly body: JsonSchema | undefined;
  readonly example: unknown;
  readonly answers: ReadonlyMap<number, DescribedAnswer>;
}

export interface DescribedApi {
  readonly operations: readonly DescribedOperation[];
  /** Follows references within the document. */
  readonly resolve: (schema: JsonSchema) => JsonSchema;
  /** Operations at a path, by method; `undefined` where none is. */
  readonly at: (path: string) => ReadonlyMap<string, DescribedOperation> | undefined;
}

type Json = Readonly<Record<string, unknown>>;
const DOCUMENT_ID = 'https://document.example/';

/**
 * Reads an OpenAPI 3.1 document as this service writes it.
 *
 * @param ids Operations that are wanted; files of the site are described too.
 */
export function describedApi(document: Json, ids: ReadonlySet<string>): DescribedApi {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats(ajv);
  ajv.addSchema({ $id: DOCUMENT_ID, ...document } as AnySchemaObject);
  const resolve = (value: Json): Json => {
    const reference = value['$ref'];
    return typeof reference === 'string' ? resolve({ ...at(document, reference.slice(2).split('/')), ...withoutReference(value) }) : value;
  };
  const validators = new Map<string, ValidateFunction>();
  const validator = (schema: unknown): Validate => {
    const text = JSON.stringify(schema ?? {}).replaceAll('"#/components/', `"${DOCUMENT_ID}#/components/`);
    // Compiled when it is first used: most runs see few of all answers.
    return (value) => {
      const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as AnySchemaObject);
      validators.set(text, validate);
      if (validate(value)) return undefined;
      const [error] = validate.errors ?? [];
      return `${error?.instancePath ?? ''} ${error?.message ?? ''}`;
    };
  };
  const described = Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => {
      const content = ((operation['requestBody'] as Json | undefined)?.['content'] ?? {}) as Record<string, Json>;
      return {
        id: String(operation['operationId']),
        method: method.toUpperCase(),
        path,
        needsKey: (operation['security'] as unknown[]).length > 0,
        parameters: ((operation['parameters'] ?? []) as Json[]).map((each) => resolve(each) as unknown as DescribedParameter),
        body: content['application/json']?.['schema'] as JsonSchema | undefined,
        example: exampleOf(content['application/json']),
        answers: new Map(
          Object.entries(operation['responses'] as Record<string, Json>).map(([status, response]) => {
            const { content: types = {}, headers = {} } = resolve(response) as { content?: Record<string, Json>; headers?: Json };
            return [
              Number(status),
              {
                headers: Object.keys(headers),
                types: new Map(Object.entries(types).map(([type, { schema }]) => [type, validator(schema)])),
                codes: Object.keys((types['application/problem+json']?.['examples'] ?? {}) as Json),
              },
            ];
          }),
        ),
      };
    }),
  );
  const operations = described.filter(({ id }) => ids.has(id));
  const patterns = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    methods: new Map(operations.filter((operation) => operation.path === path).map((operation) => [operation.method, operation])),
    isPlain: !path.includes('{'),
  }));
  const plainFirst = patterns.toSorted((a, b) => Number(b.isPlain) - Number(a.isPlain));
  return { operations, resolve, at: (path) => plainFirst.find(({ pattern }) => pattern.test(path))?.methods };
}

/** The example of a body, the first one of several. */
function exampleOf(media: Json | undefined): unknown {
  const [first] = Object.values((media?.['examples'] ?? {}) as Record<string, Json>);
  return media?.['example'] ?? first?.['value'];
}

function at(document: Json, names: readonly string[]): Json {
  return names.reduce<unknown>((value, name) => (value as Json)[name], document) as Json;
}

function withoutReference({ $ref: _reference, ...rest }: Json): Json {
  return rest;
}

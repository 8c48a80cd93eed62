import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { optional } from './optional-tools.ts';

/**
 * Folder of the official JSON Schemas of a commerce protocol, which are not part of the repository: the environment variable
 * OFFICIAL_SCHEMAS names the folder of all. `undefined` after one line that says what is skipped.
 *
 * @throws {Error} If OFFICIAL_SCHEMAS names a folder without them although REQUIRE_ALL=1 forbids to skip.
 */
export function officialSchemas(protocol: 'acp' | 'ucp' | 'mpp', below = ''): string | undefined {
  const all = process.env['OFFICIAL_SCHEMAS'];
  if (!all) {
    console.log(`skipped: checks against the official schemas of ${protocol}; OFFICIAL_SCHEMAS names no folder`);
    return undefined;
  }
  const folder = join(all, protocol, below);
  return optional(`the official schemas of ${protocol}: ${folder}`, readable(folder) ? folder : undefined);
}

function readable(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

export interface UcpSchemas {
  /** @param id Path of the schema under `https://ucp.dev/schemas/`, with its fragment. */
  readonly faults: (id: string, value: unknown) => string[];
  /** Faults of the body of a request: members that only answers have are taken out, as the annotation `ucp_request` says. */
  readonly requestFaults: (operation: UcpOperation, id: string, value: unknown) => string[];
}

export type UcpOperation = 'create' | 'update' | 'complete' | 'search' | 'lookup';

interface Schema {
  readonly [name: string]: unknown;
  readonly $id?: string;
}

export function loadUcpSchemas(): UcpSchemas | undefined {
  const folder = officialSchemas('ucp', 'head-fdcf8934/schemas');
  if (folder === undefined) return undefined;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  const schemas = files.map((path) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as Schema);
  const compilers = new Map<UcpOperation | 'answer', Ajv2020>();
  const compilerOf = (direction: UcpOperation | 'answer'): Ajv2020 => {
    let ajv = compilers.get(direction);
    if (ajv === undefined) {
      ajv = new Ajv2020({ strict: false, allErrors: true });
      addFormats(ajv);
      for (const schema of schemas) ajv.addSchema((direction === 'answer' ? schema : asRequest(schema, direction)) as object);
      compilers.set(direction, ajv);
    }
    return ajv;
  };
  const check = (direction: UcpOperation | 'answer', id: string, value: unknown): string[] => {
    const validate = compilerOf(direction).getSchema(`https://ucp.dev/schemas/${id}`);
    if (validate === undefined) throw new Error(`there is no schema ${id}`);
    return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return { faults: (id, value) => check('answer', id, value), requestFaults: check };
}

function asRequest(value: unknown, operation: UcpOperation): unknown {
  if (Array.isArray(value)) return value.map((item) => asRequest(item, operation));
  if (typeof value !== 'object' || value === null) return value;
  const { properties, required, ...rest } = value as Record<string, unknown>;
  const others = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, asRequest(member, operation)]));
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return { ...others, ...(required === undefined ? {} : { required }), ...(properties === undefined ? {} : { properties }) };
  const rules = Object.entries(properties as Record<string, Schema>).map(
    ([name, member]) => [name, member, ruleOf(member, operation)] as const,
  );
  const asked = new Set(Array.isArray(required) ? (required as string[]) : []);
  for (const [name, , rule] of rules) {
    if (rule === 'required') asked.add(name);
    else if (rule !== undefined) asked.delete(name);
  }
  const kept = rules.filter(([, , rule]) => rule !== 'omit').map(([name, member]) => [name, asRequest(member, operation)]);
  return { ...others, required: [...asked], properties: Object.fromEntries(kept) };
}

function ruleOf({ ucp_request: rule }: Schema, operation: UcpOperation): string | undefined {
  return typeof rule === 'object' && rule !== null ? (rule as Record<string, string>)[operation] : (rule as string | undefined);
}

/**
 * What is wrong with a value by a definition of an official schema; nothing where the schemas are not at hand.
 *
 * @param name Definition, such as `CheckoutSession`.
 */
export interface OfficialCheck {
  (name: string, value: unknown, schema?: 'agentic_checkout' | 'feed'): readonly string[];
  /** Whether the schemas are at hand: a test of nothing else is skipped without them. */
  readonly isHere: boolean;
}

/** The official schemas as a check; one line says so where they are not at hand. */
export function officialAcp(): OfficialCheck {
  const folder = officialSchemas('acp');
  if (folder === undefined) return Object.assign((): readonly string[] => [], { isHere: false });
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const ids = new Map(
    ['agentic_checkout', 'feed'].map((name) => {
      const schema = JSON.parse(readFileSync(join(folder, `2026-04-17/json-schema/schema.${name}.json`), 'utf8')) as { $id: string };
      ajv.addSchema(schema);
      return [name, schema.$id] as const;
    }),
  );
  const check = (name: string, value: unknown, schema: 'agentic_checkout' | 'feed' = 'agentic_checkout'): readonly string[] => {
    const validate = ajv.getSchema(`${ids.get(schema)}#/$defs/${name}`);
    if (validate === undefined) throw new Error(`the official schema has no definition ${name}`);
    return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return Object.assign(check, { isHere: true });
}

/** Examples of requests and answers that come with the official schemas, by name; none where they are not at hand. */
export function officialAcpExamples(): Readonly<Record<string, Record<string, unknown>>> {
  const folder = officialSchemas('acp', 'examples-2026-04-17');
  if (folder === undefined) return {};
  return JSON.parse(readFileSync(join(folder, 'examples.agentic_checkout.json'), 'utf8')) as Record<string, Record<string, unknown>>;
}

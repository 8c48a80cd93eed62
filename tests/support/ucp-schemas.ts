import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OFFICIAL_SCHEMAS } from './paths.ts';

/** The official schemas of UCP, where they are at hand. */
const FOLDER = join(OFFICIAL_SCHEMAS, 'ucp/head-fdcf8934/schemas');

/** Faults of a value by the official schemas; none for one that is valid. */
export interface UcpSchemas {
  /** @param id Path of the schema under `https://ucp.dev/schemas/`, with its fragment. */
  readonly faults: (id: string, value: unknown) => string[];
  /** Faults of the body of a request: members that only answers have are taken out, as the annotation `ucp_request` says. */
  readonly requestFaults: (operation: UcpOperation, id: string, value: unknown) => string[];
}

/** Operations that take a body of their own. */
export type UcpOperation = 'create' | 'update' | 'complete' | 'search' | 'lookup';

interface Schema {
  readonly [name: string]: unknown;
  readonly $id?: string;
}

/** The schemas, or `undefined` after one line that says what is skipped. */
export function loadUcpSchemas(): UcpSchemas | undefined {
  if (!existsSync(FOLDER)) {
    console.log('skipped: the official schemas of the Universal Commerce Protocol are not here');
    return undefined;
  }
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  const schemas = files.map((path) => JSON.parse(readFileSync(join(FOLDER, path), 'utf8')) as Schema);
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

/** A schema as it is for the bodies of one operation. */
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

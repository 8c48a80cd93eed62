import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { openApiDocument } from '../../../src/documents/openapi/openapi.ts';
import { FetchArguments, OffersArguments, SearchArguments, VerifyQuoteArguments } from '../../../src/protocols/mcp/knowledge-tools.ts';
import { BrowseParameters } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import {
  type ApiDocument,
  bodyForms,
  isTried,
  type Member,
  membersOf,
  operationsOf,
  type PlacedOperation,
  parametersOf,
  samplesOf,
} from '../../../src/site/openapi-view.ts';
import { findTool } from '../../support/optional-tools.ts';
import { smallPublication } from '../documents/publication-fixture.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(await smallPublication('edge')))) as ApiDocument;
/** A body of signed bytes has no members that the document knows, and one that may be left out may have none. */
const withBody = operationsOf(document).filter(
  ({ operationId, requestBody }) => requestBody?.required === true && operationId !== 'takeProcessorMessage',
);
const bodyOf = ({ requestBody }: PlacedOperation) => requestBody?.content['application/json'];
const nested = (members: readonly Member[], before = ''): [path: string, member: Member][] =>
  members.flatMap((member) => {
    const path = before + member.name;
    return [[path, member] as [string, Member], ...member.groups.flatMap((group) => nested(group.members, `${path}.`))];
  });

it.each(withBody)('the page of $operationId shows the members of every form of the body, and a request with an example', (operation) => {
  const forms = bodyForms(bodyOf(operation), document);
  expect(forms.length).toBeGreaterThan(0);
  for (const { members } of forms) expect(members.length).toBeGreaterThan(0);
  expect(new Set(forms.map(({ id }) => id)).size).toBe(forms.length);
  expect(samplesOf(operation, document)[0]?.code).toMatch(/-d '\{.*\}'$/s);
});

it('a proposal is shown as a whole capsule and as a correction, each with an example of its own', () => {
  const operation = withBody.find(({ operationId }) => operationId === 'submitProposal');
  if (operation === undefined) throw new Error('nothing can be proposed');
  const [capsule, correction, ...others] = bodyForms(bodyOf(operation), document);
  expect(others).toEqual([]);
  expect([capsule?.title, correction?.title]).toEqual(['A new capsule', 'A correction']);
  const [ofCapsule, ofCorrection] = [nested(capsule?.members ?? []), nested(correction?.members ?? [])];
  const [namesOfCapsule, namesOfCorrection] = [ofCapsule.map(([name]) => name), ofCorrection.map(([name]) => name)];
  for (const member of ['kind', 'metadata.license', 'metadata.sources.url', 'markdown', 'note']) expect(namesOfCapsule).toContain(member);
  for (const member of ['kind', 'version', 'quote', 'replacement', 'sources.key']) expect(namesOfCorrection).toContain(member);
  expect(namesOfCapsule).not.toContain('quote');
  expect(JSON.parse(capsule?.example ?? '')).toMatchObject({ kind: 'capsule', metadata: { type: 'protocol' } });
  expect(JSON.parse(correction?.example ?? '')).toMatchObject({ kind: 'correction' });
  for (const [, { type, meaning }] of [...ofCapsule, ...ofCorrection]) {
    expect(type).not.toBe('');
    expect(meaning).not.toBe('');
  }
});

const all = operationsOf(document);
const operationOf = (id: string): PlacedOperation => all.find(({ operationId }) => operationId === id) ?? expect.unreachable(id);

it('says which parameters and members are required, and shows the members of every form of an object', () => {
  const required = (members: readonly Member[]): string[] => members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  expect(required(parametersOf(operationOf('searchKnowledge'), document))).toEqual(['q']);
  const [form] = bodyForms(bodyOf(operationOf('registerAgent')), document);
  expect(required(form?.members ?? [])).toEqual(['agent_name']);
  const { schema } = operationOf('searchKnowledge').responses['200']?.content?.['application/json'] ?? {};
  const results = membersOf(schema, document).find(({ name }) => name === 'results');
  expect(results?.groups.length).toBeGreaterThan(1);
  for (const { title, members } of results?.groups ?? []) expect([title, members.length > 0]).toEqual([expect.stringMatching(/./), true]);
});

describe('samples of requests', () => {
  it('send the method of their operation, in TypeScript that compiles', () => {
    const options = { reportDiagnostics: true, compilerOptions: { module: ts.ModuleKind.ESNext } };
    for (const operation of all) {
      const [curl = '', typescript = '', python = ''] = samplesOf(operation, document).map(({ code }) => code);
      const { method } = operation;
      const named = /-X (\w+)/.exec(curl)?.[1] ?? (/ (?:-d|--data-binary) /.test(curl) ? 'POST' : 'GET');
      const inTypescript = /method: '(\w+)'/.exec(typescript)?.[1] ?? 'GET';
      expect([operation.operationId, named, inTypescript]).toEqual([operation.operationId, method, method]);
      expect(ts.transpileModule(typescript, options).diagnostics, operation.operationId).toEqual([]);
      expect(python).toContain(`requests.${method.toLowerCase()}(`);
    }
  });

  const python = findTool('python3');
  it.skipIf(python === undefined)('are Python that compiles', () => {
    const codes = all.map((operation) => samplesOf(operation, document)[2]?.code);
    const check = 'import json, sys\nfor code in json.load(sys.stdin): compile(code, "sample", "exec")';
    const { status, stderr } = spawnSync(python ?? '', ['-c', check], { input: JSON.stringify(codes), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('call a tool of the MCP server with arguments that it takes, where it has one', () => {
    const schemas: Readonly<Record<string, z.ZodType>> = {
      query: QueryRequest,
      search: SearchArguments,
      fetch: FetchArguments,
      verify_quote: VerifyQuoteArguments,
      browse: BrowseParameters.partial(),
      offers: OffersArguments,
    };
    const calls = all.flatMap((operation) => samplesOf(operation, document).filter(({ id }) => id === 'mcp'));
    expect(calls.length).toBeGreaterThan(6);
    for (const { code } of calls) {
      const { params } = JSON.parse(code) as { params: { name: string; arguments: unknown } };
      expect(schemas[params.name]?.safeParse(params.arguments).error, code).toBeUndefined();
    }
  });
});

it('no page offers to send a request that buys, leads to where one pays, or writes to the publisher', () => {
  const tried = all.filter(isTried);
  const ids = tried.map(({ operationId }) => operationId);
  for (const id of ['queryKnowledge', 'searchKnowledge', 'getCapsule', 'registerAgent', 'getOffers']) expect(ids).toContain(id);
  for (const id of ['buyOffer', 'openCheckout', 'startCheckout', 'requestInvoice', 'submitProposal', 'takeProcessorMessage'])
    expect(ids).not.toContain(id);
  expect(tried.filter(({ method, tags }) => method !== 'GET' && tags.includes('commerce'))).toEqual([]);
});

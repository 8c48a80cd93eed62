import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/documents/openapi/openapi.ts';
import { type ApiDocument, bodyForms, curlOf, operationsOf, type PlacedOperation } from '../../../src/site/openapi-view.ts';
import { smallPublication } from '../documents/publication-fixture.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(await smallPublication('edge')))) as ApiDocument;
/** A body of signed bytes has no members that the document knows, and one that may be left out may have none. */
const withBody = operationsOf(document).filter(
  ({ operationId, requestBody }) => requestBody?.required === true && operationId !== 'takeProcessorMessage',
);
const bodyOf = ({ requestBody }: PlacedOperation) => requestBody?.content['application/json'];
const membersIn = (rows: readonly (readonly string[])[]): string[] => rows.map(([name = '']) => name.replace(/<\/?code>/g, ''));

describe.each(withBody)('the page of $operationId', (operation) => {
  const forms = bodyForms(bodyOf(operation), document);

  it('shows the members of every form of the body', () => {
    expect(forms.length).toBeGreaterThan(0);
    for (const { rows } of forms) expect(rows.length).toBeGreaterThan(0);
    expect(new Set(forms.map(({ id }) => id)).size).toBe(forms.length);
  });

  it('has a request with a body that is an example of the document', () => {
    expect(curlOf(operation, document)).toMatch(/-d '\{.*\}'$/s);
  });
});

it('a proposal is shown as a whole capsule and as a correction, each with an example of its own', () => {
  const operation = withBody.find(({ operationId }) => operationId === 'submitProposal');
  if (operation === undefined) throw new Error('nothing can be proposed');
  const [capsule, correction, ...others] = bodyForms(bodyOf(operation), document);
  expect(others).toEqual([]);
  expect([capsule?.title, correction?.title]).toEqual(['A new capsule', 'A correction']);
  const [ofCapsule, ofCorrection] = [membersIn(capsule?.rows ?? []), membersIn(correction?.rows ?? [])];
  for (const member of ['kind', 'metadata.license', 'metadata.sources[].url', 'markdown', 'note']) expect(ofCapsule).toContain(member);
  for (const member of ['kind', 'version', 'quote', 'replacement', 'sources[].key']) expect(ofCorrection).toContain(member);
  expect(ofCapsule).not.toContain('quote');
  expect(JSON.parse(capsule?.example ?? '')).toMatchObject({ kind: 'capsule', metadata: { type: 'protocol' } });
  expect(JSON.parse(correction?.example ?? '')).toMatchObject({ kind: 'correction' });
  for (const [, type = '', meaning] of [...(capsule?.rows ?? []), ...(correction?.rows ?? [])]) {
    expect(type).not.toBe('');
    expect(meaning).not.toBe('');
  }
});

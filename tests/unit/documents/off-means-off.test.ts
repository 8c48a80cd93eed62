import { describe, expect, test } from 'vitest';
import { functionDocuments } from '../../../src/documents/document-files.ts';
import { guidesOf } from '../../../src/documents/page-registry.ts';
import { describedErrors } from '../../../src/documents/site-pages.ts';
import type { Publication } from '../../../src/publication/publication.ts';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import { smallPublication } from './publication-fixture.ts';

const published = await smallPublication('edge');

/** The small publication under another deployment description. */
function publicationWith(change: Partial<Deployment>): Publication {
  return { ...published, deployment: { ...published.deployment, ...change } };
}

/** Operations, guides and errors, as documents list them. */
function described(change: Partial<Deployment>): string {
  const publication = publicationWith(change);
  const { openApi, capabilities } = functionDocuments(publication);
  const guides = guidesOf(publication.deployment).map(({ path }) => path);
  return [openApi?.body, capabilities.body, ...guides, ...describedErrors(publication.deployment)].join('\n');
}
describe.each([
  ['intake', { intake: 'closed' }, /submitProposal|getProposal|\/docs\/proposing|intake_closed|submission_refused/],
  ['payments', {}, /\/docs\/paying|payment_settling|facilitator_unavailable/],
] as const)('without %s', (_name, change, words) => {
  test('documents mention it nowhere', () => {
    expect(described(change).match(new RegExp(`.{0,80}(?:${words.source}).{0,40}`, 'g')) ?? []).toEqual([]);
  });
});
test('what is on is described', () => {
  expect(described({ intake: 'open' })).toMatch(/submitProposal/);
});

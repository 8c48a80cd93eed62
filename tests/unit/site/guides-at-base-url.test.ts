import { beforeAll, expect, test, vi } from 'vitest';
import type { PageContent } from '../../../src/publication/publication.ts';
import { forgetPublication, publication } from '../../../src/site/publication.ts';

const BASE_URL = 'https://signpost.example';
let guides: PageContent['docs'];

beforeAll(async () => {
  vi.stubEnv('BASE_URL', BASE_URL);
  forgetPublication();
  guides = (await publication()).docs;
  return () => {
    vi.unstubAllEnvs();
    forgetPublication();
  };
});

test('the texts of all pages name the site where it is served, and no address of a machine', () => {
  expect(guides.length).toBeGreaterThan(10);
  for (const { id, markdown } of guides) expect(markdown, id).not.toMatch(/127\.0\.0\.1|localhost/);
});

test('a command of a guide leads to the site', () => {
  expect(guides.find(({ id }) => id === 'quickstart')?.markdown).toContain(`curl -s -X POST ${BASE_URL}/api/v1/agent-gateway/register`);
});

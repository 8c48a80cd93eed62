import { expect, test } from 'vitest';
import { LOCAL_BASE_URL } from '../../../src/schemas/deployment.ts';
import { readSiteContent } from '../../../src/site/site-content.ts';
import { ROOT } from '../../support/paths.ts';

const {
  site,
  pages: { docs },
} = await readSiteContent(ROOT);

test('guides name the site where it is served, and no address of a machine', () => {
  expect(docs.length).toBeGreaterThan(5);
  expect(site.publisher.base_url).not.toBe(LOCAL_BASE_URL);
  for (const { id, markdown } of docs) expect(markdown, id).not.toMatch(/127\.0\.0\.1|localhost/);
});

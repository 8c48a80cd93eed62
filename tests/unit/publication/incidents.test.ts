import { expect, it } from 'vitest';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { makePublication } from '../../support/sample-content.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { type Files, TODAY, writeWorld } from './content-world.ts';

const INCIDENTS = `incidents:
  - date: 2026-01-02
    title: Old one
    state: resolved
    text: It is over.
  - date: 2026-02-03
    title: Search finds little
    state: identified
    text: |
      A block is missing.

      We publish again.
`;

const FILES: Files = { 'incidents.yaml': INCIDENTS };

it('incidents.yaml gives incidents, newest first', async () => {
  const { content } = await readContent(await writeWorld(FILES), { today: TODAY });
  expect(content?.incidents).toEqual([
    { date: '2026-02-03', title: 'Search finds little', state: 'identified', text: 'A block is missing.\n\nWe publish again.' },
    { date: '2026-01-02', title: 'Old one', state: 'resolved', text: 'It is over.' },
  ]);
  const { publication } = await makePublication(await contentOf(await writeWorld(FILES)), { mode: 'static', rateLimits: undefined });
  const file = documentFiles(publication).find(({ path }) => path === '/data/status.json');
  expect(JSON.parse(file?.body ?? '')).toMatchObject({ incidents: [{ date: '2026-02-03', state: 'identified' }] });
});

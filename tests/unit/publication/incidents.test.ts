import { describe, expect, it } from 'vitest';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { makePublication } from '../../support/sample-content.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { type Files, problemsOf, TODAY, writeWorld } from './content-world.ts';

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

describe('incidents.yaml', () => {
  it('gives incidents, newest first', async () => {
    const { content } = await readContent(await writeWorld(FILES), { today: TODAY });
    expect(content?.incidents).toEqual([
      { date: '2026-02-03', title: 'Search finds little', state: 'identified', text: 'A block is missing.\n\nWe publish again.' },
      { date: '2026-01-02', title: 'Old one', state: 'resolved', text: 'It is over.' },
    ]);
    const { publication } = await makePublication(await contentOf(await writeWorld(FILES)), { mode: 'static', rateLimits: undefined });
    const file = documentFiles(publication).find(({ path }) => path === '/data/status.json');
    expect(JSON.parse(file?.body ?? '')).toMatchObject({ incidents: [{ date: '2026-02-03', state: 'identified' }] });
  });

  it.each([
    ['an unknown state', 'state: identified', 'state: fixed', '8 incidents[1].state: must be one of'],
    ['a day that has not come', '2026-02-03', '2999-01-01', `6 incidents[1].date: is after today, ${TODAY}`],
    ['no title', '    title: Old one\n', '', '2 incidents[0].title: is missing'],
    ['an unknown field', 'title: Old one', 'titel: Old one', '3 incidents[0].titel: is not a known field. Did you mean "title"?'],
    ['an empty text', 'text: It is over.', 'text: " "', '5 incidents[0].text: has no value; write what happened'],
  ])('is refused with %s, at its line', async (_what, from, to, problem) => {
    const problems = await problemsOf({ 'incidents.yaml': INCIDENTS.replace(from, to) });
    expect(problems.join('\n')).toContain(`incidents.yaml:${problem}`);
  });
});

import { describe, expect, test } from 'vitest';
import { BROWSER } from '../../support/carts.ts';
import { type UsedGateway, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';

const gateway = useSharedGateway({ files: 'built' });
const noSecret = useSharedGateway({ files: 'built', signingSecrets: undefined });
const noDatabase = useSharedGateway({ files: 'built', state: 'unbound' });
const own = useEdgeGateway();

const pageOf = async (service: Pick<UsedGateway, 'fetch'>): Promise<string> => {
  const response = await service.fetch('/status', { headers: BROWSER });
  expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  return (await response.text()).replace(/\s+/g, ' ');
};

const verdictOf = (page: string): string[] => {
  const [, state = '', words = ''] = /<div class="verdict (\w+)".*?<\/svg>\s*(.*?)\s*<\/span>/.exec(page) ?? [];
  return [state, words];
};

describe('viewStatus 200 text/html', () => {
  test('says that everything works, while it does', async () => {
    const page = await pageOf(gateway);
    expect(verdictOf(page)).toEqual(['passed', 'Everything works']);
    expect(page).not.toContain('noindex');
    expect(page).toContain('There is no history yet.');
  });

  test('says what fails, in words', async () => {
    expect(verdictOf(await pageOf(noSecret))).toEqual(['failed', 'Something fails: API keys']);
    const page = await pageOf(noDatabase);
    expect(verdictOf(page)).toEqual(['failed', 'Something fails: Database']);
    expect(page).toContain('The history cannot be read now.');
  });

  test('shows each of the last 90 days, and names those with failures', async () => {
    const database = await own.running().miniflare.getD1Database('STATE', 'gateway');
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    await database
      .prepare('INSERT INTO status_days VALUES (?1, 288, 0), (?2, 288, 4), (?3, 1, 1)')
      .bind(today, today - 86_400_000, today - 200 * 86_400_000)
      .run();
    const page = await pageOf(own);
    const days = /<ol class="days".*?<\/ol>/.exec(page)?.[0].match(/<li class="\w+"/g) ?? [];
    expect(days.map((day) => day.slice(11, -1)).reverse()).toEqual(['passed', 'failed', ...Array<string>(88).fill('unknown')]);
    expect(page).toContain('572 of 576 checks passed.');
    expect(page.match(/<li>[^<]*: 4 of 288 checks failed<\/li>/g)).toHaveLength(1);
  });
});

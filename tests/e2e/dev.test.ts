import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCommerceKit } from '../support/commerce-kit.ts';
import { type DevPublication, type DevService, makeDevPublication, startDev } from '../support/dev-publication.ts';
import { ROOT } from '../support/paths.ts';

const CHAIN = `---
title: Cleaning a chain
---

A chain lasts longer when it is cleaned and oiled after a ride in the rain. Wipe it dry first.
`;

const DRAFT = `---
title: Truing a wheel
draft: true
---

A wheel is true when the rim runs straight between the brake pads.
`;

const kit = await loadCommerceKit();

/** Longest time until a save is seen, in milliseconds. */
const WAIT_MAX_MS = 30_000;

/** `npm run dev` over a publication of two capsules, as somebody uses it who writes. */
describe('npm run dev', () => {
  let publication: DevPublication;
  let dev: DevService;
  let key = '';

  const save = async (path: string, text: string): Promise<void> => {
    await publication.write(`${path}~`, text);
    const read = dev.says(' ms');
    await rename(join(publication.folder, 'content', `${path}~`), join(publication.folder, 'content', path));
    await read;
  };
  /** The page once it has a text: a save can be read twice. */
  const pageWith = (path: string, text: string): Promise<void> => expect.poll(() => page(path), { timeout: WAIT_MAX_MS }).toContain(text);
  const get = (path: string): Promise<Response> => fetch(dev.address + path);
  const page = async (path: string): Promise<string> => (await get(path)).text();
  const found = async (query: string): Promise<string[]> => {
    const response = await fetch(`${dev.address}/api/v1/agent-gateway/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { results: { capsule_id: string }[] }).results.map(({ capsule_id }) => capsule_id);
  };

  beforeAll(async () => {
    publication = await makeDevPublication('dev-test');
    await publication.write('capsules/cleaning-a-chain.md', CHAIN);
    await publication.write('capsules/truing-a-wheel.md', DRAFT);
    dev = await startDev(publication.folder);
    const registered = await fetch(`${dev.address}/api/v1/agent-gateway/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_name: 'Test' }),
    });
    key = ((await registered.json()) as { api_key: string }).api_key;
  });
  afterAll(() => publication.remove());

  it('shows and finds what was saved, in every form', async () => {
    expect(await found('marigold')).toEqual([]);
    await save('capsules/cleaning-a-chain.md', `${CHAIN}\nThe marigold brush reaches the inner plates.\n`);
    await pageWith('/capsules/cleaning-a-chain', 'The marigold brush');
    await pageWith('/capsules/cleaning-a-chain.md', 'The marigold brush');
    await expect.poll(() => found('marigold'), { timeout: WAIT_MAX_MS }).toEqual(['cleaning-a-chain']);
    expect((await get('/openapi.json')).status).toBe(200);
    expect((await get('/api/v1/agent-gateway/capabilities')).status).toBe(200);
  });

  it('shows drafts, and says which texts are drafts', async () => {
    await pageWith('/capsules/truing-a-wheel', 'between the brake pads');
    expect(await (await get('/preview/status.json')).json()).toMatchObject({ errors: 0, drafts: ['/capsules/truing-a-wheel'] });
    expect(await page('/preview')).toMatch(/Truing a wheel[\s\S]*draft/);
  });

  it('has a preview with both forms of a text, and the rank and quote for a question', async () => {
    const preview = await page('/preview/capsules/truing-a-wheel');
    expect(preview).toContain('src="/capsules/truing-a-wheel"');
    expect(preview).toContain('content_sha256');
    const answer = await fetch(`${dev.address}/preview/query`, {
      method: 'POST',
      body: JSON.stringify({ question: 'when is a rim true?', id: 'truing-a-wheel' }),
    });
    const text = DRAFT.slice(DRAFT.lastIndexOf('---') + 5);
    const { found: result } = (await answer.json()) as { found: { rank: number; quote: { start: number; end: number; text: string } } };
    expect(result.rank).toBe(1);
    expect(text.slice(result.quote.start, result.quote.end)).toBe(result.quote.text);
  });

  it('keeps what was there while a text has a mistake, shows the mistake, and forgets it once mended', async () => {
    const whole = await readFile(join(publication.folder, 'content/capsules/cleaning-a-chain.md'), 'utf8');
    await save('capsules/cleaning-a-chain.md', whole.replace('title: Cleaning a chain', 'title: Cleaning: a chain'));
    await expect
      .poll(async () => (await get('/preview/status.json')).json(), { timeout: WAIT_MAX_MS })
      .toMatchObject({ errors: 1, first: expect.stringContaining('content/capsules/cleaning-a-chain.md:2') });
    expect(await page('/preview/capsules/cleaning-a-chain')).toContain('title: Cleaning: a chain');
    await pageWith('/capsules/cleaning-a-chain', 'The marigold brush');
    // Other texts are shown as they are written meanwhile.
    await save('capsules/truing-a-wheel.md', `${DRAFT}\nTurn the nipple a quarter at a time.\n`);
    await pageWith('/capsules/truing-a-wheel', 'Turn the nipple');
    await save('capsules/cleaning-a-chain.md', whole);
    await expect.poll(async () => (await get('/preview/status.json')).json(), { timeout: WAIT_MAX_MS }).toMatchObject({ errors: 0 });
  });

  it('follows new, renamed and deleted files, and publisher.yaml', async () => {
    const file = (name: string): string => join(publication.folder, 'content/capsules', name);
    await save('capsules/wet-brakes.md', '---\ntitle: Wet brakes\n---\n\nRim brakes need twice the distance in rain.\n');
    await expect.poll(() => found('rim brakes distance'), { timeout: WAIT_MAX_MS }).toContain('wet-brakes');
    let read = dev.says(' ms');
    await rename(file('wet-brakes.md'), file('brakes-in-rain.md'));
    await read;
    await pageWith('/capsules/brakes-in-rain', 'twice the distance');
    await expect.poll(async () => (await get('/capsules/wet-brakes')).status, { timeout: WAIT_MAX_MS }).toBe(404);
    read = dev.says(' ms');
    await rm(file('brakes-in-rain.md'));
    await read;
    await expect.poll(() => found('rim brakes distance'), { timeout: WAIT_MAX_MS }).not.toContain('brakes-in-rain');
    const publisher = await readFile(join(publication.folder, 'content/publisher.yaml'), 'utf8');
    await save('publisher.yaml', publisher.replace('Bench and wheel', 'Spoke and hub'));
    await pageWith('/', 'Spoke and hub');
  });

  it('serves offers, with pages that a browser may style, and the images of texts', async () => {
    await mkdir(join(publication.folder, 'content/offers'), { recursive: true });
    await publication.write(
      'offers/sketch.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4H0z"/></svg>',
    );
    await save('offers/winter-service.md', '---\nname: Winter service\nprice: on request\n---\n\nWe clean it. ![A brush](sketch.svg)\n');
    await pageWith('/buy/winter-service', 'We clean it.');
    const response = await get('/buy/winter-service');
    expect([response.status, response.headers.get('Content-Security-Policy')]).toEqual([200, null]);
    const [image = ''] = /\/media\/[^"\s]+\.svg/.exec(await response.text()) ?? [];
    const served = await get(image);
    expect([served.status, served.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    expect(await served.text()).toContain('<path d="M0 0h4v4H0z"/>');
  });

  it('sells a paid text as a demonstration, to a wallet, a card and a person, where publisher.yaml names no payments', async () => {
    expect(await page('/.well-known/x402')).not.toContain('facilitator');
    const sold = 'The rim is true within a tenth of a millimetre.';
    const text = `---\ntitle: Measuring a rim\naccess: paid\nprice_usd: 1\ndraft: true\n---\n\nA gauge shows more than an eye.\n\n<!-- paid -->\n\n${sold}\n`;
    await save('capsules/measuring-a-rim.md', text);
    await pageWith('/capsules/measuring-a-rim', 'demonstration: no money is taken');
    expect(dev.output()).toContain(`curl -X POST ${dev.address}/preview/purchase/measuring-a-rim`);
    expect(await page('/preview')).toMatch(/<strong[^>]*>Gap to fill in<\/strong>\s+<code[^>]*>payments/);
    const address = `${dev.address}/capsules/measuring-a-rim.md`;
    const asked = await fetch(address);
    expect([asked.status, (await asked.text()).includes(sold)]).toEqual([402, false]);
    const purchase = await (await fetch(`${dev.address}/preview/purchase/measuring-a-rim`, { method: 'POST' })).text();
    expect(purchase).toMatch(/< 402\n[\s\S]*\nPAYMENT-SIGNATURE, decoded: [\s\S]*< 200\n[\s\S]*tenth of a millimetre/);
    const form = new URLSearchParams({ items: 'measuring-a-rim:1', currency: 'USD', test: '1' });
    const ordered = await fetch(`${dev.address}/checkout`, { method: 'POST', body: form });
    expect(await ordered.text()).toMatch(/demonstration[\s\S]*tenth of a millimetre/);
    await save('capsules/measuring-a-hub.md', text.replace('a rim', 'a hub').replace('price_usd: 1', 'prices: { EUR: 0.95 }'));
    await pageWith('/capsules/measuring-a-hub', 'demonstration: no money is taken');
    const inEuros = new URLSearchParams({ items: 'measuring-a-hub:1', currency: 'EUR', test: '1' });
    expect(await (await fetch(`${dev.address}/checkout`, { method: 'POST', body: inEuros })).text()).toContain(sold);
    if (kit === undefined) return;
    const account = kit.newAccount();
    for (const pay of [kit.x402Fetch(account, fetch), kit.mppFetch(account, fetch), kit.cardFetch(async () => 'spt_of_a_card', fetch)]) {
      const bought = await pay(address);
      expect([bought.status, await bought.text()]).toEqual([200, expect.stringContaining(sold)]);
    }
    const paying =
      'payments: { pay_to: "0x000000000000000000000000000000000000dEaD", network: "eip155:8453", facilitator: https://pay.bench-and-wheel.net, stripe_profile: profile_1AbC }';
    await save('publisher.yaml', `${await readFile(join(publication.folder, 'content/publisher.yaml'), 'utf8')}${paying}\n`);
    await expect.poll(() => page('/capsules/measuring-a-rim'), { timeout: WAIT_MAX_MS }).not.toContain('demonstration');
    const bought = async (): Promise<number> => (await fetch(`${dev.address}/buy/measuring-a-rim`)).status;
    await expect.poll(bought, { timeout: WAIT_MAX_MS }).toBe(404);
  });

  it('names a formula that cannot be drawn among the checks of the preview', async () => {
    await save('capsules/lever-arm.md', '# Lever arm\n\nThe torque is $\\nosuch{F}$ newton metres.\n');
    await pageWith('/preview/capsules/lever-arm', 'has a formula that cannot be drawn');
  });

  it('ends with Ctrl-C', async () => {
    expect(await dev.interrupt()).toBe(0);
    await expect(get('/')).rejects.toThrow();
  });
});

it('astro dev serves pages, documents and the API of a publication alone, and its own pages, as they are after each change', async () => {
  const publication = await makeDevPublication('astro-dev-test');
  const { folder, write, remove } = publication;
  const engine = (path: string): string => JSON.stringify(join(ROOT, 'src', path));
  await write('capsules/cleaning-a-chain.md', CHAIN);
  await mkdir(join(folder, 'src/pages'), { recursive: true });
  const own = `---\nimport { getCollection } from 'astro:content';\nconst capsules = await getCollection('capsules');\n---\n<h1>{capsules.map(({ data }) => data.title)}</h1>\n`;
  await writeFile(join(folder, 'src/pages/own.astro'), own);
  await writeFile(join(folder, 'src/content.config.ts'), `export { collections } from ${engine('site/content-collections.ts')};\n`);
  const config = `import { agentKnowledgeGateway } from ${engine('build/astro-integration.ts')};\nexport default { integrations: [agentKnowledgeGateway()] };\n`;
  await writeFile(join(folder, 'astro.config.mjs'), config);
  const dev = await startDev(folder, true);
  try {
    const read = async (path: string): Promise<string> => (await fetch(dev.address + path)).text();
    expect(await read('/capsules/cleaning-a-chain')).toContain('Wipe it dry first.');
    expect(await read('/own')).toContain('<h1>Cleaning a chain</h1>');
    expect(JSON.parse(await read('/api/v1/agent-gateway/capsule/cleaning-a-chain'))).toMatchObject({ capsule_id: 'cleaning-a-chain' });
    for (const path of ['/llms.txt', '/sitemap.xml', '/capsules/cleaning-a-chain.md'])
      expect([path, await read(path)]).toEqual([path, expect.stringContaining('leaning')]);
    await write('capsules/cleaning-a-chain.md', CHAIN.replace('Cleaning a chain', 'Washing a chain'));
    await expect.poll(() => read('/own'), { timeout: WAIT_MAX_MS }).toContain('<h1>Washing a chain</h1>');
    await expect.poll(() => read('/llms.txt'), { timeout: WAIT_MAX_MS }).toContain('Washing a chain');
  } finally {
    await dev.interrupt();
    await remove();
  }
});

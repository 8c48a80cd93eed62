import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { gateway } from '../../src/client/gateway-client.ts';
import { newScript } from '../support/campaign.ts';
import { CHROMIUM_FLAGS, findTool } from '../support/optional-tools.ts';
import { ROOT, TEST_BASE_URL } from '../support/paths.ts';

/** The picture of the README: the page of a capsule, and beside it an answer that the client has checked. */
const { url } = newScript('readme:picture', 'Draw docs/site-and-answer.png from the sample, which "npm start" serves.')
  .option('--url <origin>', 'where the sample is served', TEST_BASE_URL)
  .parse()
  .opts();

const PANEL = { width: 600, height: 640 };
const QUESTION = 'How many reads a day does the free plan of Workers KV allow?';
const client = gateway(url, { agentName: 'Picture of the README' });
const answer = await client.query({ query: QUESTION, max_results: 1 });
const { exit } = await client.verify(answer);
const [result] = answer.results;
if (result === undefined || exit !== 0) throw new Error(`${url} has no checked answer to "${QUESTION}"`);
const { title, capsule_id, version, status, content_sha256, quote } = result;
const shown = JSON.stringify(
  {
    capsule_id,
    version,
    status,
    quote: { start: quote.start, end: quote.end, text: '…' },
    content_sha256: `${content_sha256.slice(0, 16)}…`,
  },
  undefined,
  1,
);
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const browser = await chromium.launch({ executablePath: findTool('chromium') ?? 'chromium', args: [...CHROMIUM_FLAGS] });
try {
  const page = await browser.newPage({ viewport: { width: 900, height: 960 }, colorScheme: 'light' });
  await page.goto(`${url}/capsules/${capsule_id}`);
  const site = (await page.screenshot()).toString('base64');
  await page.goto('about:blank');
  await page.setViewportSize({ width: 2 * PANEL.width, height: PANEL.height });
  await page.setContent(`<style>
body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; font: 13.5px/1.4 monospace; background: #16211c; color: #dfe9e2 }
img { width: ${PANEL.width}px; height: ${PANEL.height}px } div { padding: 20px 24px; overflow: hidden } pre { white-space: pre-wrap; margin: 0 0 14px }
b { color: #9fd8b4 } q { display: block; quotes: none; border-left: 3px solid #9fd8b4; padding-left: 12px; margin-bottom: 14px; height: 190px; overflow: hidden }
</style><img src="data:image/png;base64,${site}"><div>
<pre><b>&gt; query</b> ${QUESTION}</pre><pre>${escaped(shown)}</pre>
<pre><b>${escaped(title)}</b>, quoted:</pre><q><pre>${escaped(quote.text)}</pre></q><pre><b>&gt; verify</b> 0: text, quote, digests and lineage agree</pre></div>`);
  await writeFile(
    join(ROOT, 'docs/site-and-answer.png'),
    await sharp(await page.screenshot())
      .png({ palette: true, colours: 64 })
      .toBuffer(),
  );
} finally {
  await browser.close();
}

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bearer } from '../support/agent-keys.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { findTool } from '../support/optional-tools.ts';

/** Reads answers on standard input, checks every quote and digest against the text, and prints how many held. */
const CHECK_IN_PYTHON = `
import hashlib, json, sys
checked = 0
for result in json.load(sys.stdin):
    units = result["markdown"].encode("utf-16-le")
    quote = result["quote"]
    cut = units[2 * quote["start"]:2 * quote["end"]].decode("utf-16-le")
    digest = hashlib.sha256(result["markdown"].encode("utf-8")).hexdigest()
    if cut != quote["text"] or digest != result["content_sha256"]:
        sys.exit("does not hold: " + result["capsule_id"])
    checked += 1
print(checked)
`;

const python = findTool('python3');

describe.skipIf(python === undefined)('quotes and digests, checked by another language', () => {
  const gateway = useSharedGateway();

  it('cut the same text out of the same bytes', async () => {
    const registered = await gateway.post('/api/v1/agent-gateway/register', { agent_name: 'Python' });
    const { api_key: key } = (await registered.json()) as { api_key: string };
    const query = { query: 'how are texts verified, ranked and paid for', max_results: 50 };
    const answer = await gateway.post('/api/v1/agent-gateway/query', query, bearer(key));
    const { results } = (await answer.json()) as { results: { capsule_id: string }[] };
    const withTexts = await Promise.all(
      results.map(async (result) => ({
        ...result,
        markdown: await (
          await gateway.fetch(`/api/v1/agent-gateway/capsule/${result.capsule_id}`, { headers: { Accept: 'text/markdown' } })
        ).text(),
      })),
    );
    expect(withTexts.length).toBeGreaterThan(20);
    const printed = execFileSync(python ?? '', ['-c', CHECK_IN_PYTHON], { input: JSON.stringify(withTexts), encoding: 'utf8' });
    expect(printed.trim()).toBe(String(withTexts.length));
  });
});

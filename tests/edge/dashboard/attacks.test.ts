import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EdgeGateway, runSql, startEdgeGateway } from '../../support/edge-gateway.ts';
import { paidEdge } from '../../support/paid-site.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const SECRET = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 89 + 41) & 255)).toString('base64url');
const ORIGIN = new URL(TEST_BASE_URL).origin;
const AGENT = '0123456789abcdef';
/** Markup, a bidirectional override, a zero-width space, a control character, and quotes that would end an attribute. */
const HOSTILE = `</p><script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202etxt\u200b\u0007`;
const RECEIPT = `msg_${'ab'.repeat(16)}`;
let gateway: EdgeGateway;
beforeAll(async () => {
  gateway = await startEdgeGateway({ ...(await paidEdge('http://127.0.0.1:9')), adminSecret: SECRET });
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  const proposal = JSON.stringify({
    kind: 'correction',
    capsule_id: 'bm25',
    version: '1.0.0',
    quote: 'The passage that is wrong now.',
    replacement: HOSTILE.replace('\u0007', ''),
    reason: 'The source that is cited says something else.',
  });
  await runSql(gateway.miniflare, [
    `INSERT INTO agents (agent, name, platform, contact, key_id, created_at_ms, expires_at_ms) VALUES ('${AGENT}', ${text(HOSTILE)}, ${text(HOSTILE)}, ${text(HOSTILE)}, 'k', 1, 9000000000000)`,
    `INSERT INTO invoice_requests (receipt, content, created_at_ms, updated_at_ms) VALUES ('${RECEIPT}', ${text(JSON.stringify({ items: [], currency: 'USD', totalMinor: 0, name: HOSTILE, email: 'eve@example.org', note: HOSTILE }))}, 1, 1)`,
    `INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms) VALUES ('${'a'.repeat(64)}', 'correction', 'bm25', ${text(proposal)}, 1)`,
    `INSERT INTO receipts (proposal_sha256, agent, receipt, note, response, received_at_ms) VALUES ('${'a'.repeat(64)}', '${AGENT}', 'rcp_${'A'.repeat(20)}', ${text(HOSTILE)}, '{}', 1)`,
    `INSERT INTO insights (day_ms, kind, name, count) VALUES (${Date.now() - (Date.now() % 86_400_000)}, 'question', ${text(HOSTILE)}, 3)`,
  ]);
});
afterAll(() => gateway?.stop());

const HERE = { Origin: ORIGIN };

function post(
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Record<string, string> = HERE,
  to = gateway,
): Promise<Response> {
  return to.fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

async function signIn(): Promise<string> {
  const response = await post('/admin/sign-in', { secret: SECRET });
  expect([response.status, response.headers.get('location')]).toEqual([303, '/admin']);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function open(path: string, cookie: string): Promise<{ html: string; token: string; status: number }> {
  const response = await gateway.fetch(path, { headers: { Cookie: cookie } });
  const html = await response.text();
  return { html, token: /name="token" value="(\w+)"/.exec(html)?.[1] ?? '', status: response.status };
}

const revoke = (token: string) => ({ action: 'agents revoke', subject: `agt_${AGENT}`, from: '/admin/agents', token });
const revocations = async (): Promise<number> =>
  (await runSql(gateway.miniflare, ['SELECT * FROM revocations']))[0]?.results.length ?? Number.NaN;

describe('the dashboard', () => {
  it('is like any address that nothing has while no secret is set, or a weak or sample one', async () => {
    for (const adminSecret of [undefined, 'A'.repeat(43)]) {
      const off = await startEdgeGateway({ adminSecret, blocks: 'none', files: () => new Response('no page', { status: 404 }) });
      try {
        const [admin, other] = await Promise.all(['/admin', '/nothing-here'].map((path) => off.fetch(path)));
        expect([admin?.status, await admin?.text()]).toEqual([404, (await other?.text())?.replaceAll('/nothing-here', '/admin')]);
        expect((await post('/admin/sign-in', { secret: adminSecret ?? '' }, HERE, off)).status).toBeGreaterThanOrEqual(404);
      } finally {
        await off.stop();
      }
    }
  });

  it('shows nothing without a session, and takes no other secret', async () => {
    for (const path of ['/admin/orders', '/admin/agents', '/admin/proposals/1', '/admin/nothing']) {
      const response = await gateway.fetch(path);
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 303, '/admin']);
    }
    expect(await (await gateway.fetch('/admin')).text()).not.toContain(AGENT);
    const bodies = new Set<string>();
    for (const secret of ['', 'wrong', SECRET.slice(1), SECRET.slice(0, -1), `${SECRET}x`, SECRET.toLowerCase()]) {
      const response = await post('/admin/sign-in', { secret });
      expect([secret, response.status, response.headers.get('set-cookie')]).toEqual([secret, 403, null]);
      bodies.add(await response.text());
    }
    // Nothing tells how much of a guess was right; keyed digests of one length are compared, so that no time does either.
    expect(bodies.size).toBe(1);
    const cookies = ['x', `${'A'.repeat(43)}.${'A'.repeat(43)}`].map((value) => `__Host-akg-admin=${value}`);
    for (const cookie of cookies) expect((await gateway.fetch('/admin/orders', { headers: { Cookie: cookie } })).status).toBe(303);
    // No key of an agent opens it, and no header pretends to come from Cloudflare Access.
    const pretended = { 'Cf-Access-Jwt-Assertion': 'eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImVAeC5vcmcifQ.', Authorization: `Bearer ${SECRET}` };
    expect((await gateway.fetch('/admin/orders', { headers: pretended })).status).toBe(303);
  });

  it('keeps its session in a cookie that scripts and other sites never see, and in no other place', async () => {
    const response = await post('/admin/sign-in', { secret: SECRET });
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-akg-admin=[\w-]{43}\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=7200$/,
    );
    const id = /=([\w-]{43})/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
    const rows = JSON.stringify(await runSql(gateway.miniflare, ['SELECT * FROM admin_sessions', 'SELECT * FROM audit_log']));
    expect(rows).not.toContain(id);
    expect(rows).not.toContain(SECRET);
    expect(gateway.logs.join('\n')).not.toContain(SECRET);
  });

  it('refuses what other sites send, with the cookie and even with the token', async () => {
    const cookie = await signIn();
    const { token } = await open('/admin/agents', cookie);
    const before = await revocations();
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      {},
      { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN },
      { 'Sec-Fetch-Site': 'same-site', Origin: ORIGIN },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
    ] as Record<string, string>[])
      expect([headers, (await post('/admin/act', revoke(token), { ...headers, Cookie: cookie })).status]).toEqual([headers, 403]);
    const other = await open('/admin/agents', await signIn());
    for (const forged of ['', 'x', other.token])
      expect((await post('/admin/act', revoke(forged), { ...HERE, Cookie: cookie })).status).toBe(403);
    expect((await gateway.fetch(`/admin/act?${new URLSearchParams(revoke(token))}`, { headers: { Cookie: cookie } })).status).toBe(404);
    expect((await post('/admin/sign-in', { secret: SECRET }, { Origin: 'https://evil.example' })).status).toBe(403);
    expect(await revocations()).toBe(before);
  });

  it('refuses a request that is replayed after its session was signed out of, or has expired', async () => {
    const cookie = await signIn();
    const { token } = await open('/admin', cookie);
    const late = { Cookie: cookie, 'Test-Now-Ms': String(Date.now() + 2 * 3_600_000 + 1) };
    expect((await gateway.fetch('/admin/orders', { headers: late })).status).toBe(303);
    const out = await post('/admin/sign-out', { token }, { ...HERE, Cookie: cookie });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')]);
    expect((await gateway.fetch('/admin/orders', { headers: { Cookie: cookie } })).status).toBe(303);
    expect((await post('/admin/act', revoke(token), { ...HERE, Cookie: cookie })).status).toBe(403);
  });

  it('cannot be framed, cached, indexed or run scripts, whatever it answers', async () => {
    const cookie = await signIn();
    const answers = [
      await gateway.fetch('/admin'),
      await gateway.fetch('/admin/agents', { headers: { Cookie: cookie } }),
      await gateway.fetch('/admin/nothing', { headers: { Cookie: cookie } }),
      await gateway.fetch('/admin/constructor', { headers: { Cookie: cookie } }),
      await gateway.fetch('/admin/orders'),
      await gateway.fetch('/admin', { method: 'DELETE' }),
      await post('/admin/sign-in', { secret: 'wrong' }),
      await post('/admin/act', {}, { Origin: 'https://evil.example' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 303, 405, 403, 403]);
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringMatching(/^default-src 'none';(?!.*script-src).*frame-ancestors 'none'$/) as unknown,
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-robots-tag': expect.stringContaining('noindex') as unknown,
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(headers.has('access-control-allow-origin')).toBe(false);
    }
  });

  it('shows texts of strangers as text, with their invisible characters', async () => {
    const cookie = await signIn();
    const paths = ['agents', 'messages', 'proposals', 'proposals/1', 'questions', `orders/${RECEIPT}`].map((path) => `/admin/${path}`);
    for (const path of paths) {
      const { html, status } = await open(path, cookie);
      expect([path, status]).toEqual([path, 200]);
      expect([
        path,
        /<script|<img src=x|onerror=alert\(1\)>|[\u202e\u200b\u0007]/.test(html.replaceAll('&lt;img src=x onerror=alert(1)&gt;', '')),
      ]).toEqual([path, false]);
      expect([path, html.includes('&lt;U+202E&gt;')]).toEqual([path, true]);
    }
  });

  it('offers to grant what a key does not have', async () => {
    const cookie = await signIn();
    expect((await open('/admin/agents', cookie)).html).toMatch(/Grant submit[\s\S]*Grant buy/);
    await runSql(gateway.miniflare, ["UPDATE agents SET key_scopes = 'read buy'"]);
    expect((await open('/admin/agents', cookie)).html).toMatch(/Grant submit(?![\s\S]*Grant buy)/);
  });

  it('says that a facilitator gives no outcome of payments, from what is recorded of them', async () => {
    const cookie = await signIn();
    expect((await open('/admin', cookie)).html).toContain('Every payment that began has an outcome.');
    const payment = `'eip155:84532', 'usdc', '0x1', '0x2', NULL, '/', 'bm25', '1.0.0', '1', '0x3', 'f', 0, '{}', 'unresolved', 1, 0, '', 1, NULL, NULL`;
    await runSql(gateway.miniflare, [`INSERT INTO payments VALUES (${payment})`]);
    expect((await open('/admin', cookie)).html).toContain('The facilitator or the payment processor gave no outcome of 1 payment.');
    await runSql(gateway.miniflare, ['DELETE FROM payments']);
  });

  it('does what its form says, once the page was confirmed, and records it', async () => {
    const cookie = await signIn();
    const { token, html } = await open('/admin/messages', cookie);
    expect(html).toContain('npm run orders -- invoice');
    const done = await post(
      '/admin/act',
      { action: 'orders invoice', subject: RECEIPT, state: 'answered', from: '/admin/messages', token },
      { ...HERE, Cookie: cookie },
    );
    expect([done.status, done.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/admin\/messages\?entry=\d+$/)]);
    expect((await open(done.headers.get('location') ?? '', cookie)).html).toContain('answered');
    const again = await post(
      '/admin/act',
      { action: 'orders refund', subject: 'ord_unknown', from: 'https://evil.example', token },
      { ...HERE, Cookie: cookie },
    );
    expect(again.headers.get('location')).toMatch(/^\/admin\?entry=\d+$/);
    expect((await open(again.headers.get('location') ?? '', cookie)).html).toContain('there is no order');
    const rejected = await post(
      '/admin/act',
      { action: 'intake reject', subject: '1', reason: 'The source does not say so.', from: '/admin/proposals/1', token },
      { ...HERE, Cookie: cookie },
    );
    expect((await open(rejected.headers.get('location') ?? '', cookie)).html).toContain('proposal 1 is rejected');
    // A form that is sent again does nothing more.
    for (const _ of ['sent', 'sent again']) {
      const suspended = await post('/admin/act', revoke(token), { ...HERE, Cookie: cookie });
      expect((await open(suspended.headers.get('location') ?? '', cookie)).html).toContain('all its keys are revoked');
    }
    expect(await revocations()).toBe(1);
    const { html: log } = await open('/admin/log', cookie);
    for (const entry of ['agents revoke', 'intake reject 1', 'Refused', 'there is no order', 'sign in']) expect(log).toContain(entry);
  });

  it('limits guesses of one network, and no other network by them', async () => {
    const from = (network: string): Record<string, string> => ({ ...HERE, 'CF-Connecting-IP': network });
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1)
      statuses.push((await post('/admin/sign-in', { secret: `guess ${guess}` }, from('203.0.113.7'))).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
    // The right secret would tell a guesser that it is right.
    const limited = await post('/admin/sign-in', { secret: SECRET }, from('203.0.113.8'));
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '900']);
    expect((await post('/admin/sign-in', { secret: SECRET }, from('198.51.100.1'))).status).toBe(303);
  });

  it('says that its database cannot be reached', async () => {
    const broken = await startEdgeGateway({ adminSecret: SECRET, blocks: 'none', state: 'empty' });
    try {
      const response = await post('/admin/sign-in', { secret: SECRET }, HERE, broken);
      expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'no-store']);
    } finally {
      await broken.stop();
    }
  });

  it('is named in no document', async () => {
    for (const path of ['/openapi.json', '/api/v1/agent-gateway/capabilities', '/.well-known/acp.json', '/.well-known/x402'])
      expect([path, (await (await gateway.fetch(path)).text()).includes('/admin')]).toEqual([path, false]);
  });
});

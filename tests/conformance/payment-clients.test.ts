import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { capsuleApiPath } from '../../src/schemas/paths.ts';
import { loadCommerceKit, type TestAccount, type TestFacilitator } from '../support/commerce-kit.ts';
import { type EdgeGateway, NOW_HEADER, startEdgeGateway } from '../support/edge-gateway.ts';
import { paidEdge, paidSite } from '../support/paid-site.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { TEST_PAYMENTS } from '../support/payments.ts';

const kit = await loadCommerceKit();
// Made here, where no time limit of a hook counts: the whole publication is built once for all tests of a process.
const site = kit && (await paidSite());

describe.skipIf(kit === undefined)('the official clients and the compiled functions', () => {
  if (kit === undefined || site === undefined) return;
  let facilitator: TestFacilitator;
  let gateway: EdgeGateway;
  let path: string;
  let announced: string | undefined;
  beforeAll(async () => {
    facilitator = await kit.startFacilitator();
    gateway = await startEdgeGateway(await paidEdge(facilitator.url));
    path = capsuleApiPath(site.capsuleId);
    const listed = (await (await gateway.fetch('/api/v1/capsules/public/browse?limit=100')).json()) as {
      items: { capsule_id: string; content_sha256: string }[];
    };
    announced = listed.items.find(({ capsule_id }) => capsule_id === site.capsuleId)?.content_sha256;
  });
  afterAll(async () => {
    await gateway.stop();
    await facilitator.stop();
  });

  const buyer = (): TestAccount => {
    const account = kit.newAccount();
    facilitator.fund(account.address, 9_000_000n);
    return account;
  };
  /** `fetch` that ends at a service, as the address of the site does. */
  const fetchOf =
    (service: EdgeGateway, more: Record<string, string> = {}): typeof globalThis.fetch =>
    async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      return service.fetch(pathname + search, { method: request.method, headers: { ...Object.fromEntries(request.headers), ...more } });
    };
  const digestOf = async (response: Response): Promise<string> => {
    const { markdown } = (await response.json()) as { markdown: string };
    return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(markdown))).toString('hex');
  };
  /** A payment that an account has signed for what a service asks. */
  const signedBy = async (account: TestAccount, service = gateway): Promise<string> => {
    const asked = (await service.fetch(path)).headers.get('payment-required') ?? '';
    return btoa(JSON.stringify(await kit.signX402(account, JSON.parse(atob(asked)))));
  };
  const charged = (account: TestAccount): number =>
    facilitator.transfers().filter(({ from }) => from.toLowerCase() === account.address.toLowerCase()).length;

  test('@x402/fetch pays, gets the text that was announced, and reads the receipt', async () => {
    const account = buyer();
    const response = await kit.x402Fetch(account, fetchOf(gateway))(TEST_BASE_URL + path);
    expect([response.status, await digestOf(response)]).toEqual([200, announced]);
    const [transfer] = facilitator.transfers().slice(-1);
    expect(transfer).toMatchObject({ from: account.address, to: TEST_PAYMENTS.payTo, value: 500_000n });
    expect(kit.decodePaymentResponse(response.headers.get('payment-response') ?? '')).toMatchObject({
      success: true,
      transaction: transfer?.transaction,
      payer: account.address.toLowerCase(),
    });
    expect(charged(account)).toBe(1);
  });

  test('the client of offer-receipt verifies the offer of a 402 and the receipt of its payment, which is the same when it is repeated', async () => {
    const account = buyer();
    const required = (await (await gateway.fetch(path)).json()) as {
      accepts: Record<string, unknown>[];
      extensions: Record<string, { info: { offers: { signature: string }[] } }>;
    };
    const payment = btoa(JSON.stringify(await kit.signX402(account, required)));
    const [first, again] = [await pay(payment), await pay(payment)];
    const repeated = again.headers.get('payment-response');
    expect([first.status, first.headers.get('payment-response')]).toEqual([200, repeated]);
    // The client looks for the keys of did:web at the site.
    vi.stubGlobal('fetch', fetchOf(gateway));
    try {
      const { scheme, network, asset, payTo, amount } = required.accepts[0] ?? {};
      expect(await kit.verifiedOffers(required)).toEqual([
        { version: 1, resourceUrl: TEST_BASE_URL + path, scheme, network, asset, payTo, amount, validUntil: expect.any(Number) },
      ]);
      const { transaction, payer } = kit.decodePaymentResponse(repeated ?? '');
      const receipt = { version: 1, network, resourceUrl: TEST_BASE_URL + path, payer, issuedAt: expect.any(Number), transaction };
      expect(await kit.verifiedReceipt(first, required, account.address)).toEqual(receipt);
      expect(await kit.verifiedReceipt(again, required, buyer().address)).toBeUndefined();
      for (const offer of required.extensions['offer-receipt']?.info.offers ?? [])
        offer.signature = offer.signature.replace(/.{20}$/, 'A'.repeat(20));
      await expect(kit.verifiedOffers(required)).rejects.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  const pay = (payment: string) => gateway.fetch(path, { headers: { 'PAYMENT-SIGNATURE': payment } });

  test('mppx pays, gets the text that was announced, and reads the receipt', async () => {
    const account = buyer();
    const response = await kit.mppFetch(account, fetchOf(gateway))(TEST_BASE_URL + path);
    expect([response.status, await digestOf(response)]).toEqual([200, announced]);
    expect(JSON.parse(Buffer.from(response.headers.get('payment-receipt') ?? '', 'base64url').toString())).toMatchObject({
      status: 'success',
      method: 'evm',
      reference: facilitator.transfers().at(-1)?.transaction,
    });
    expect(charged(account)).toBe(1);
  });

  const signInChallenge = async (): Promise<{ readonly info: Readonly<Record<string, string>> }> => {
    const { extensions } = (await (await gateway.fetch(path)).json()) as { extensions: Record<string, never> };
    return extensions['sign-in-with-x'] as never;
  };

  describe('a wallet that signs in with the client of sign-in-with-x', () => {
    let account: TestAccount;
    beforeAll(async () => {
      account = buyer();
      expect((await kit.mppFetch(account, fetchOf(gateway))(TEST_BASE_URL + path)).status).toBe(200);
    });
    const send = (header: string, more: Record<string, string> = {}, at = path) =>
      gateway.fetch(at, { headers: { 'SIGN-IN-WITH-X': header, ...more } });
    const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error: string }).error];

    test('gets the text again at each of its addresses, and is not charged', async () => {
      const read = kit.signInFetch(account, fetchOf(gateway));
      const response = await read(TEST_BASE_URL + path);
      expect([response.status, response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
        200,
        'private, no-store',
        null,
      ]);
      expect(await digestOf(response)).toBe(announced);
      const markdown = await read(`${TEST_BASE_URL}/capsules/${site.capsuleId}.md`);
      expect([markdown.status, markdown.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      const file = await send(await kit.signIn(account, await signInChallenge()), {}, `/capsules/${site.capsuleId}/capsule.json`);
      expect([file.status, await digestOf(file), charged(account)]).toEqual([200, announced, 1]);
    });

    test('pays once with @x402/fetch around it, and then no more', async () => {
      const newcomer = buyer();
      const read = kit.x402Fetch(newcomer, kit.signInFetch(newcomer, fetchOf(gateway)));
      for (const _ of [1, 2]) expect((await read(TEST_BASE_URL + path)).status).toBe(200);
      expect(charged(newcomer)).toBe(1);
    });

    test('gets nothing that it did not buy: another version, or another text', async () => {
      const { info, ...more } = await signInChallenge();
      const named = `${TEST_BASE_URL}${path}?version=0.9.9`;
      const header = await kit.signIn(account, { info: { ...info, uri: named }, ...more });
      expect((await send(header, {}, `${path}?version=0.9.9`)).status).toBe(404);
      const stranger = await kit.signIn(kit.newAccount(), await signInChallenge());
      expect(await errorOf(await send(stranger))).toEqual([402, 'siwx_not_paid']);
    });

    test('is answered once by a message, of however many requests', async () => {
      const header = await kit.signIn(account, await signInChallenge());
      const statuses = (await Promise.all(Array.from({ length: 50 }, () => send(header)))).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 49 }, () => 402)]);
      expect(await errorOf(await send(header))).toEqual([402, 'invalid_siwx_nonce']);
    });

    test.each([
      ['another site', { domain: 'evil.example', uri: 'https://evil.example/' }, 'invalid_siwx_domain_mismatch'],
      ['another address', { uri: `${TEST_BASE_URL}/api/v1/agent-gateway/capsule/bm25` }, 'invalid_siwx_uri_mismatch'],
      ['another chain', { chainId: 'eip155:1' }, 'invalid_siwx_unsupported_chain'],
      ['an hour ago', { issuedAt: new Date(Date.now() - 3_600_000).toISOString() }, 'invalid_siwx_issued_at_too_old'],
      ['a later day', { issuedAt: new Date(Date.now() + 86_400_000).toISOString() }, 'invalid_siwx_issued_at_in_future'],
      ['a time that is over', { expirationTime: new Date(Date.now() - 1_000).toISOString() }, 'invalid_siwx_expired'],
      ['a time to come', { notBefore: new Date(Date.now() + 60_000).toISOString() }, 'invalid_siwx_not_yet_valid'],
    ])('is refused with a message for %s', async (_of, changes, error) => {
      expect(await errorOf(await send(await kit.signIn(account, await signInChallenge(), changes)))).toEqual([402, error]);
    });

    test('is refused five minutes later, and with a message that was changed, forged, malformed or huge', async () => {
      const header = await kit.signIn(account, await signInChallenge());
      expect(await errorOf(await send(header, { [NOW_HEADER]: String(Date.now() + 301_000) }))).toEqual([
        402,
        'invalid_siwx_issued_at_too_old',
      ]);
      const message = JSON.parse(Buffer.from(header, 'base64').toString()) as { signature: string };
      const changed = (members: object) => Buffer.from(JSON.stringify({ ...message, ...members })).toString('base64');
      const cases: [string, string][] = [
        [changed({ statement: 'Read everything.' }), 'invalid_siwx_signature'],
        [changed({ address: kit.newAccount().address }), 'invalid_siwx_signature'],
        [changed({ signature: `0x${'00'.repeat(65)}` }), 'invalid_siwx_signature'],
        [changed({ signature: `${message.signature}${'64926492'.repeat(8)}` }), 'invalid_siwx_signature'],
        [changed({ nonce: 'a b' }), 'invalid_siwx_payload'],
        ['no base64', 'invalid_siwx_payload'],
        [changed({ statement: 'x'.repeat(20_000) }), 'invalid_siwx_payload'],
      ];
      for (const [sent, error] of cases) expect(await errorOf(await send(sent))).toEqual([402, error]);
      const smart = await (await send(changed({ signature: `0x${'ab'.repeat(300)}` }))).text();
      expect(smart).toContain('smart wallets (EIP-1271, EIP-6492) are not supported');
      expect((await send(header)).status).toBe(200);
    });

    test('gets no price while nothing is known of what it bought', async () => {
      const service = await startEdgeGateway(await paidEdge(facilitator.url, { state: 'empty' }));
      const response = await service.fetch(path, { headers: { 'SIGN-IN-WITH-X': await kit.signIn(account, await signInChallenge()) } });
      expect([response.status, response.headers.get('payment-required')]).toEqual([503, null]);
      await service.stop();
    });
  });

  test.each([50])('%i requests at the same time with one signature are charged once', async (requests) => {
    const account = buyer();
    const header = await signedBy(account);
    const send = () => gateway.fetch(path, { headers: { 'PAYMENT-SIGNATURE': header } });
    const statuses = (await Promise.all(Array.from({ length: requests }, send))).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect([statuses.includes(200), charged(account)]).toEqual([true, 1]);
    expect([(await send()).status, charged(account)]).toEqual([200, 1]);
  });

  test('a service that is killed between settling and answering takes no second payment, and a new one answers the first', async () => {
    const persist = await mkdtemp(join(tmpdir(), 'paid-'));
    const account = buyer();
    const options = await paidEdge(facilitator.url, { persist });
    const first = await startEdgeGateway(options);
    const header = await signedBy(account, first);
    let killed: Promise<void> | undefined;
    facilitator.setFault({
      afterSettle: async (asked) => {
        // The transfer has come about; the process that waits for the answer is killed before it gets it.
        if (asked !== '/settle') return;
        killed = first.stop();
        await killed;
      },
    });
    await first.fetch(path, { headers: { 'PAYMENT-SIGNATURE': header } }).catch(() => undefined);
    await killed;
    facilitator.setFault({});
    expect(charged(account)).toBe(1);
    const second = await startEdgeGateway({ ...options, state: 'empty', paymentNode: `${facilitator.url}/rpc` });
    const headers = { 'PAYMENT-SIGNATURE': header, [NOW_HEADER]: String(Date.now() + 62_000) };
    const answer = await second.fetch(path, { headers });
    expect([answer.status, await digestOf(answer), charged(account)]).toEqual([200, announced, 1]);
    await second.stop();
    await rm(persist, { recursive: true });
  });

  test('an address of a node that is none takes no payments, and is in no answer and no log', async () => {
    const service = await startEdgeGateway(await paidEdge(facilitator.url, { paymentNode: 'ftp://node.example/secret-key' }));
    const response = await service.fetch(path);
    const text = await response.text();
    expect([response.status, text.includes('not_configured'), text.includes('secret-key')]).toEqual([503, true, false]);
    expect(service.logs.join()).not.toContain('secret-key');
    await service.stop();
  });
});

import { createServer, type ServerResponse } from 'node:http';
import { appendSignature, component, createSignature, type SignatureParameters, webcrypto } from 'http-message-sig';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { builtGenerated, type Generated, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { close, listen } from '../../support/listen.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const CAPABILITIES = `${PATHS.gateway}/capabilities`;
const LIMIT = 3;

/** A server of directories; its agents are told apart by their ports. */
type Respond = (response: ServerResponse) => void;
const servers: ReturnType<typeof createServer>[] = [];
afterAll(() => Promise.all(servers.map(close)));

interface Agent {
  readonly origin: string;
  readonly downloads: () => number;
}

async function agentWith(respond: Respond): Promise<Agent> {
  let downloads = 0;
  const server = createServer((request, response) => {
    if (request.url !== '/.well-known/http-message-signatures-directory') return void response.writeHead(404).end();
    downloads += 1;
    respond(response);
  });
  servers.push(server);
  return { origin: await listen(server), downloads: () => downloads };
}

const pair = await generateKeyPair('Ed25519', { extractable: true });
const otherPair = await generateKeyPair('Ed25519', { extractable: true });
const publicKey = await exportJWK(pair.publicKey);
const otherKey = await exportJWK(otherPair.publicKey);
const keyid = await calculateJwkThumbprint(publicKey);
const directory = JSON.stringify({ keys: [{ ...publicKey, use: 'sig', kid: keyid }] });
const sends =
  (body: string, status = 200, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/http-message-signatures-directory+json', ...headers }).end(body);

interface Signing {
  readonly path?: string;
  readonly components?: readonly string[];
  readonly parameters?: SignatureParameters;
  readonly privateKey?: CryptoKey;
  readonly address?: string;
}

/** The headers of a request that an agent signs, made by the library of Web Bot Auth's authors. */
async function signed(
  origin: string,
  { path = CAPABILITIES, components, parameters, privateKey, address }: Signing = {},
): Promise<Headers> {
  const now = Math.floor(Date.now() / 1_000);
  const headers = new Headers({ 'Signature-Agent': `sig1="${origin}"` });
  const request = new Request(address ?? TEST_BASE_URL + path, { headers });
  const fields = await createSignature(request, {
    label: 'sig1',
    components: [...(components ?? ['@authority', '@method', '@path']), component('signature-agent', { key: 'sig1' })],
    parameters: { created: now, expires: now + 60, keyid, tag: 'web-bot-auth', ...parameters },
    signer: webcrypto.signer(privateKey ?? pair.privateKey),
  });
  return appendSignature(headers, fields);
}

const good = await agentWith(sends(directory));
const listed = await agentWith(sends(directory));
const hanging: ServerResponse[] = [];
const slow = await agentWith((response) => void hanging.push(response));
const released = (): void => {
  for (const response of hanging.splice(0)) response.writeHead(200).end(directory);
};
afterEach(released);

const generated = async (): Promise<Pick<Generated, 'deployment'>> => {
  const { deployment } = await builtGenerated();
  return { deployment: { ...deployment, signedAgents: { [listed.origin]: LIMIT } } };
};

let lines: { agent: string; outcome: string; reason?: string }[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => vi.restoreAllMocks());

describe('a request that an agent signs', () => {
  const gateway = useInProcessGateway(async () => ({ generated: await generated() }));
  const outcome = async (headers: Headers, path = CAPABILITIES): Promise<string> => {
    lines = [];
    const { status } = await gateway.fetch(path, { headers });
    expect(status).toBe(200);
    const [line] = lines;
    return line === undefined ? 'unsigned' : `${line.outcome}${line.reason === undefined ? '' : `: ${line.reason}`}`;
  };

  test('is verified with the directory of the agent, which is asked once, logged and counted under its name', async () => {
    expect(await outcome(await signed(good.origin))).toBe('verified');
    expect(lines).toMatchObject([{ agent: good.origin, outcome: 'verified' }]);
    for (const parameters of [{}, { alg: 'ed25519' }]) expect(await outcome(await signed(good.origin, { parameters }))).toBe('verified');
    expect(good.downloads()).toBe(1);
    const { results } = await gateway.state().prepare("SELECT name FROM insights WHERE kind = 'request'").all<{ name: string }>();
    expect(results).toEqual([{ name: `API|${new URL(good.origin).host} (signed)|200` }]);
  });

  test('counts as unsigned if the signature is forged, expired, too long, for another address or of another tag', async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect(await outcome(await signed(good.origin, { privateKey: otherPair.privateKey }))).toMatch(
      'invalid: Signature verification failed',
    );
    expect(await outcome(await signed(good.origin, { parameters: { created: now - 300, expires: now - 120 } }))).toMatch(
      'invalid: Signature has expired',
    );
    expect(await outcome(await signed(good.origin, { parameters: { created: now + 300, expires: now + 600 } }))).toMatch('invalid');
    expect(await outcome(await signed(good.origin, { parameters: { expires: now + 200_000 } }))).toMatch(
      'invalid: the signature is valid for more',
    );
    expect(await outcome(await signed(good.origin), PATHS.statusApi)).toMatch('invalid: Signature verification failed');
    expect(await outcome(await signed(good.origin, { address: `https://other.example${CAPABILITIES}` }))).toMatch('invalid');
    expect(await outcome(await signed(good.origin, { components: ['@method'] }))).toMatch('invalid: Required component');
    expect(await outcome(await signed(good.origin, { parameters: { tag: 'other' } }))).toBe('unsigned');
    const moved = await signed(good.origin);
    moved.set('Signature-Agent', `sig1="${listed.origin}"`);
    expect(await outcome(moved)).toMatch('invalid: Signature verification failed');
  });

  test('is refused as a replay if its nonce was seen, and proves only a name if its signature was', async () => {
    const once = await signed(good.origin, { parameters: { nonce: 'bm9uY2U=' } });
    expect(await outcome(once)).toBe('verified');
    expect(await outcome(once)).toBe('invalid: the nonce was used before');
    const plain = await signed(good.origin);
    expect([await outcome(plain), await outcome(plain)]).toEqual(['verified', 'verified']);
  });

  test.each<[string, Respond, RegExp]>([
    ['has other keys', sends(JSON.stringify({ keys: [] })), /^unverified: the directory has no such key/],
    ['calls another key by the thumbprint', sends(JSON.stringify({ keys: [{ ...otherKey, kid: keyid }] })), /^unverified/],
    ['is huge', sends(directory + ' '.repeat(70_000)), /^unverified: the directory did not answer/],
    ['redirects', sends('', 302, { Location: good.origin }), /^unverified/],
    ['is not JSON', sends('<html>'), /^unverified/],
    [
      'holds hostile keys',
      sends(JSON.stringify({ keys: [null, 1, { kty: 'RSA', n: 'A'.repeat(9_000), e: 'AQAB' }, { kty: 'oct', k: 'AA' }] })),
      /^unverified/,
    ],
    ['has a key whose time is over', sends(JSON.stringify({ keys: [{ ...publicKey, exp: 1_700_000_000 }] })), /^unverified/],
  ])('counts as unsigned if the directory %s', async (_name, respond, expected) => {
    const agent = await agentWith(respond);
    expect(await outcome(await signed(agent.origin))).toMatch(expected);
    await outcome(await signed(agent.origin));
    expect(agent.downloads()).toBe(1);
  });

  test.each([
    'http://10.0.0.1',
    'https://127.0.0.1',
    'https://[::1]',
    'https://user@agent.example.com',
    'https://agent',
    'https://metadata.internal',
    'https://agent.example.com/path',
    'https://agent.example.com:8443',
    TEST_BASE_URL,
  ])('is not looked up at %s', async (origin) => expect(await outcome(await signed(origin))).toBe('unsigned'));

  test('with headers that cannot be read counts as unsigned', async () => {
    for (const input of ['', '((', 'sig1=()', `sig1=("@authority");tag="web-bot-auth"`, `${'a=1,'.repeat(3_000)}b`]) {
      const headers = new Headers({ 'Signature-Agent': `sig1="${good.origin}"`, 'Signature-Input': input, Signature: 'sig1=:AA==:' });
      expect(await outcome(headers)).toBe('unsigned');
    }
  });

  test('has the limit that the publisher gives the agent, from any network, while it is not a copy', async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent <= LIMIT; sent += 1) {
      const headers = await signed(listed.origin, { parameters: { nonce: `${sent}` } });
      const response = await gateway.fetch(CAPABILITIES, { headers });
      statuses.push(response.status);
      expect(response.headers.get('ratelimit-policy')).toBe(`"signed_agent";q=${LIMIT};w=60`);
      if (sent === LIMIT) await expectProblem(response, 'rate_limited');
      const copy = await gateway.fetch(CAPABILITIES, { headers });
      expect([copy.status, copy.headers.get('ratelimit-policy')?.split(';')[0]]).toEqual([200, '"network"']);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    const narrow = await gateway.fetch(CAPABILITIES, { headers: await signed(listed.origin, { components: ['@authority'] }) });
    expect(narrow.status).toBe(200);
    expect((await gateway.fetch(CAPABILITIES)).status).toBe(200);
  });
});

describe('in workerd', () => {
  const gateway = useEdgeGateway(async () => ({ generated: await generated() }));

  test('signatures are verified, directories are kept in KV, and a directory that hangs delays nothing', async () => {
    expect((await gateway.fetch(CAPABILITIES, { headers: await signed(slow.origin) })).status).toBe(200);
    const response = await gateway.fetch(CAPABILITIES, { headers: await signed(listed.origin) });
    expect(response.headers.get('ratelimit-policy')).toContain('"signed_agent"');
    const { miniflare, logs } = gateway.running();
    const kept = await miniflare.getKVNamespace('CAPSULES');
    const key = `signature-directory/${listed.origin}/.well-known/http-message-signatures-directory`;
    await vi.waitFor(async () => expect(await kept.get(key)).toContain(publicKey.x));
    await vi.waitFor(() => expect(logs.some((line) => line.includes('"verified"'))).toBe(true));
    expect((await gateway.fetch(CAPABILITIES, { headers: await signed(slow.origin) })).status).toBe(200);
  });
});

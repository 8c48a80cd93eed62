import { ROOT } from '../support/paths.ts';
import type { PlainReply, PlainRequest } from './plain-request.ts';

/** Beginning of every good idempotency key that is sent. */
export const IDEMPOTENCY_CANARY = 'idempotency-canary-';
/** Beginning of every contact that agents give; only the agent itself may read it. */
export const CONTACT_CANARY = 'contact-canary-';
const ENVIRONMENT_CANARY = 'environment-canary-7f3e9a1c';
const KEY = /akg_(?:live|test)_[0-9A-Za-z]{60}/g;
/** The key of examples in published documents, which opens nothing. */
const EXAMPLE_KEY = /_0{60}$/;
/** Operations that answer with a key, to its owner or to whoever has the receipt of its order. */
const ISSUES_KEYS = /^(register|rotate|getDelivery$)/;
const TELLS_OWNER = /^getKey$/;

/** Operations that tell an agent the secret with which events for it are signed. */
const TELLS_SECRET = /^getOrderWebhook$/;

export class CanaryWatch {
  readonly #secrets: readonly (readonly [name: string, text: string])[];
  readonly #recent: (readonly [name: string, text: string])[] = [];
  /** Keys that were issued, each with the idempotency keys and challenges that asked for it. */
  readonly #issued = new Map<string, ReadonlySet<string>>();

  constructor(signingSecrets: string) {
    process.env['AKG_FUZZ_CANARY'] = ENVIRONMENT_CANARY;
    this.#secrets = [
      ...secretForms(signingSecrets),
      ['a secret of the environment', ENVIRONMENT_CANARY],
      ['a path of this machine', `${ROOT}/`],
    ];
  }

  /** Takes note of an HMAC that the service has computed; whole, it is nobody's business. */
  noteMac(bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes);
    this.#recent.push(['an HMAC', buffer.toString('hex')], ['an HMAC', buffer.toString('base64url').slice(0, 40)]);
    this.#recent.splice(0, this.#recent.length - 16);
  }

  check(request: PlainRequest, reply: PlainReply, operation: string): string[] {
    const own = request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1].trim();
    // Some protocols repeat the key to whoever sent it.
    const told = [...reply.headers].filter(([name, value]) => name !== 'idempotency-key' || value !== own);
    const text = `${told.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${reply.body}`;
    const found = this.#secretsIn(text).filter((fault) => fault !== 'shows an HMAC' || !TELLS_SECRET.test(operation));
    if (text.includes(IDEMPOTENCY_CANARY)) found.push('shows an idempotency key');
    if (text.includes(CONTACT_CANARY) && !TELLS_OWNER.test(operation)) found.push('shows the contact of an agent');
    for (const key of new Set(text.match(KEY)?.filter((each) => !EXAMPLE_KEY.test(each)))) {
      if (!ISSUES_KEYS.test(operation) || reply.status >= 300) found.push('shows an API key');
      else this.#noteIssued(key, request, found);
    }
    return [...new Set(found)];
  }

  checkLog(lines: readonly string[]): string[] {
    const text = lines.join('\n');
    const found = this.#secretsIn(text.replaceAll(ROOT, ''));
    if (/akg_(live|test)_[0-9A-Za-z]{8}/.test(text)) found.push('an API key');
    if (text.includes(IDEMPOTENCY_CANARY)) found.push('an idempotency key');
    if (text.includes(CONTACT_CANARY)) found.push('the contact of an agent');
    return found.map((what) => `the log holds ${what}`);
  }

  /** A key is answered once, and again only to whoever sends the same idempotency key, the same solved challenge, or the receipt of an order. */
  #noteIssued(key: string, request: PlainRequest, found: string[]): void {
    const header = request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1].replaceAll('"', '');
    const token = /"token":"([^"]+)"/.exec(new TextDecoder().decode(request.body))?.[1];
    const receipt = /^\/orders\/(rct_[0-9a-f]{32})\//.exec(request.target)?.[1];
    const shown = [header, token, receipt].filter((each) => each !== undefined);
    const before = this.#issued.get(key);
    if (before && !shown.some((each) => before.has(each))) found.push('gives the same API key twice');
    this.#issued.set(key, new Set([...(before ?? []), ...shown]));
  }

  #secretsIn(text: string): string[] {
    return [...this.#secrets, ...this.#recent].filter(([, secret]) => text.includes(secret)).map(([name]) => `shows ${name}`);
  }
}

function secretForms(signingSecrets: string): [string, string][] {
  return signingSecrets.split(',').flatMap((entry) => {
    const bytes = Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64url');
    const texts = [bytes.toString('base64url'), bytes.toString('base64'), bytes.toString('hex'), bytes.toString('latin1'), bytes.join(',')];
    return texts.map((text): [string, string] => ['the signing secret', text]);
  });
}

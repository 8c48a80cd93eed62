import { fromHex } from '../../provenance/bytes.ts';
import { decodeBase62, encodeBase62 } from '../base62.ts';
import { equalInConstantTime, keyedDigest } from '../digests.ts';
import type { SigningSecret, SigningSecrets } from '../ports.ts';

/**
 * A receipt is self-contained, like an API key: the signing secret proves, without a database, that this service issued it, to which agent,
 * when, and for which proposal. Unlike a key it outlives its secret, because the database stores it too.
 *
 * Text: `rcp_` and 54 base-62 digits of payload (24 bytes) and MAC (16 bytes). Payload, big-endian: format version 1 byte, signing-secret
 * id 1, milliseconds since the epoch 6, first half of the proposal's digest 16. MAC: a {@link keyedDigest} of the agent and the payload,
 * truncated to 128 bits.
 */
export interface ReceiptPayload {
  readonly agent: string;
  readonly sha256: string;
  readonly receivedAtMs: number;
}

const PREFIX = 'rcp_';
const FORMAT_VERSION = 1;
const PAYLOAD_BYTES = 24;
const MAC_BYTES = 16;
const DIGITS = 54;
const PURPOSE = 'receipt of a proposal';

/** Mints the receipt of a proposal. The same payload and secret give the same receipt. */
export async function mintReceipt({ agent, sha256, receivedAtMs }: ReceiptPayload, secret: SigningSecret): Promise<string> {
  const body = new Uint8Array(PAYLOAD_BYTES + MAC_BYTES);
  const view = new DataView(body.buffer);
  view.setUint8(0, FORMAT_VERSION);
  view.setUint8(1, secret.id);
  view.setUint16(2, Math.floor(receivedAtMs / 2 ** 32));
  view.setUint32(4, receivedAtMs % 2 ** 32);
  body.set(fromHex(sha256.slice(0, 32)), 8);
  body.set(await macOf(agent, body.subarray(0, PAYLOAD_BYTES), secret), PAYLOAD_BYTES);
  return PREFIX + encodeBase62(body, DIGITS);
}

/**
 * Whether this service issued the receipt to the agent; `undefined` if its secret is no longer in force, so only the database can tell.
 * Takes the same time for every foreign receipt.
 */
export async function isReceiptOf(receipt: string, agent: string, secrets: SigningSecrets): Promise<boolean | undefined> {
  if (!/^rcp_[0-9A-Za-z]{54}$/.test(receipt)) return false;
  const body = decodeBase62(receipt.slice(PREFIX.length), PAYLOAD_BYTES + MAC_BYTES);
  if (body === undefined || body[0] !== FORMAT_VERSION) return false;
  const secret = secrets.find(({ id }) => id === body[1]);
  if (secret === undefined) return undefined;
  return equalInConstantTime(await macOf(agent, body.subarray(0, PAYLOAD_BYTES), secret), body.subarray(PAYLOAD_BYTES));
}

async function macOf(agent: string, payload: Uint8Array, secret: SigningSecret): Promise<Uint8Array> {
  return (await keyedDigest(secret, PURPOSE, new TextEncoder().encode(agent), payload)).subarray(0, MAC_BYTES);
}

import { expect, test } from 'vitest';
import type { FacilitatorRequest } from '../../../src/gateway/commerce/payments/payment-ports.ts';
import { paymentTerms } from '../../../src/gateway/commerce/payments/payment-terms.ts';
import { demoFacilitator, transferDigest } from '../../../src/platform/demo-payments.ts';
import { newWallet, recoveredAddress } from '../../../src/provenance/ethereum-signatures.ts';
import { loadCommerceKit } from '../../support/commerce-kit.ts';
import { TEST_PAYMENTS, testAuthorization, testPayment, testResource } from '../../support/payments.ts';

const kit = await loadCommerceKit();
const terms = paymentTerms({ payments: TEST_PAYMENTS });
const base = paymentTerms({ payments: { ...TEST_PAYMENTS, network: 'eip155:8453' } });
if (terms === undefined || base === undefined) throw new Error('there are terms');

/** Signed by viem 2 with the example key of EIP-155, 32 bytes of 0x46. */
const { authorization } = testAuthorization(1_700_000_600_000, {
  from: '0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F',
  validBefore: '1700000900',
});
const R = '93529f9cec792ef31c2fe128297fb02d4a701e86712bea0c89615e56cd07458e';
const S = '6d824df68a4d987ae7271d41b779fb699cf7e132cfaf2a62715a6093769ce3da';
const UPPER_S = '927db20975b2678518d8e2be488604951db6fbb3df9975d94e77fdf959995d67';
const signature = `0x${R}${S}1c`;

const verified = (changes: Partial<typeof authorization>, more: Partial<FacilitatorRequest> = {}, as = signature) =>
  demoFacilitator().verify({
    signed: { signature: as, authorization: { ...authorization, ...changes } },
    resource: testResource(),
    terms,
    amount: '50000',
    payTo: TEST_PAYMENTS.payTo,
    ...more,
  });
const REFUSED = { kind: 'invalid', reason: 'invalid_exact_evm_signature' };
const elsewhere = `0x${'22'.repeat(20)}`;

test('the demonstration takes an authorization that its payer signed, with addresses in any case', async () => {
  expect(await verified({})).toEqual({ kind: 'valid' });
  expect(await verified({ from: authorization.from.toLowerCase(), to: authorization.to.toLowerCase() })).toEqual({ kind: 'valid' });
  const wallet = newWallet();
  const own = { ...authorization, from: wallet.address };
  expect(await verified(own, {}, await wallet.sign(transferDigest(own, terms.network)))).toEqual({ kind: 'valid' });
});

test.each([
  ['value', { value: '1' }],
  ['payee', { to: elsewhere }],
  ['payer', { from: elsewhere }],
  ['nonce', { nonce: `0x${'08'.repeat(32)}` }],
  ['start', { validAfter: '1700000001' }],
  ['end', { validBefore: '9'.repeat(78) }],
])('the demonstration refuses an authorization with another %s than was signed', async (_name, changes) => {
  expect(await verified(changes)).toEqual(REFUSED);
});

const { network } = terms;
test.each([
  ['chain', { ...network, chainId: base.network.chainId }],
  ['token', { ...network, asset: { ...network.asset, address: base.network.asset.address } }],
  ['name of the token', { ...network, asset: { ...network.asset, name: base.network.asset.name } }],
  ['version of the token', { ...network, asset: { ...network.asset, version: '1' } }],
])('the demonstration refuses an authorization for another %s', async (_name, other) => {
  expect(await verified({}, { terms: { ...terms, network: other } })).toEqual(REFUSED);
});

test.each([
  ['of another wallet', `0x${'ab'.repeat(64)}1b`],
  ['of ones', `0x${'11'.repeat(65)}`],
  ['of zeros', `0x${'00'.repeat(64)}1b`],
  ['beyond the curve', `0x${'ff'.repeat(64)}1b`],
  ['with the other v', `0x${R}${S}1b`],
  ['with a v of 1, which the token reverts', `0x${R}${S}01`],
  ['with an s in the upper half, which the token reverts', `0x${R}${UPPER_S}1b`],
  ['of a smart wallet', `${signature}00`],
  ['without v', `0x${R}${S}`],
  ['of nothing', '0x'],
])('the demonstration refuses a signature %s, and does not fail', async (_name, as) => expect(await verified({}, {}, as)).toEqual(REFUSED));

test('a signature has one of the four values of v that wallets write', async () => {
  const { address, sign } = newWallet();
  const digest = new Uint8Array(32).fill(7);
  const signed = await sign(digest);
  const signers = Array.from({ length: 256 }, (_, v) => recoveredAddress(digest, signed.slice(0, -2) + v.toString(16).padStart(2, '0')));
  expect(signers.flatMap((signer, v) => (signer === undefined ? [] : [v]))).toEqual([0, 1, 27, 28]);
  expect(signers.filter((signer) => signer === address)).toHaveLength(2);
});

test.skipIf(kit === undefined)('the demonstration takes what the official client of x402 signs', async () => {
  const resource = testResource();
  const { accepted } = testPayment(resource, { signature, authorization });
  const required = { x402Version: 2, error: '', resource: { url: resource.url }, accepts: [accepted] };
  const payment = await kit?.signX402(kit.newAccount(), required);
  const signed = payment?.['payload'] as FacilitatorRequest['signed'];
  expect(await verified(signed.authorization, {}, signed.signature)).toEqual({ kind: 'valid' });
});

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startFacilitator } from './facilitator.ts';

/** Units of the test token that the account of tests gets: 100 dollars that are worth nothing. */
const FUNDS = 100_000_000n;

/** Starts the facilitator and prints how to pay through it; it runs until it is interrupted. */
export async function runFacilitator(options: { readonly network: string; readonly port: number }): Promise<void> {
  try {
    const facilitator = await startFacilitator(options);
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    facilitator.fund(address, FUNDS);
    console.log(`Facilitator for tests at ${facilitator.url}, network ${facilitator.network}, token in memory. Nothing here is worth anything.

Build and serve a site that is paid through it:
  PAY_TO=0x000000000000000000000000000000000000dEaD PAYMENT_NETWORK=${facilitator.network} FACILITATOR_URL=${facilitator.url} npm start

An account that was made a moment ago and holds ${FUNDS / 1_000_000n} test dollars, for tests only, never for money:
  address     ${address}
  private key ${key}

Stop with Ctrl+C.`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void facilitator.stop());
  } catch (error) {
    console.error(`The facilitator does not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

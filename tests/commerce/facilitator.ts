import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { type Hex, hexToBigInt, type Log } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { FacilitatorFault, NodeCondition, NodeFault, TestFacilitator } from '../support/commerce-kit.ts';
import { close, listen } from '../support/listen.ts';
import { TestToken } from './test-token.ts';

/** A request to a node by JSON-RPC. */
interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Filter {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly topics: readonly (Hex | readonly Hex[])[];
}

/**
 * What a node of the network answers, as far as payments are looked up at one (ethereum/execution-apis).
 *
 * @param safeMs Time up to which blocks are safe from reorganization.
 */
async function answerOfNode(
  { id, method, params }: RpcRequest,
  token: TestToken,
  safeMs: number,
  fault: NodeFault | undefined,
): Promise<unknown> {
  const result = await resultOf(method, params, token, safeMs);
  if (fault === 'rpc_error') return { jsonrpc: '2.0', id, error: { code: -32005, message: 'query returned more than 10000 results' } };
  return { jsonrpc: '2.0', id, result: CHANGES[`${fault} ${method}`]?.(result as never) ?? (fault === 'null' ? null : result) };
}

const OTHER = `0x${'77'.repeat(32)}` as const;

/** What faults change of the results of methods. */
const CHANGES: Readonly<Record<string, (result: never) => unknown>> = {
  'reverted eth_getTransactionReceipt': (receipt: object) => ({ ...receipt, status: '0x0' }),
  'other_block eth_getTransactionReceipt': (receipt: object) => ({ ...receipt, blockHash: OTHER }),
  'other_log eth_getLogs': (logs: { topics: Hex[] }[]) => logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, 2), OTHER] })),
  'removed eth_getLogs': (logs: object[]) => logs.map((log) => ({ ...log, removed: true })),
};

async function resultOf(method: string, params: readonly unknown[], token: TestToken, safeMs: number): Promise<unknown> {
  switch (method) {
    case 'eth_getBlockByNumber':
      if (params[0] !== 'safe') throw new Error('only the safe block is asked for');
      return token.blockAt(safeMs);
    case 'eth_getLogs': {
      const { fromBlock, toBlock, topics } = params[0] as Filter;
      return token
        .logs()
        .filter(({ blockNumber }) => hexToBigInt(blockNumber) >= hexToBigInt(fromBlock) && hexToBigInt(blockNumber) <= hexToBigInt(toBlock))
        .filter((log) => topics.every((wanted, at) => [wanted].flat().includes(log.topics[at] as Hex)));
    }
    case 'eth_getTransactionReceipt': {
      const logs = token.logs().filter(({ transactionHash }) => transactionHash === params[0]);
      const [first] = logs;
      return first === undefined
        ? null
        : { status: '0x1', transactionHash: params[0], blockHash: first.blockHash, blockNumber: first.blockNumber, logs };
    }
    case 'eth_call': {
      const { success, returnData } = await token.readEncoded((params[0] as { data: Hex }).data);
      if (!success) throw new Error('execution reverted');
      return returnData;
    }
    default:
      throw new Error(`the node does not know ${method}`);
  }
}

/** How long an answer that comes late takes, in milliseconds, unless a test says so. */
const LATE_MS = 1_000;

/** What the official facilitator needs of a network, answered by the token. */
function signerOf(token: TestToken, isConfirmed: () => boolean): FacilitatorEvmSigner {
  const { address } = privateKeyToAccount(generatePrivateKey());
  return {
    getAddresses: () => [address],
    readContract: ({ functionName, args }) => token.read(functionName, args),
    verifyTypedData: async () => {
      throw new Error('signatures are recovered from their hashes');
    },
    writeContract: ({ functionName, args }) => {
      if (functionName !== 'transferWithAuthorization') throw new Error(`nothing is written by ${functionName}`);
      return token.transfer(args);
    },
    sendTransaction: async () => {
      throw new Error('no transaction is sent here');
    },
    waitForTransactionReceipt: async ({ hash }) => {
      if (!isConfirmed()) throw new Error('the receipt did not come in time');
      return { status: 'success', logs: token.logs().filter(({ transactionHash }) => transactionHash === hash) as unknown as Log[] };
    },
    getCode: async ({ address: asked }) => (asked.toLowerCase() === token.address.toLowerCase() ? '0x60' : undefined),
  };
}

const NETWORK = 'eip155:84532';

/** Starts a facilitator on the loopback address: the official class of x402 with its scheme for EVM networks, against a token in memory. */
export async function startFacilitator(nowMs: () => number = Date.now): Promise<TestFacilitator> {
  const token = new TestToken(NETWORK, nowMs);
  let fault: FacilitatorFault = {};
  const signer = signerOf(token, () => fault.settle !== 'unconfirmed');
  const facilitator = new x402Facilitator().register(NETWORK, new ExactEvmScheme(signer));
  let node: NodeCondition = {};
  const work = async (path: string, request: IncomingMessage): Promise<unknown> => {
    if (path === '/supported') return facilitator.getSupported();
    const { paymentPayload, paymentRequirements } = JSON.parse(await text(request));
    return path === '/verify'
      ? facilitator.verify(paymentPayload, paymentRequirements)
      : facilitator.settle(paymentPayload, paymentRequirements);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/rpc') {
      if (isBroken(node.fault, request, response)) return;
      const asked = JSON.parse(await text(request)) as RpcRequest;
      return send(response, 200, await answerOfNode(asked, token, nowMs() - (node.safeLagMs ?? 0), node.fault));
    }
    if (!['/supported', '/verify', '/settle'].includes(path)) return send(response, 404, { error: 'there is no such address' });
    const planned = path === '/verify' ? fault.verify : path === '/settle' ? fault.settle : undefined;
    if (isBroken(planned, request, response)) return;
    if (planned === 'error') return send(response, 500, { error: 'planned' });
    if (planned === 'huge')
      return void response.writeHead(200).end(JSON.stringify({ success: true, isValid: true, filler: 'x'.repeat(1_000_000) }));
    if (typeof planned === 'object')
      return send(response, 200, {
        success: false,
        errorReason: planned.refuses,
        transaction: planned.transaction ?? '',
        network: NETWORK,
      });
    const result = await work(path, request);
    await fault.afterSettle?.(path);
    if (planned === 'lost') return void request.socket.destroy();
    if (planned === 'pending')
      return send(response, 200, { success: false, errorReason: 'settlement_pending', transaction: '0x', network: NETWORK });
    if (planned === 'unnamed') return send(response, 200, { success: true, transaction: '', network: NETWORK });
    if (planned === 'late') await new Promise((resolve) => setTimeout(resolve, fault.lateMs ?? LATE_MS));
    return send(response, 200, result);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) =>
      send(response, 400, { error: error instanceof Error ? error.message : String(error) }),
    );
  });
  return {
    url: await listen(server),
    balanceOf: (account) => token.balanceOf(account as Hex),
    transfers: () => token.transfers,
    fund: (account, units) => token.fund(account as Hex, units),
    setFault: (planned) => {
      fault = planned;
    },
    setNode: (condition) => {
      node = condition;
    },
    spendNonce: ({ privateKey }, spent) => token.spendNonce(privateKey as Hex, spent),
    cancel: (payer, nonce) => token.cancel(payer, nonce),
    stop: () => close(server),
  };
}

/** Whether a fault keeps a request from its answer: the connection breaks, or something else is answered. */
function isBroken(fault: unknown, request: IncomingMessage, response: ServerResponse): boolean {
  if (fault === 'down') request.socket.destroy();
  else if (fault === 'redirect') response.writeHead(307, { Location: '/supported' }).end();
  else if (fault === 'garbage') response.writeHead(200).end('{"success":tr');
  else return false;
  return true;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

import { type Hex, hexToBigInt } from 'viem';
import type { NodeFault } from '../support/commerce-kit.ts';
import type { TestToken } from './test-token.ts';

/** A request to a node by JSON-RPC. */
export interface RpcRequest {
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
export async function answerOfNode(
  { id, method, params }: RpcRequest,
  token: TestToken,
  safeMs: number,
  fault: NodeFault | undefined,
): Promise<unknown> {
  const result = await resultOf(method, params, token, safeMs);
  if (fault === 'null') return { jsonrpc: '2.0', id, result: null };
  if (fault === 'rpc_error') return { jsonrpc: '2.0', id, error: { code: -32005, message: 'query returned more than 10000 results' } };
  if (fault === 'reverted' && method === 'eth_getTransactionReceipt')
    return { jsonrpc: '2.0', id, result: { ...(result as object), status: '0x0' } };
  if (fault === 'other_log' && method === 'eth_getLogs')
    return {
      jsonrpc: '2.0',
      id,
      result: (result as { topics: Hex[] }[]).map((log) => ({ ...log, topics: [...log.topics.slice(0, 2), `0x${'77'.repeat(32)}`] })),
    };
  if (fault === 'removed' && method === 'eth_getLogs')
    return { jsonrpc: '2.0', id, result: (result as object[]).map((log) => ({ ...log, removed: true })) };
  if (fault === 'other_block' && method === 'eth_getTransactionReceipt')
    return { jsonrpc: '2.0', id, result: { ...(result as object), blockHash: `0x${'77'.repeat(32)}` } };
  return { jsonrpc: '2.0', id, result };
}

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

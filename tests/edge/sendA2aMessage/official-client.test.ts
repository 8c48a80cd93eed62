import type { Message, Part } from '@a2a-js/sdk';
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

/** The client of the A2A project against the running service: it finds the card, chooses an interface, and reads every response. */
const gateway = useSharedGateway();
const fetchImpl = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return gateway.fetch(pathname + search, init);
};

function connect(): Promise<Client> {
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
  return new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })], cardResolver }).createFromUrl(TEST_BASE_URL);
}

function asking(...contents: NonNullable<Part['content']>[]) {
  const parts = contents.map((content): Part => ({ content, metadata: undefined, filename: '', mediaType: '' }));
  const message: Message = {
    messageId: 'm-1',
    contextId: 'c-1',
    taskId: '',
    role: 1,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

const kindsOf = (answer: unknown): (string | undefined)[] => (answer as Message).parts.map(({ content }) => content?.$case);

interface FoundQuotes {
  readonly results: readonly { readonly capsule_id: string; readonly quote: { readonly text: string } }[];
}
const valuesOf = (answer: unknown): unknown[] => (answer as Message).parts.map(({ content }) => content?.value);

describe('the official client', () => {
  test('asks a question and verifies a quotation', async () => {
    const client = await connect();
    expect(client.protocolVersion).toBe('1.0');
    const answer = (await client.sendMessage(asking({ $case: 'text', value: 'what is a facilitator' }))) as Message;
    expect([answer.role, answer.contextId, kindsOf(answer)]).toEqual([2, 'c-1', ['text', 'data']]);
    const [result] = valuesOf(answer).flatMap((value) => (value as Partial<FoundQuotes>).results ?? []);
    if (result === undefined) throw new Error('nothing was found');
    const { capsule_id, quote } = result;
    const verified = await client.sendMessage(asking({ $case: 'data', value: { skill: 'verify_quote', capsule_id, quote: quote.text } }));
    expect(valuesOf(verified)).toContainEqual(expect.objectContaining({ verdict: 'exact' }));
  });

  test('reads a streamed answer', async () => {
    const events: unknown[] = [];
    for await (const event of (await connect()).sendMessageStream(asking({ $case: 'text', value: 'bm25' }))) events.push(event);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events[0])).toContain('capsules/bm25');
  });

  test('recognizes errors', async () => {
    const client = await connect();
    await expect(client.getTask({ tenant: '', id: 'none' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    await expect(client.cancelTask({ tenant: '', id: 'none', metadata: undefined })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    const picture = asking({ $case: 'url', value: 'https://agent.example/picture.png' });
    await expect(client.sendMessage(picture)).rejects.toMatchObject({ name: 'ContentTypeNotSupportedError' });
  });
});

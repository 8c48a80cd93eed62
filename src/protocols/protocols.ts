import type { ProtocolAdapters } from '../gateway/commerce/orders/order-ports.ts';
import { documentRoute, type Route } from '../http/define-route.ts';
import { isAtBase } from '../schemas/paths.ts';
import { a2aProtocol } from './a2a/a2a.ts';
import { acpProtocol } from './acp/acp.ts';
import { writeAcpOrderEvent } from './acp/order-event.ts';
import { mcpProtocol } from './mcp/mcp.ts';
import { mppProtocol } from './mpp/mpp.ts';
import { nlwebProtocol } from './nlweb/nlweb.ts';
import type { ProtocolDocument, ProtocolModule, ProtocolSettings } from './protocol-module.ts';
import { ucpProtocol } from './ucp/ucp.ts';
import { x402Facilitator, x402Protocol } from './x402/x402.ts';

/** Every supported protocol, in the order of documents. A new one is a folder with a module, and an entry here. */
export const PROTOCOLS: readonly ProtocolModule[] = [
  mcpProtocol,
  nlwebProtocol,
  a2aProtocol,
  acpProtocol,
  ucpProtocol,
  x402Protocol,
  mppProtocol,
];

export const PROTOCOL_ADAPTERS: ProtocolAdapters = {
  payments: { schemes: PROTOCOLS.flatMap(({ paymentScheme }) => paymentScheme ?? []), facilitator: x402Facilitator },
  writeOrderEvent: writeAcpOrderEvent,
};

export function protocolDocuments(settings: ProtocolSettings): readonly ProtocolDocument[] {
  return PROTOCOLS.flatMap((protocol) => publishedBy(protocol, settings));
}

function publishedBy({ documents = [] }: ProtocolModule, settings: ProtocolSettings): readonly ProtocolDocument[] {
  return documents.filter(({ isPublished, path }) => (isPublished?.(settings) ?? true) && isAtBase(path, settings.baseUrl));
}

/** Routes of protocols: documents of every deployment, which the table lists first, and operations that need functions. */
export function protocolRoutes(settings: ProtocolSettings): {
  readonly documents: readonly Route[];
  readonly operations: readonly Route[];
} {
  const routesOf = (protocol: ProtocolModule, edge: boolean): Route[] =>
    publishedBy(protocol, settings)
      .flatMap(({ name, path, route }) => (route ? documentRoute(name, { path, ...route(settings) }) : []))
      .filter((route) => route.edge === edge);
  return {
    documents: PROTOCOLS.flatMap((protocol) => routesOf(protocol, false)),
    operations: PROTOCOLS.flatMap((protocol) => [...routesOf(protocol, true), ...(protocol.operations?.(settings) ?? [])]),
  };
}

export function routes(settings: ProtocolSettings): readonly Route[] {
  const { documents, operations } = protocolRoutes(settings);
  return [...documents, ...operations];
}

import { ACP_VERSION, AcpDiscovery } from '../schemas/commerce-discovery.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Publication } from './publication.ts';

/**
 * `/.well-known/acp.json`. No service is switched on, and the document says so.
 *
 * @see Agentic Commerce Protocol 2026-04-17, rfcs/rfc.discovery.md: the document MUST NOT hold anything that varies by
 *   session, nor merchant ids or payment handlers.
 */
export function acpWellKnown({ deployment, publisher }: Publication): AcpDiscovery {
  const { baseUrl } = deployment;
  return AcpDiscovery.parse({
    protocol: { name: 'acp', version: ACP_VERSION, supported_versions: [ACP_VERSION], documentation_url: `${baseUrl}${PATHS.docs}` },
    api_base_url: `${baseUrl}${PATHS.acp}`,
    transports: ['rest'],
    capabilities: { services: [], supported_currencies: [publisher.currency.toLowerCase()], supported_locales: ['en-US'] },
  } satisfies AcpDiscovery);
}

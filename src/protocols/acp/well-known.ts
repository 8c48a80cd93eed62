import { ACP_VERSION, AcpDiscovery } from './schemas/discovery.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../publication/publication.ts';

/**
 * `/.well-known/acp.json`. Of the services that there are, `checkout` alone is ever switched on: events of orders are sent, but an order
 * cannot be managed here.
 *
 * @see Agentic Commerce Protocol 2026-04-17, rfcs/rfc.discovery.md: the document MUST NOT hold anything that varies by
 *   session, nor merchant ids or payment handlers.
 */
export function acpWellKnown({ deployment, publisher, pages }: Publication): AcpDiscovery {
  const { baseUrl } = deployment;
  const guide = docPath('agentic-commerce');
  return AcpDiscovery.parse({
    protocol: {
      name: 'acp',
      version: ACP_VERSION,
      supported_versions: [ACP_VERSION],
      documentation_url: baseUrl + (pages.some(({ path }) => path === guide) ? guide : PATHS.docs),
    },
    api_base_url: `${baseUrl}${PATHS.acp}`,
    transports: ['rest'],
    capabilities: {
      services: deployment.commerce.acp ? ['checkout'] : [],
      supported_currencies: [publisher.currency.toLowerCase()],
      supported_locales: ['en-US'],
    },
  } satisfies AcpDiscovery);
}

import type { Publication } from '../../publication/publication.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';
import { documentAddresses } from '../document-registry.ts';

/** Media type of the catalog of APIs, with its profile (RFC 9727 section 4). */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The APIs of a deployment with their descriptions, as a linkset (RFC 9727, RFC 9264; relation types of RFC 8631). */
export function apiCatalog(publication: Publication): object {
  const { mode, baseUrl, commerce } = publication.deployment;
  const addresses = documentAddresses(publication);
  const json = (...names: readonly string[]): object[] =>
    names.flatMap((name) => (addresses[name] === undefined ? [] : [{ href: addresses[name], type: 'application/json' }]));
  const page = (path: string): object[] => [{ href: baseUrl + path, type: 'text/html' }];
  const files = mode === 'static';
  return {
    linkset: [
      {
        anchor: files ? `${baseUrl}${PATHS.home}` : baseUrl + PATHS.gateway,
        'service-desc': json('openapi', 'openapi_agent'),
        'service-doc': page(PATHS.docs),
        'service-meta': [...json('capabilities'), { href: baseUrl + PATHS.authMd, type: 'text/markdown' }],
        // A file cannot say whether the service works now.
        ...(files ? {} : { status: json('status') }),
      },
      ...(commerce.acp
        ? [{ anchor: baseUrl + PATHS.acp, 'service-desc': json('acp', 'openapi'), 'service-doc': page(docPath('agentic-commerce')) }]
        : []),
      ...(commerce.ucp
        ? [{ anchor: baseUrl + PATHS.ucp, 'service-desc': json('ucp', 'openapi'), 'service-doc': page(docPath('universal-commerce')) }]
        : []),
    ],
  };
}

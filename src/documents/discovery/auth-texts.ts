import { offeredScopes } from '../../gateway/agents/scopes.ts';
import type { DocumentFile, Publication } from '../../publication/publication.ts';
import { featuresOf } from '../../schemas/features.ts';
import { LIMITS, RATE_LIMITS } from '../../schemas/limits.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';

/** `/auth.md`: how agents get and use credentials, for readers of nothing else. */
export function authMarkdown(publication: Publication): Omit<DocumentFile, 'path'> {
  const body = publication.deployment.mode === 'static' ? withoutKeys(publication) : withKeys(publication);
  return { contentType: 'text/markdown; charset=utf-8', body };
}

function withoutKeys({ deployment: { baseUrl, name } }: Publication): string {
  return `# auth.md: access to ${name}

This site has files only. No credential exists, there is no registration, and every address answers a GET without one.

- Audience: ${baseUrl}
- Index for agents: ${baseUrl}${PATHS.llmsTxt}
`;
}

const GRANTS = {
  by_default: 'always granted',
  on_request: 'granted when you ask for it in "scopes"',
  by_publisher: 'granted by the publisher to named agents',
} as const;

function withKeys({ deployment, publisher, offers }: Publication): string {
  const { baseUrl, name, intake, keyPrefix, contactEmail } = deployment;
  const gateway = baseUrl + PATHS.gateway;
  const keys = baseUrl + PATHS.agentKeys;
  const scopes = offeredScopes(intake, featuresOf(publisher, offers));
  const needsChallenge = scopes.some(({ scope, granted }) => scope === 'submit' && granted === 'on_request');
  return `# auth.md: API keys of ${name}

Agents register themselves and get an API key at once; no person and no account is needed. Keys are not OAuth tokens: there is no authorization server,
no token endpoint and no refresh token.

- Audience: ${baseUrl}
- Registration endpoint: POST ${gateway}/register
- Registration methods: anonymous (\`{"type":"anonymous","requested_credential_type":"api_key"}\`)
- Credential: API key, sent as \`Authorization: Bearer <api_key>\`
- Protected resource metadata (RFC 9728): ${baseUrl}${PATHS.protectedResource}

## Without a key

Search, reading, lineages and files need no key: \`GET ${gateway}/search?q=…\` allows ${RATE_LIMITS.search.requests} searches an hour for each network.

## Register

\`\`\`sh
curl -s -X POST ${gateway}/register -H 'Content-Type: application/json' \\
  -d '{"type":"anonymous","requested_credential_type":"api_key","agent_name":"My research agent","scopes":["read"]}'
\`\`\`

The 201 response has the key as \`credential\` and \`api_key\`, only this once, and \`agent_id\`, \`scopes\` and \`expires_at\`. To be able to repeat the request, send
an \`Idempotency-Key\` of at least ${LIMITS.idempotencyKeyMinLength} random characters: the same request returns the same key for ${LIMITS.idempotencyHours} hours.

A network can register ${RATE_LIMITS.register.requests} agents an hour; beyond, ${needsChallenge ? 'and for the scope `submit`, ' : ''}solve a challenge from GET ${gateway}/challenge and send its token and solution
as \`challenge\`. Steps: ${baseUrl}${docPath('agent-keys')}

## Scopes

${scopes.map(({ scope, granted, description }) => `- \`${scope}\`: ${description} (${GRANTS[granted]})`).join('\n')}

## Use

\`\`\`sh
curl -s -X POST ${gateway}/query -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '{"query":"…","max_results":3}'
\`\`\`

Send the key in the header only: one in a URL is refused. Keys begin with \`${keyPrefix}\`. A key allows ${RATE_LIMITS.query.requests} queries a minute; responses have the headers
\`RateLimit\` and \`RateLimit-Policy\`, and a 429 has \`Retry-After\`.

## Expiry, rotation and revocation

- A key works for ${LIMITS.keyTtlDays} days. There is no renewal without a rotation.
- Check: GET ${keys}/self
- Rotate: POST ${keys}/rotate. The old key works for ${LIMITS.keyOverlapMinutesDefault} minutes more, or as \`overlap_minutes\` says.
- Revoke: POST ${keys}/revoke with \`{"keys":"this"}\` or \`{"keys":"all"}\`. A revoked key is refused everywhere within ${LIMITS.revocationMaxSeconds} seconds.

## Errors

A 401 names this site's metadata in \`WWW-Authenticate\` and is a problem document (RFC 9457) with a \`code\` and \`next_actions\`. Questions: ${contactEmail}
`;
}

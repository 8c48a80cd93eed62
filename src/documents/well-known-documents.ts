import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { sha256 } from '@noble/hashes/sha2.js';
import { offeredScopes } from '../gateway/agents/scopes.ts';
import { AGENT_CARD_TYPE } from '../protocols/a2a/a2a.ts';
import { SERVER_CARD_TYPE } from '../protocols/mcp/mcp.ts';
import { toBytes, toHex } from '../provenance/bytes-and-sha256.ts';
import { searchKnowledgeRoute } from '../routes/search-routes.ts';
import { featuresOf } from '../schemas/feature-switches.ts';
import { LIMITS, RATE_LIMITS } from '../schemas/limits.ts';
import { agentSkillPath, docPath, PATHS } from '../schemas/paths.ts';
import { DAY_MS } from '../schemas/time.ts';
import { cutWhole } from '../search/analysis/tokenise.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';
import { documentAddresses } from './document-registry.ts';

/** Media type of a skill in the catalog (Agentic Resource Discovery). */
const SKILL_TYPE = 'text/markdown; profile="urn:air:agent-skills"';

/** What agents can use here, as a catalog of Agentic Resource Discovery, version 1.0 (github.com/ards-project/ard-spec). */
export function aiCatalog({ deployment, publisher, skills }: Publication): object {
  const { baseUrl } = deployment;
  const { hostname } = new URL(baseUrl);
  const [questions = []] = skills.map(({ representativeQueries }) => representativeQueries);
  const server = (name: string, type: string, path: string, description: string) => ({
    identifier: `urn:air:${hostname}:servers:${name}`,
    displayName: `${publisher.name}: ${name}`,
    type,
    url: baseUrl + path,
    description,
    representativeQueries: questions,
  });
  return {
    specVersion: '1.0',
    host: { displayName: publisher.name, identifier: publisher.issuer, documentationUrl: baseUrl + PATHS.docs },
    entries: [
      ...(deployment.mode === 'edge' && questions.length > 1
        ? [
            server('mcp', SERVER_CARD_TYPE, PATHS.mcpServerCard, 'MCP server: search, capsules, quotations to verify.'),
            server('a2a', AGENT_CARD_TYPE, PATHS.agentCard, 'A2A agent: answers questions with quotations.'),
          ]
        : []),
      ...skills.map(({ name, description, representativeQueries }) => ({
        identifier: `urn:air:${hostname}:skills:${name}`,
        displayName: `${publisher.name}: ${name}`,
        type: SKILL_TYPE,
        url: baseUrl + agentSkillPath(name),
        description,
        representativeQueries,
      })),
    ],
  };
}

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

/** Validity of security.txt, in days after the publisher's newest change. RFC 9116 section 2.5.5: less than a year. */
const VALID_DAYS = 360;

/** RFC 9116 section 2.5: Contact and Expires are required. */
export function securityTxt({ deployment, publisher }: Publication): DocumentFile {
  const { baseUrl, contactEmail } = deployment;
  const expires = new Date(Date.parse(`${publisher.updated}T00:00:00Z`) + VALID_DAYS * DAY_MS).toISOString().slice(0, 10);
  const body = [
    `Contact: mailto:${contactEmail}`,
    `Contact: ${baseUrl}${PATHS.contact}`,
    `Expires: ${expires}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.securityTxt}`,
  ].join('\n');
  return { path: PATHS.securityTxt, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

/** In characters (OpenSearch 1.1). */
const SHORT_NAME_MAX = 16;
const LONG_NAME_MAX = 48;
const DESCRIPTION_MAX = 1_024;

/** How a browser adds the search of the site, and where programs search (OpenSearch 1.1 Draft 6, github.com/dewitt/opensearch). */
export function openSearchDescription({ publisher, deployment }: Publication): DocumentFile {
  const { baseUrl, mode } = deployment;
  const url = (type: string, path: string): string => `  <Url type="${type}" template="${escapeMarkup(baseUrl + path)}?q={searchTerms}"/>`;
  const element = (name: string, text: string): string => `  <${name}>${escapeMarkup(text)}</${name}>`;
  const body = [
    XML_DECLARATION,
    '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
    element('ShortName', wholeWords(publisher.name, SHORT_NAME_MAX)),
    element('LongName', wholeWords(publisher.name, LONG_NAME_MAX)),
    element('Description', wholeWords(publisher.description, DESCRIPTION_MAX)),
    url('text/html', PATHS.search),
    ...(mode === 'edge' ? [url('application/json', searchKnowledgeRoute.path)] : []),
    element('Language', publisher.language),
    '  <InputEncoding>UTF-8</InputEncoding>',
    '</OpenSearchDescription>',
    '',
  ].join('\n');
  return { path: PATHS.openSearch, contentType: 'application/opensearchdescription+xml', body };
}

function wholeWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf(' ', maxLength);
  return cutWhole(text, end > 0 ? end : maxLength).trim();
}

/** The index of skills, version 0.2.0 of Agent Skills Discovery (github.com/cloudflare/agent-skills-discovery-rfc). */
export function agentSkillsIndex(publication: Publication): object {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: publishedSkills(publication).map(({ name, size: _size, ...skill }) => ({ name, type: 'skill-md', ...skill })),
  };
}

export function mcpSkillList(publication: Publication): readonly Skill[] {
  return publishedSkills(publication).map(({ name, description, url, digest, size }) => ({
    uri: url,
    frontmatter: { name, description },
    resources: [{ uri: url, digest, size }],
  }));
}

function publishedSkills(publication: Publication) {
  return publication.skills.map(({ name, description, markdown }) => {
    const bytes = toBytes(markdown);
    const url = publication.deployment.baseUrl + agentSkillPath(name);
    return { name, description, url, digest: `sha256:${toHex(sha256(bytes))}`, size: bytes.length };
  });
}

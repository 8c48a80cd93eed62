import * as z from 'zod';
import { howToGetScope, offeredScopes } from '../gateway/agents/scopes.ts';
import { catalogDocument } from '../gateway/commerce/catalog/catalog-document.ts';
import { browseItem, sortForBrowsing } from '../gateway/knowledge/browse-capsules.ts';
import { summaryOf } from '../gateway/knowledge/capsule-response.ts';
import { wholeLog } from '../gateway/knowledge/read-changes.ts';
import { openIncidents } from '../gateway/knowledge/report-status.ts';
import { publishedBudgets, publishedRateLimits } from '../gateway/limits/quotas.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { KEY_PATTERN } from '../schemas/api-keys.ts';
import { Capabilities } from '../schemas/capabilities.ts';
import { type CatalogDocument, catalogSchema, publishedCatalog } from '../schemas/commerce/offers.ts';
import { type Deployment, policyUrl } from '../schemas/deployment.ts';
import { type Features, featuresOf, isLimitInUse } from '../schemas/feature-switches.ts';
import { IntakeResponse, PROPOSAL_BOUNDS } from '../schemas/intake/proposals.ts';
import type { JsonObject } from '../schemas/json-schema.ts';
import { BrowseResponse, ChangesResponse, StatusResponse } from '../schemas/knowledge/corpus-responses.ts';
import { GATEWAY_VERSION, LIMITS } from '../schemas/limits.ts';
import { isAtBase, PATHS } from '../schemas/paths.ts';
import type { IntakePolicy } from '../schemas/publisher.ts';
import type { Publication } from '../text/publication-model.ts';
import { documentAddresses } from './document-registry.ts';

const FILE_LIMITS: readonly (keyof typeof LIMITS)[] = ['idMaxLength', 'lineageMaxNodes', 'lineageMaxDepth'];

export function capabilities(publication: Publication): Capabilities {
  const { deployment, publisher, offers, stats } = publication;
  const features = featuresOf(publisher, offers);
  return Capabilities.parse({
    name: deployment.name,
    description: deployment.description,
    base_url: deployment.baseUrl,
    deployment: deployment.mode === 'static' ? 'static' : 'live',
    gateway_version: GATEWAY_VERSION,
    operations: operationsOf(deployment, features),
    authentication: authenticationOf(deployment, features),
    limits: limitsOf(deployment, features),
    rate_limits: rateLimitsOf(deployment, features),
    budgets: deployment.mode === 'static' || deployment.rateLimits === 'bench' ? [] : publishedBudgets(features),
    protocols: PROTOCOLS.flatMap(({ capability }) => capability(deployment, features) ?? []).filter(({ document }) =>
      isAtBase(document.slice(deployment.baseUrl.length), deployment.baseUrl),
    ),
    corpus: stats,
    documents: documentAddresses(publication),
  } satisfies Capabilities);
}

function operationsOf(deployment: Deployment, features: Features): Capabilities['operations'] {
  const isStatic = deployment.mode === 'static';
  return describedRoutes(deployment, features)
    .filter(({ edge }) => !isStatic || !edge)
    .map(({ id, method, path, staticPath, summary, capability, access }) => ({
      id,
      method,
      path: isStatic ? (staticPath ?? path) : path,
      summary,
      capability,
      ...(access === 'open' ? { access: 'open' as const } : { access: 'key' as const, ...(access === 'key' ? {} : { scope: access }) }),
    }));
}

function authenticationOf({ mode, baseUrl, intake }: Deployment, features: Features): Capabilities['authentication'] {
  if (mode === 'static') return { type: 'none', scopes: [] };
  return {
    type: 'bearer',
    header: 'Authorization: Bearer <api_key>',
    register: `${baseUrl}${PATHS.gateway}/register`,
    key_pattern: KEY_PATTERN,
    key_ttl_days: LIMITS.keyTtlDays,
    scopes: [...offeredScopes(intake, features)],
  };
}

function limitsOf({ mode }: Deployment, features: Features): Record<string, number> {
  const names = mode === 'static' ? FILE_LIMITS : (Object.keys(LIMITS) as (keyof typeof LIMITS)[]);
  const published = names.map((name): [string, number] => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), LIMITS[name]]);
  return Object.fromEntries(published.filter(([name]) => isLimitInUse(name, features)));
}

function rateLimitsOf({ mode, rateLimits }: Deployment, features: Features): Capabilities['rate_limits'] {
  if (mode === 'static') return { enforcement: 'none', policies: [] };
  if (rateLimits === 'bench') return { enforcement: 'lifted', policies: [] };
  return { enforcement: 'isolate', policies: publishedRateLimits(features) };
}

const REASONS: Readonly<Record<IntakePolicy, string>> = {
  open: 'Every agent with the scope submit may propose. A person reviews each proposal; nothing is published until then.',
  granted:
    'Agents to which the publisher granted the scope submit may propose. A person reviews each proposal; nothing is published until then.',
  closed: 'This site does not accept proposals over the API. Write to the contact by e-mail instead.',
};

/** How to propose capsules and corrections. The service adds the counts of the queue. */
export function intake({ deployment }: Pick<Publication, 'deployment'>): IntakeResponse {
  const { intake: policy, baseUrl } = deployment;
  const { words, sources } = PROPOSAL_BOUNDS;
  const isOpen = policy !== 'closed';
  return IntakeResponse.parse({
    open: isOpen,
    reason: REASONS[policy],
    accepts: isOpen ? ['capsule', 'correction'] : [],
    contact: deployment.contactEmail,
    rules: [
      'One capsule makes one claim and states it in its first sentence.',
      `The text has ${words.min} to ${words.max} words of markdown.`,
      'Every fact has a source that anyone can open; each source has a title, a publisher and an address.',
      'The capsule states the strength of its best evidence: opinion, reported, documented, specified or measured.',
      'The text states facts and does not instruct its reader; nothing in it is hidden.',
      'The author has the right to license the text; the licence is an SPDX identifier.',
      'A correction names the capsule, its newest version and the exact passage; it may add sources.',
      'Links to this site lead to published capsules.',
    ],
    limits: { words_min: words.min, words_max: words.max, sources_min: sources.min },
    submit:
      policy === 'closed'
        ? null
        : {
            operation: `${baseUrl}${PATHS.publicCapsules}/intake`,
            scope: 'submit',
            how_to_get_the_scope: howToGetScope('submit', policy, { intake: true, checkoutSessions: true }),
          },
    queue: { waiting: null, waiting_max: isOpen ? LIMITS.intakeQueueMax : 0, median_wait_hours: null },
    policy_url: policyUrl(deployment, 'about') ?? baseUrl + PATHS.contact,
  } satisfies IntakeResponse);
}

/** The catalog of a publication, validated against {@link publishedCatalog}, a subset of the published schema. */
export function catalog({ deployment, discontinuedOffers, publisher }: Publication): CatalogDocument {
  const { offers, quoteOnlyOffers = [], missingPages } = deployment;
  const document = catalogDocument([...offers, ...quoteOnlyOffers, ...discontinuedOffers], publisher, missingPages);
  publishedCatalog(deployment).parse(document);
  return document;
}

/** The top level is closed, offers are open, and an offer has one of two forms, or both. */
export function offersSchema({ deployment }: Pick<Publication, 'deployment'>): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(catalogSchema(deployment));
  return {
    $schema,
    $id: `${deployment.baseUrl}${PATHS.offersSchema}`,
    title: 'Offer catalog',
    description: `Catalog at ${PATHS.offersJson}, ${PATHS.buyJson} and ${PATHS.pricingJson}. An offer has one of two forms, or both; prices are numbers of US dollars. Unknown members of an offer are allowed, those of the top level are not.`,
    ...schema,
  };
}

/** One page without a cursor, for a frontend-only deployment. */
export function browseFile(publication: Publication): BrowseResponse {
  const { deployment, stats } = publication;
  const items = sortForBrowsing(publication.capsules.map(({ metadata }) => summaryOf(metadata))).map((summary) =>
    browseItem(summary, deployment.baseUrl),
  );
  return BrowseResponse.parse({
    corpus_version: stats.corpus_version,
    items,
    limit: items.length,
    page: { total: items.length, total_is_exact: true, has_more: false, next_cursor: null },
  } satisfies BrowseResponse);
}

/** Of a frontend-only deployment: without live checks. */
export function statusFile({ stats, deployment }: Publication): StatusResponse {
  return StatusResponse.parse({
    status: 'ok',
    deployment: 'static',
    corpus: stats,
    checks: [],
    budgets: [],
    ...openIncidents(deployment),
  } satisfies StatusResponse);
}

export function changesFile({ mirror, stats, deployment }: Pick<Publication, 'mirror' | 'stats' | 'deployment'>): ChangesResponse {
  return ChangesResponse.parse(wholeLog(mirror.changes, stats.corpus_version, { manifest: mirror.manifest, baseUrl: deployment.baseUrl }));
}

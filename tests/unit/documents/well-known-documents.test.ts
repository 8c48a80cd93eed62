import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { agentSkills } from '../../../src/build/make-publication.ts';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { offeredScopes } from '../../../src/gateway/agents/scopes.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { smallPublication, smallPublicationWith } from './publication-fixture.ts';

interface Skills {
  readonly $schema: string;
  readonly skills: readonly { name: string; type: string; description: string; url: string; digest: string }[];
}
interface Catalog {
  readonly specVersion: string;
  readonly host: Readonly<Record<string, string>>;
  readonly entries: readonly { identifier: string; type: string; url: string; data?: unknown; representativeQueries: readonly string[] }[];
}
interface Linkset {
  readonly linkset: readonly ({ readonly anchor: string } & Readonly<Record<string, readonly { href: string; type: string }[]>>)[];
}

const edge = await smallPublication('edge');
const files = await smallPublication('static');
const bare = await smallPublicationWith({ intake: 'closed' }, 'edge', false);
const empty = { ...bare, capsules: [], skills: agentSkills({ ...bare, capsules: [] }) };

function bodyOf(publication: Publication, path: string): string {
  const file = documentFiles(publication).find((one) => one.path === path);
  if (file === undefined) throw new Error(`no file ${path}`);
  return file.body;
}
const json = <T>(publication: Publication, path: string): T => JSON.parse(bodyOf(publication, path)) as T;

describe('skills for agents', () => {
  it.each([
    ['a service', edge, ['ask-and-verify', 'buy', 'mirror', 'propose']],
    ['files', files, ['read-and-verify', 'mirror']],
    ['an empty publication', empty, ['mirror']],
    ['a site without shop and intake', bare, ['ask-and-verify', 'mirror']],
  ] as const)('of %s are those that work there', (_name, publication, names) => {
    const skills = publication.skills.map(({ name }) => name);
    expect(skills.filter((name) => name !== 'propose')).toEqual(names.filter((name) => name !== 'propose'));
    if (publication.deployment.intake !== 'open') expect(skills).not.toContain('propose');
  });

  it.each([edge, files, empty])('have files with the digests of their index', (publication) => {
    const index = json<Skills>(publication, PATHS.agentSkillsIndex);
    expect(index.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    for (const { name, type, description, url, digest } of index.skills) {
      const body = bodyOf(publication, url.slice(publication.deployment.baseUrl.length));
      expect([type, description.length <= 1024, /^[a-z0-9-]{1,64}$/.test(name)]).toEqual(['skill-md', true, true]);
      expect(digest).toBe(`sha256:${createHash('sha256').update(body).digest('hex')}`);
      expect(body.startsWith(`---\nname: ${name}\ndescription: `)).toBe(true);
    }
  });
});

it.each([edge, files, empty])('the catalog for agents has entries by the rules of its format', (publication) => {
  const { specVersion, host, entries } = json<Catalog>(publication, PATHS.aiCatalog);
  expect([specVersion, host['identifier']]).toEqual(['1.0', publication.publisher.issuer]);
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries) {
    expect(entry.identifier).toMatch(/^urn:air:[a-z0-9.-]+:[a-z0-9-]+:[a-z0-9-]+$/);
    expect([2, 3, 4, 5]).toContain(entry.representativeQueries.length);
    expect([typeof entry.url, entry.data]).toEqual(['string', undefined]);
  }
  expect(new Set(entries.map(({ identifier }) => identifier)).size).toBe(entries.length);
});

describe('the catalog of APIs', () => {
  it('names an API for each protocol that is on, with its descriptions', () => {
    const { linkset } = json<Linkset>(edge, PATHS.apiCatalog);
    const { baseUrl } = edge.deployment;
    expect(linkset.map(({ anchor }) => anchor)).toEqual([PATHS.gateway, PATHS.acp, PATHS.ucp].map((path) => baseUrl + path));
    for (const { anchor: _, ...links } of linkset) for (const targets of Object.values(links)) expect(targets.length).toBeGreaterThan(0);
  });

  it('describes the files of a site without functions, whose state they cannot tell', () => {
    const { linkset } = json<Linkset>(files, PATHS.apiCatalog);
    expect(linkset.map(({ anchor, status }) => [anchor, status])).toEqual([[`${files.deployment.baseUrl}/`, undefined]]);
  });
});

describe('documents about credentials', () => {
  it('name the scopes that are offered, and no authorization server', () => {
    const resource = json<Record<string, unknown>>(edge, PATHS.protectedResource);
    const scopes = offeredScopes(edge.deployment.intake, featuresOf(edge.publisher, edge.offers)).map(({ scope }) => scope);
    expect(resource).toMatchObject({ resource: edge.deployment.baseUrl, scopes_supported: scopes, bearer_methods_supported: ['header'] });
    expect(resource).not.toHaveProperty('authorization_servers');
    const text = bodyOf(edge, PATHS.authMd);
    expect(text).toMatch(/^# auth\.md: /);
    for (const scope of scopes) expect(text).toContain(`- \`${scope}\`: `);
  });

  it('say that there is no credential where there are only files', () => {
    expect(bodyOf(files, PATHS.authMd)).toContain('No credential exists');
    expect(documentFiles(files).map(({ path }) => path)).not.toContain(PATHS.protectedResource);
  });
});

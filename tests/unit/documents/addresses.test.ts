import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileRewrites, headersFile, redirectsFile } from '../../../src/documents/headers-and-redirects.ts';
import { documentFiles, functionDocuments } from '../../../src/documents/make-documents.ts';
import { enginePages, guidesOf, pagesAboutSite } from '../../../src/documents/page-registry.ts';
import { ERRORS } from '../../../src/gateway/errors.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { hasPrice } from '../../../src/schemas/commerce/currency-and-availability.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import {
  basePathOf,
  buyPath,
  capsulePath,
  operationPath,
  PATHS,
  pageMarkdownPath,
  problemPath,
  siteTextPath,
  subjectPath,
  testCheckoutPath,
} from '../../../src/schemas/paths.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { ENGLISH } from '../../../src/text/strings/interface-strings.ts';
import { ROOT } from '../../support/paths.ts';
import { realPublication, smallPublication, smallPublicationWith } from './publication-fixture.ts';

const BYTES = ['public', 'src/site/public'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true }).map((path) => `/${String(path)}`),
);

/** Everything that answers in a mode: files, pages, and in the edge mode functions. */
function answeringPaths(publication: Publication): { exact: Set<string>; patterns: RegExp[] } {
  const { mode } = publication.deployment;
  const table = routeTable(publication.deployment);
  const pages = [
    ...publication.pages.map(({ path }) => path),
    ...publication.capsules.flatMap(({ id, metadata }) => [capsulePath(id), ...metadata.tags.map((tag) => subjectPath(tag))]),
    ...publication.offers.flatMap(({ id, aliases }) => [id, ...aliases].map(buyPath)),
    ...publication.offers.filter(hasPrice).flatMap(({ id, currency }) => testCheckoutPath(id, currency)),
    PATHS.pricing,
    PATHS.buyInvoice,
    PATHS.search,
    ...guidesOf(mode, featuresOf(publication.publisher, publication.offers)).map(({ path }) => path),
    ...(mode === 'edge' ? [...Object.keys(ERRORS).map(problemPath), ...table.map(({ id }) => operationPath(id))] : []),
  ];
  const twins = pages.map(pageMarkdownPath);
  const functions = mode === 'edge' ? table.filter(({ servedBy }) => servedBy === 'function').map(({ path }) => path) : [];
  const patterns = [...functions, ...table.map(({ staticPath }) => staticPath ?? '')].filter((path) => path.includes('{'));
  return {
    exact: new Set([...pages, ...twins, ...BYTES, ...documentFiles(publication).map(({ path }) => path), ...functions]),
    patterns: patterns.map((path) => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`)),
  };
}

function ownAddresses(text: string, baseUrl: string): string[] {
  const plain = text.replaceAll('\\/', '/').replaceAll('\\"', '"').replaceAll('&quot;', '"');
  const found = plain.matchAll(new RegExp(`${baseUrl.replace(/\./g, '\\.')}([^\\s"'\`<>()\\\\\\]]*)`, 'g'));
  return [...found].map(([, rest = '']) => rest.replace(/[.,;:]+$/, ''));
}

const publications = [
  await smallPublication('edge'),
  await smallPublication('static'),
  await realPublication('edge'),
  await realPublication('static'),
  await smallPublicationWith({ base_url: 'https://lantern.example/notes' }, 'static'),
].map((publication) => ({ name: `${publication.deployment.baseUrl} ${publication.deployment.mode}`, publication }));

describe.each(publications)('addresses of $name', ({ publication }) => {
  const { baseUrl, mode } = publication.deployment;
  const { exact, patterns } = answeringPaths(publication);
  const basePath = basePathOf(baseUrl);
  const answers = (path: string): boolean => exact.has(path) || patterns.some((pattern) => pattern.test(path));
  const texts = [
    ...documentFiles(publication),
    ...Object.entries(functionDocuments(publication)).map(([path, { body }]) => ({ path, body })),
  ];

  it('answer in the mode, in every document', () => {
    const dead = new Set<string>();
    let count = 0;
    for (const { path, body } of texts) {
      const isSchema = path === PATHS.offersSchema;
      for (const address of ownAddresses(body, baseUrl)) {
        const target = (address.split(/[?#]/)[0] ?? '') || '/';
        count += 1;
        // The address that protocol paths are appended to is a prefix, fixed by the interface; patterns in schemas are none.
        if (target === PATHS.acp || target === PATHS.ucp || isSchema || answers(target)) continue;
        // The API itself is what a catalog of APIs describes, and the commands of skills complete addresses by a variable.
        if (path === PATHS.apiCatalog && target === PATHS.gateway) continue;
        if (path.startsWith(PATHS.agentSkills) && target === `${PATHS.publicCapsules}/intake/$`) continue;
        // Code of a guide completes an address by a variable.
        if (path.startsWith(siteTextPath('guide', 'docs/').slice(0, -3)) && (target.startsWith('${') || target === PATHS.gateway)) continue;
        if (address === '' && !body.includes(`${baseUrl}/`)) continue;
        dead.add(`${path}: ${target}`);
      }
    }
    expect(count).toBeGreaterThan(200);
    expect([...dead]).toEqual([]);
  });

  it('answer in the mode, in files of the host', () => {
    const links = [...headersFile(documentFiles(publication), publication.deployment).matchAll(/<(\/[^>]*)>/g)].map(
      ([, path = '']) => path,
    );
    expect(links.length).toBeGreaterThan(3);
    for (const path of links) expect(path.startsWith(basePath) && answers(path.slice(basePath.length)), path).toBe(true);
    for (const line of redirectsFile(fileRewrites(routeTable(publication.deployment)))
      .trim()
      .split('\n')) {
      const [from = '', to = '', status] = line.split(' ');
      expect(status).toBe('200');
      const first = publication.capsules[0]?.id ?? '';
      expect(from).toMatch(/^\/api\/v1\//);
      if (mode === 'static') expect(answers(to.replace(':capsule_id', first)), to).toBe(true);
    }
  });

  it('name the API only where it answers', () => {
    if (mode === 'edge') return;
    for (const { path, body } of texts) {
      if (
        path.startsWith('/capsules/') ||
        path === PATHS.llmsFullTxt ||
        path === PATHS.openApi ||
        path === PATHS.openApiAgent ||
        path === 'openApi'
      )
        continue;
      expect(body.replaceAll(`${baseUrl}${PATHS.acp}"`, ''), path).not.toContain(`${baseUrl}/api/`);
    }
  });
});

it('has no document below a path that programs ask for at the root of a host, and names none', async () => {
  const publication = await smallPublicationWith({ base_url: 'https://lantern.example/notes' }, 'static');
  const files = documentFiles(publication);
  const atRoot = files.map(({ path }) => path).filter((path) => path.startsWith('/.well-known/') || path === PATHS.robots);
  expect(atRoot.filter((path) => !path.endsWith('/SKILL.md'))).toEqual([PATHS.jwks]);
  const named = files.flatMap(({ path, body }) =>
    ownAddresses(body, 'https://lantern.example').flatMap((address) =>
      address.startsWith('/notes') || address === '' ? [] : [`${path}: ${address}`],
    ),
  );
  expect(named).toEqual([]);
  expect(files.find(({ path }) => path === '/did.json')?.body).toContain(publication.publisher.issuer);
});

it('lists a page that only its sentences name at the address of its name, after those that have a place', () => {
  const sentences = { ...ENGLISH.pages, historyTitle: 'History', historyDescription: 'How this site came about.' };
  const about = pagesAboutSite(enginePages(sentences, { shop: true }));
  expect(about.map(({ path }) => path)).toStrictEqual([PATHS.connect, PATHS.status, '/history']);
  expect(about[2]).toMatchObject({ title: 'History', description: 'How this site came about.' });
});

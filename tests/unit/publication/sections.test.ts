import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCorpus } from '../../../src/build/make-publication.ts';
import { renameCapsule } from '../../../src/cli/commands/rename.ts';
import { formerAddresses } from '../../../src/documents/headers-and-redirects.ts';
import { capsuleFiles, documentFiles, taggedDocuments } from '../../../src/documents/make-documents.ts';
import { browseCapsules } from '../../../src/gateway/knowledge/browse-capsules.ts';
import { listsInMemory } from '../../../src/gateway/knowledge/capsule-lists/make-lists.ts';
import { readListPage, readSubjectsPage } from '../../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { readCapsuleFile } from '../../../src/gateway/knowledge/paid-text-preview.ts';
import { queryKnowledge } from '../../../src/gateway/knowledge/query-knowledge.ts';
import { readCapsule } from '../../../src/gateway/knowledge/read-capsule.ts';
import type { GatewayDependencies } from '../../../src/http/gateway-dependencies.ts';
import { listResources } from '../../../src/protocols/mcp/resources.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { capsulesOf, earlierVersions, inVersion, placeOf, sectionsAbove, versionOf } from '../../../src/schemas/knowledge/sections.ts';
import { makePublication } from '../../support/sample-content.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { expectValue } from '../gateway/real-generation.ts';
import { capsule, type Files, problemsOf, TODAY, writeWorld } from './content-world.ts';

const SECTIONS = `sections:
  - id: basics
    title: Basics
    introduction: Where to begin.
    items:
      - second
      - id: deeper
        title: Deeper
        items: [third]
      - a-capsule
  - { id: rest, title: The rest, items: [a-draft, fourth] }
`;

const WORLD: Files = {
  'sections.yaml': SECTIONS,
  'capsules/second.md': capsule({ path: '[/guide/second.html, /old/second/]' }),
  'capsules/third.md': capsule({ path: '/third' }),
  'capsules/fourth.md': capsule(),
  'capsules/fifth.md': capsule(),
  'capsules/a-draft.md': capsule({ draft: 'true' }),
};

const SUBJECTS = `subjects:
  - id: http
    title: The web's protocol
    introduction: How to ask.
    items: [third, second]
`;

const publicationOf = async (files: Files, mode: Deployment['mode']) =>
  makePublication(await contentOf(await writeWorld(files)), { mode, rateLimits: undefined });

describe('sections.yaml', () => {
  it('gives sections, order and nesting, without drafts, and says which capsules it does not name', async () => {
    const { content, warnings } = await readContent(await writeWorld(WORLD), { today: TODAY });
    expect(content?.sections).toEqual([
      {
        id: 'basics',
        title: 'Basics',
        introduction: 'Where to begin.',
        items: ['second', { id: 'deeper', title: 'Deeper', items: ['third'] }, 'a-capsule'],
      },
      { id: 'rest', title: 'The rest', items: ['fourth'] },
    ]);
    expect(capsulesOf({ items: content?.sections ?? [] })).toEqual(['second', 'third', 'a-capsule', 'fourth']);
    expect(sectionsAbove('third', content?.sections ?? []).map(({ id }) => id)).toEqual(['basics', 'deeper']);
    expect(warnings.filter(({ file }) => file === 'content/sections.yaml').map(({ message }) => message)).toEqual([
      'does not name the capsule "fifth", which lists have after all sections: fifth',
    ]);
  });

  it('follows a renamed capsule, and so do subjects', async () => {
    const tagged = capsule({ tags: '[http]' });
    const files = { ...WORLD, 'capsules/third.md': tagged, 'capsules/second.md': tagged, 'subjects.yaml': SUBJECTS };
    const root = await writeWorld(files);
    const { changed } = await renameCapsule(root, 'third', 'last', { today: TODAY });
    expect(changed).toEqual(expect.arrayContaining(['content/sections.yaml', 'content/subjects.yaml']));
    expect(await readFile(join(root, 'content/sections.yaml'), 'utf8')).toBe(SECTIONS.replace('[third]', '[last]'));
    expect(await readFile(join(root, 'content/subjects.yaml'), 'utf8')).toContain('items: [last, second]');
  });

  it('is refused beyond six sections within each other', async () => {
    const nested = (depth: number): string => (depth === 0 ? 'second' : `{ id: s${depth}, title: T, items: [${nested(depth - 1)}] }`);
    expect(await problemsOf({ ...WORLD, 'sections.yaml': `sections: [${nested(6)}]\n` })).toEqual([]);
    expect((await problemsOf({ ...WORLD, 'sections.yaml': `sections: [${nested(7)}]\n` })).join()).toContain(
      'is 7 sections deep, and the most are 6',
    );
  });

  it('changes nothing where it is missing or empty', async () => {
    const { 'sections.yaml': _sections, ...without } = WORLD;
    const [missing, empty] = await Promise.all([
      publicationOf(without, 'edge'),
      publicationOf({ ...without, 'sections.yaml': 'sections: []\n' }, 'edge'),
    ]);
    const texts = ({ publication }: typeof missing): string[] => documentFiles(publication).map(({ path, body }) => `${path} ${body}`);
    expect(texts(empty)).toEqual(texts(missing));
    expect(texts(missing).filter((text) => /"section"|\/sections/.test(text))).toEqual([]);
    expect(empty.generation.version).toBe(missing.generation.version);
  });
});

describe('a publication with sections', () => {
  it('lists its capsules by section in llms.txt, and its sections in the sitemap', async () => {
    const { publication } = await publicationOf(WORLD, 'static');
    const bodyOf = (path: string): string => documentFiles(publication).find((file) => file.path === path)?.body ?? '';
    const headings = bodyOf('/llms.txt').match(/^## .*$/gm);
    expect(headings?.slice(1, 5)).toEqual(['## Basics', '## Basics › Deeper', '## The rest', '## Further capsules']);
    expect(bodyOf('/llms.txt')).toContain('- [This section](https://tests.example/sections/basics.md): Where to begin.');
    expect(bodyOf('/sitemap.xml')).toContain('<loc>https://tests.example/sections/deeper</loc>');
  });

  it('is browsed by section at the API, and its sections are resources of MCP', async () => {
    const made = await publicationOf(WORLD, 'edge');
    const { deployment } = made.publication;
    const corpus = await openCorpus(made.generation);
    const idsIn = async (section: string): Promise<string[]> =>
      expectValue(await browseCapsules({ section }, corpus, deployment.baseUrl, undefined, deployment.sections)).items.map(
        (item) => item.capsule_id,
      );
    expect(await idsIn('basics')).toEqual(['a-capsule', 'second', 'third']);
    expect(await idsIn('deeper')).toEqual(['third']);
    expect(await idsIn('nowhere')).toEqual([]);
    const openApi = documentFiles(made.publication).find(({ path }) => path === '/openapi.json')?.body ?? '';
    expect(openApi).toContain('"Only capsules of this section and of those within it."');
    const documents = await taggedDocuments(made.publication);
    const resources = listResources({ deployment, documents } as unknown as GatewayDependencies);
    expect(resources.filter(({ name }) => name.startsWith('section-'))).toEqual([
      {
        uri: 'https://tests.example/sections/basics.md',
        name: 'section-basics',
        title: 'Basics',
        description: 'Where to begin.',
        mimeType: 'text/markdown',
      },
      { uri: 'https://tests.example/sections/deeper.md', name: 'section-deeper', title: 'Basics › Deeper', mimeType: 'text/markdown' },
      { uri: 'https://tests.example/sections/rest.md', name: 'section-rest', title: 'The rest', mimeType: 'text/markdown' },
    ]);
  });
});

it('further addresses of a capsule redirect to it on hosts with redirects, and by a page of their own on others', async () => {
  const { publication } = await publicationOf(WORLD, 'static');
  expect(formerAddresses(publication)).toEqual([
    ['/guide/second.html', '/capsules/second'],
    ['/old/second/', '/capsules/second'],
    ['/third', '/capsules/third'],
  ]);
  const pages = documentFiles(publication).filter(
    ({ contentType, body }) => contentType.startsWith('text/html') && body.includes('refresh'),
  );
  expect(pages.map(({ path }) => path)).toEqual(['/guide/second.html', '/old/second/index.html', '/third.html']);
});

describe('versions of a product', () => {
  const VERSIONS = `sections:
  - id: rotor
    title: Rotor
    versions: true
    items:
      - { id: v2, title: 2.x, items: [v2-install, v2-new, { id: more, title: More, items: [settings-of-two] }] }
      - { id: v1, title: 1.x, items: [v1-install, v1-gone, settings-of-one] }
`;
  const FILES: Files = {
    'sections.yaml': VERSIONS,
    'capsules/v2-install.md': capsule({ title: 'How to install Rotor' }),
    'capsules/v2-new.md': capsule({ title: 'What is new in Rotor' }),
    'capsules/settings-of-two.md': capsule({ title: 'Settings of Rotor' }),
    'capsules/v1-install.md': capsule({ title: 'How to install Rotor' }),
    'capsules/v1-gone.md': capsule({ title: 'What Rotor had once' }),
    'capsules/settings-of-one.md': capsule({ title: 'Settings of Rotor' }),
  };

  it('have the same text by id without the id of the version, or by title, in whatever section', async () => {
    const { content } = await readContent(await writeWorld(FILES), { today: TODAY });
    const sections = content?.sections ?? [];
    const titles = Object.fromEntries((content?.capsules ?? []).map(({ id, frontMatter }) => [id, frontMatter.title]));
    const place = placeOf('settings-of-two', sections);
    const { version, versions } = (place && versionOf(place)) ?? { versions: [] };
    const [two, one] = versions;
    expect([version?.id, two?.id, one?.id]).toEqual(['v2', 'v2', 'v1']);
    if (one === undefined || two === undefined) throw new Error('two versions');
    const found = ['v1-install', 'v1-gone', 'settings-of-one'].map((id) => inVersion(id, one, two, titles));
    expect(found).toEqual(['v2-install', undefined, 'settings-of-two']);
    const earlier = earlierVersions(sections, titles);
    expect([...earlier].map(([id, { path, hasSameText }]) => [id, path, hasSameText])).toEqual([
      ['v1-install', '/capsules/v2-install', true],
      ['v1-gone', '/capsules/v2-install', false],
      ['settings-of-one', '/capsules/settings-of-two', true],
    ]);
  });

  it('are named in the JSON and markdown of earlier ones, the same as files and at the API', async () => {
    const { publication, generation } = await publicationOf(FILES, 'edge');
    const { baseUrl } = publication.deployment;
    const corpus = await openCorpus(generation);
    const product_version = { title: '1.x', current: '2.x', url: `${baseUrl}/capsules/v2-install` };
    expect(expectValue(await readCapsule('v1-gone', undefined, corpus, baseUrl)).product_version).toEqual(product_version);
    expect(expectValue(await readCapsule('v2-new', undefined, corpus, baseUrl))).not.toHaveProperty('product_version');
    const gone = publication.capsules.find(({ id }) => id === 'v1-gone');
    if (gone === undefined) throw new Error('v1-gone is missing');
    const files = new Map(capsuleFiles(gone, publication).map(({ path, body }) => [path, body]));
    expect(JSON.parse(files.get('/capsules/v1-gone/capsule.json') ?? '').product_version).toEqual(product_version);
    expect(expectValue(await readCapsuleFile('v1-gone', corpus, publication.deployment))).toBe(files.get('/capsules/v1-gone/capsule.json'));
    expect(files.get('/capsules/v1-gone.md')).toContain(
      `> This is about version 1.x. The current version is [2.x](${baseUrl}/capsules/v2-install).`,
    );
  });

  it('are found the current one first where two texts say the same, and llms.txt says which that is', async () => {
    const { publication, generation } = await publicationOf(FILES, 'edge');
    const corpus = await openCorpus(generation);
    const { results } = expectValue(
      await queryKnowledge(QueryRequest.parse({ query: 'install rotor' }), corpus, publication.deployment.baseUrl),
    );
    const ids = results.map((result) => ('capsule_id' in result ? result.capsule_id : ''));
    expect(ids.indexOf('v2-install')).toBeLessThan(ids.indexOf('v1-install'));
    expect(ids.indexOf('v1-install')).toBeGreaterThan(-1);
    const llms = documentFiles(publication).find(({ path }) => path === '/llms.txt')?.body ?? '';
    expect(llms).toContain('## Rotor › 2.x (current version)\n');
    expect(llms).toContain('## Rotor › 1.x (earlier version)\n');
    expect(llms).toContain('## Rotor › 2.x › More\n');
  });
});

describe('subjects.yaml', () => {
  const tagged = capsule({ tags: '[http, api-design]' });
  const files: Files = {
    'capsules/second.md': tagged,
    'capsules/third.md': tagged,
    'capsules/fourth.md': tagged,
    'subjects.yaml': SUBJECTS,
  };

  it('gives subjects a title, an introduction and an order, which documents and lists have', async () => {
    const { publication } = await publicationOf(files, 'edge');
    expect(publication.subjects).toEqual({
      http: { title: "The web's protocol", introduction: 'How to ask.', items: ['third', 'second'] },
    });
    const texts = new Map((await documentFiles(publication)).map(({ path, body }) => [path, body]));
    expect(texts.get('/llms.txt')).toContain("[Capsules about The web's protocol](");
    expect(texts.get('/llms.txt')).toContain('[Capsules about api-design](');
    const lists = listsInMemory(
      publication.capsules.map(({ metadata }) => metadata),
      'en',
      publication.subjects,
    );
    const page = await readListPage({ conditions: { tag: 'http' }, sort: 'title', page: 1 }, lists);
    expect(page?.capsules.map(({ id }) => id)).toEqual(['third', 'second', 'fourth']);
    // From A to Z by title: "Api design", then "The web's protocol".
    expect((await readSubjectsPage(1, lists))?.tags).toEqual(['agents', 'api-design', 'testing', 'http']);
  });

  it('is called as its tag is written first, where the words of the tag would be read as another', async () => {
    const { content } = await readContent(
      await writeWorld({
        'capsules/second.md': capsule({ tags: "[C++, '.NET', räder, getting-started, http, MCP]" }),
        'capsules/third.md': capsule({ tags: '[c-plus-plus, Räder, HTTP, mcp, Getting Started]' }),
        'capsules/fourth.md': capsule({ tags: '[AI倫理, http]' }),
        'capsules/sixth.md': capsule({ tags: '[AI, http]' }),
        'subjects.yaml': SUBJECTS.replace(/\n +items:.*/, ''),
      }),
      { today: TODAY },
    );
    expect(content?.subjects).toEqual({
      'c-plus-plus': { title: 'C++' },
      'dot-net': { title: '.NET' },
      raeder: { title: 'Räder' },
      'getting-started': { title: 'Getting Started' },
      mcp: { title: 'MCP' },
      ai: { title: 'AI' },
      'ai-59d01d13': { title: 'AI倫理' },
      http: { title: "The web's protocol", introduction: 'How to ask.' },
    });
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentsBelow } from '../support/files-below.ts';
import { ROOT } from '../support/paths.ts';
import { freePort, processesOf, type StartedService, startService } from '../support/project-copy.ts';
import { readSample } from '../support/sample-content.ts';

/** A publisher's life with the packed engine: a new publication, own texts, both modes, a newer engine. */
const TODAY = new Date().toISOString().slice(0, 10);

let folder: string;
let site: string;
const OF_FUNCTIONS = ['wrangler', '@astrojs/cloudflare'];

/** What the packed engine names as optional: npm installs none of them. */
const OPTIONAL = ['@astrojs/cloudflare', '@viz-js/viz', 'beautiful-mermaid', 'stripe', 'wrangler'];

/** Unpacks the tarball as npm does, with the other packages linked in. */
async function install(publication: string, version?: string): Promise<void> {
  const modules = join(publication, 'node_modules');
  await mkdir(modules, { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && !OPTIONAL.some((optional) => optional.split('/')[0] === name)) await link(name, modules);
  for (const scope of ['@astrojs', '@viz-js'])
    for (const name of await readdir(join(ROOT, 'node_modules', scope)))
      if (!OPTIONAL.includes(`${scope}/${name}`)) await link(`${scope}/${name}`, modules);
  const engine = join(modules, 'agent-knowledge-gateway');
  await rm(engine, { recursive: true, force: true });
  await mkdir(engine);
  execFileSync('tar', ['xzf', tarball(), '-C', engine, '--strip-components=1']);
  const commands = join(modules, '.bin');
  await mkdir(commands, { recursive: true });
  await chmod(join(engine, 'lib/cli/akg.mjs'), 0o755);
  await symlink(join(engine, 'lib/cli/akg.mjs'), join(commands, 'akg')).catch(() => undefined);
  await symlink(process.execPath, join(commands, 'node')).catch(() => undefined);
  if (version === undefined) return;
  const settings = JSON.parse(await readFile(join(engine, 'package.json'), 'utf8')) as object;
  await writeFile(join(engine, 'package.json'), JSON.stringify({ ...settings, version }));
}

async function link(name: string, modules: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(join(ROOT, 'node_modules', name), join(modules, name)).catch(() => undefined);
}

let packed: { readonly first: string; readonly tarball: string } | undefined;

function tarball(): string {
  packed ??= makeFromSource();
  return packed.tarball;
}

/** A publication made by the repository, with answers from a pipe. */
function makeFromSource(): { readonly first: string; readonly tarball: string } {
  const first = join(folder, 'first');
  const input = 'Werkstatt\nNotes of a workshop\n\n';
  execFileSync(process.execPath, ['src/cli/akg.mjs', 'init', first], { cwd: ROOT, input, env: shellEnvironment() });
  const dependency = /"file:(engine\/agent-knowledge-gateway-[\d.]+\.tgz)"/.exec(readFileSync(join(first, 'package.json'), 'utf8'))?.[1];
  return { first, tarball: join(first, dependency ?? 'no packed engine') };
}

interface Outcome {
  readonly exit: number | null;
  readonly output: string;
}

function akg(args: readonly string[], cwd = site): Outcome {
  return run(join(cwd === site ? site : join(folder, 'engine'), 'node_modules/agent-knowledge-gateway/lib/cli/akg.mjs'), args, cwd);
}

function astroBuild(environment: Record<string, string>): Outcome {
  return run(join(site, 'node_modules/astro/bin/astro.mjs'), ['build'], site, { ...environment, ASTRO_TELEMETRY_DISABLED: '1' });
}

function run(program: string, args: readonly string[], cwd: string, environment: Record<string, string> = {}): Outcome {
  const env = { ...shellEnvironment(), ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8', env });
  return { exit: status, output: stdout + stderr };
}

function shellEnvironment(): NodeJS.ProcessEnv {
  const { BASE_URL: _base, NODE_ENV: _mode, ...environment } = process.env;
  return environment;
}

interface PackageFile {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function packageOf(publication: string): Promise<PackageFile> {
  return JSON.parse(await readFile(join(publication, 'package.json'), 'utf8')) as PackageFile;
}

async function write(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(site, path)), { recursive: true });
  await writeFile(join(site, path), text);
}

async function fillGaps(): Promise<void> {
  for (const name of await readdir(join(site, 'content/pages'))) {
    const path = `content/pages/${name}`;
    await write(path, (await readFile(join(site, path), 'utf8')).replace(/FILL IN: [^.,]*/g, 'what Radwerk does'));
  }
}

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'akg-package-'));
  site = join(folder, 'radwerk');
  await install(join(folder, 'engine'), '1.0.0');
  const about = [
    '--name',
    'Radwerk',
    '--about',
    'Notes of a bicycle workshop',
    '--url',
    'https://radwerk.test',
    '--email',
    'post@radwerk.test',
  ];
  const made = akg(['init', site, '--engine', `file:${tarball()}`, ...about], folder);
  expect(made, made.output).toMatchObject({ exit: 0 });
  await install(site, '1.0.0');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a publication with the packed engine', () => {
  /** Files as they were without pages of their own. */
  const plain = { settings: '', configuration: '' };
  /** The port on which it is served, and for whose address it is built with functions. */
  let port: number;
  beforeAll(async () => {
    port = await freePort();
  });

  test('takes answers from a pipe, with defaults for empty lines and for those that are missing', async () => {
    expect(await readFile(join(packed?.first ?? '', 'content/publisher.yaml'), 'utf8')).toMatch(
      /^name: Werkstatt\ntagline: Notes of a workshop\nbase_url: https:\/\/first\.example\ncontact_email: hello@first\.example$/m,
    );
    const address = spawnSync(process.execPath, ['src/cli/akg.mjs', 'init', join(folder, 'refused')], {
      cwd: ROOT,
      input: 'Name\nAbout\nnot an address\n',
      encoding: 'utf8',
    });
    expect([address.status, address.stderr]).toEqual([1, expect.stringContaining('the answer "not an address" to "At which address')]);
    expect(await readdir(folder)).not.toContain('refused');
  });

  test('has the engine as a file of its own, so that it can be moved and committed', async () => {
    const { dependencies } = JSON.parse(await readFile(join(site, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    const file = dependencies['agent-knowledge-gateway']?.replace('file:', '') ?? '';
    expect(file).toMatch(/^engine\/[^/]+\.tgz$/);
    expect(await readFile(join(site, file))).toEqual(await readFile(tarball()));
  });

  test('names with exact versions what its functions need, and a static one is without functions', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as PackageFile;
    const { 'agent-knowledge-gateway': _engine, ...named } = (await packageOf(site)).dependencies;
    expect(named).toEqual({
      astro: dependencies['astro'],
      wrangler: devDependencies['wrangler'],
      '@astrojs/cloudflare': devDependencies['@astrojs/cloudflare'],
    });
    const other = join(folder, 'files');
    expect(akg(['init', other, '--yes', '--static', '--engine', '1.0.0'], folder)).toMatchObject({ exit: 0 });
    expect(await packageOf(other)).toMatchObject({
      dependencies: { 'agent-knowledge-gateway': '1.0.0' },
      scripts: { build: 'akg build --static' },
    });
    expect(Object.keys((await packageOf(other)).dependencies)).toHaveLength(1);
    expect(await readdir(other)).toEqual(['.gitignore', 'README.md', 'astro.config.mjs', 'content', 'package.json', 'public', 'src']);
    expect(await readFile(join(other, 'README.md'), 'utf8')).not.toMatch(/Cloudflare|npm start/);
  });

  test('says at once which packages are missing, what needs each, and the command that adds all', async () => {
    const settings = await readFile(join(site, 'content/publisher.yaml'), 'utf8');
    await write('content/publisher.yaml', `${settings}\ncommerce:\n  processor: stripe\n`);
    await write(
      'content/capsules/drawn.md',
      '# Drawn\n\nBy a machine.\n\n```mermaid\ngraph TD; A-->B\n```\n\n```dot\ndigraph { a -> b }\n```\n',
    );
    const { exit, output } = akg(['build']);
    expect([exit, output.replaceAll(/@\d+\.\d+\.\d+/g, '@')]).toEqual([
      1,
      `5 packages are not installed:
  wrangler is needed by functions ("akg build --static" makes a site without them)
  @astrojs/cloudflare is needed by functions ("akg build --static" makes a site without them)
  stripe is needed by content/publisher.yaml: commerce.processor is stripe
  beautiful-mermaid is needed by the diagram at content/capsules/drawn.md:5
  @viz-js/viz is needed by the diagram at content/capsules/drawn.md:9
Add them with this command, in the folder of the publication:

  npm install --save-exact wrangler@ @astrojs/cloudflare@ stripe@ beautiful-mermaid@ @viz-js/viz@

`,
    ]);
    const checked = akg(['check']);
    expect([checked.exit, checked.output]).toEqual([
      1,
      expect.stringMatching(/; no mistakes.*\n[\s\S]*npm install --save-exact beautiful-mermaid@\S+ @viz-js\/viz@\S+ stripe@/),
    ]);
    expect(akg(['orders', 'list']).output).toMatch(
      /wrangler is needed by the stores of Cloudflare, .*\n[\s\S]*npm install --save-exact wrangler@/,
    );
    await rm(join(site, 'content/capsules/drawn.md'));
    await write('content/publisher.yaml', settings);
  });

  test('begins without a text, lists its gaps, and is not built for production while they are open', async () => {
    const { exit, output } = akg(['check']);
    expect([exit, output]).toEqual([0, expect.stringMatching(/content\/pages\/about\.md:\d+ still has a placeholder/)]);
    const ofFiles = akg(['build', '--static']);
    expect([ofFiles.exit, ofFiles.output]).toEqual([1, expect.stringContaining('content/pages/contact.md')]);
  });

  test('is built from three texts with only a title, an image, an offer and a theme, without a word of the sample, with pages, a collection and integrations of its own, and files alone without what functions need', async () => {
    await fillGaps();
    await write(
      'content/capsules/chain-wear.md',
      '---\ntitle: When a chain is worn\n---\n\nA chain is worn when it is 0.75 % longer than new.\n\n![A gauge on a chain](gauge.png)\n',
    );
    await write('content/capsules/gauge.png', PIXEL);
    await write(
      'content/capsules/tyre-pressure.md',
      '# Pressure of a tyre\n\nA tyre of 40 mm carries a rider of 80 kg at 3 bar. See [chains](chain-wear.md).\n',
    );
    await write('content/capsules/brake-pads.md', '---\ntitle: Changing brake pads\ntags: [brakes]\n---\n\nChange the pads at 1 mm.\n');
    await write(
      'content/offers/tune-up.md',
      `---\nname: Tune-up\nsummary: We check and adjust brakes, gears and bearings of one bicycle, while you wait.\ncategory: services\nprice: on request\nfeatures: [Brakes and gears adjusted, Bearings checked]\nrefund: No payment is taken before the work.\ndelivery: While you wait.\nvalid_until: ${Number(TODAY.slice(0, 4)) + 1}-12-31\nupdated: ${TODAY}\n---\n\nWe check the bicycle with you and agree on the price before we begin.\n`,
    );
    await write('theme.css', ':root { --radius: 0; }\n');
    await write(
      'src/content.config.ts',
      `import { defineCollection } from 'astro:content';
import { file } from 'astro/loaders';
import { z } from 'astro/zod';
import { collections as texts } from 'agent-knowledge-gateway/content';
const people = defineCollection({ loader: file('src/people.json'), schema: z.object({ name: z.string() }) });
export const collections = { ...texts, people };
`,
    );
    await write('src/people.json', '[{ "id": "ada", "name": "Ada Muster" }, { "id": "ben", "name": "Ben Beispiel" }]');
    const page = (before: string, attributes: string, text: string): string =>
      `---\nimport { getCollection } from 'astro:content';\nimport BaseLayout from 'agent-knowledge-gateway/layouts/BaseLayout.astro';\n${before}\n---\n<BaseLayout ${attributes}>${text}</BaseLayout>\n`;
    const description = 'Who works in the workshop, and what each of us writes about for riders.';
    await write(
      'src/pages/team.astro',
      page(
        "const people = await getCollection('people');\nconst capsules = await getCollection('capsules');",
        `title="The team" description="${description}" path="/team"`,
        '<p>{Astro.locals.site.publisher.name}: {people.length} people, {capsules.map(({ data }) => data.title).sort().join(", ")}</p><script is:inline>document.title += "!";</script>',
      ),
    );
    await write(
      'src/pages/team/[person].astro',
      page(
        "export async function getStaticPaths() { return (await getCollection('people')).map(({ id, data }) => ({ params: { person: id }, props: data })); }",
        `title={Astro.props.name} description="${description}" path={\`/team/\${Astro.params.person}\`}`,
        '<p>Repairs bicycles.</p>',
      ),
    );
    plain.configuration = await readFile(join(site, 'astro.config.mjs'), 'utf8');
    await write(
      'astro.config.mjs',
      `import { readFileSync } from 'node:fs';
import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from 'agent-knowledge-gateway';
const look = { name: 'look', hooks: { 'astro:build:done': ({ dir, pages }) => console.log('seen', pages.length > 20, readFileSync(new URL('team.html', dir), 'utf8').includes('2 people')) } };
export default defineConfig({ integrations: [agentKnowledgeGateway(), look] });
`,
    );
    plain.settings = await readFile(join(site, 'content/publisher.yaml'), 'utf8');
    await write('content/publisher.yaml', `${plain.settings}navigation: [capsules, { label: Team, href: /team }]\n`);
    for (const [name, build, packages] of [
      ['dist-static', () => akg(['build', '--static']), []],
      ['dist', () => astroBuild({ BASE_URL: `http://127.0.0.1:${port}` }), OF_FUNCTIONS],
    ] as const) {
      for (const needed of packages) await link(needed, join(site, 'node_modules'));
      const built = build();
      expect(built, built.output).toMatchObject({ exit: 0 });
      expect(built.output).toContain('seen true true');
      const read = (path: string): Promise<string> => readFile(join(site, name, path), 'utf8');
      expect(await read('team.html')).toContain('Radwerk: 2 people, Changing brake pads, Pressure of a tyre, When a chain is worn');
      expect(await read('team/ada.md')).toContain('# Ada Muster\n\nRepairs bicycles.');
      expect(await read('index.html')).toContain('<a href="/team"');
      for (const list of ['llms.txt', 'sitemap.xml', 'sitemap.md']) {
        const text = await read(list);
        expect([list, text.includes('/team/ben'), text.includes('/team')]).toEqual([list, true, true]);
      }
      const code = createHash('sha256').update('document.title += "!";').digest('base64');
      expect(await read('_headers')).toMatch(
        new RegExp(`\\n/team\\n  ! Content-Security-Policy\\n.*'sha256-${code.replaceAll('+', '\\+')}'`),
      );
    }
    // No build bundles packages for a development server.
    expect(await readdir(join(site, 'node_modules'))).not.toContain('.vite');
    expect(await readdir(join(site, 'public'))).toContain('.gitkeep');
    expect(await readdir(join(site, 'dist'))).not.toContain('.gitkeep');
    const texts = (await Promise.all(['dist', 'dist-static', '.akg'].map((place) => contentsBelow(join(site, place))))).flatMap((files) => [
      ...files,
    ]);
    const words = await wordsOfSample();
    expect(words.length).toBeGreaterThan(60);
    const found = texts.flatMap(([path, text]) => words.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`));
    expect(found).toEqual([]);
  });

  test('serves its pages, the same as "astro build" makes for this address, and its API', async () => {
    let service: StartedService | undefined;
    try {
      service = await startService(site, port);
      await expectSameFiles(await contentsBelow(join(site, 'dist')), join(site, '.akg/local/dist'));
      const key = await fetch(`${service.baseUrl}/api/v1/agent-gateway/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"agent_name":"Test"}',
      });
      const { api_key } = (await key.json()) as { api_key: string };
      const answer = await fetch(`${service.baseUrl}/api/v1/agent-gateway/query`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${api_key}` },
        body: '{"query":"when is a chain worn","max_results":1}',
      });
      expect(await answer.json()).toMatchObject({ results: [{ capsule_id: 'chain-wear' }] });
      expect(runClient(service.baseUrl)).toBe('When a chain is worn: 0\n');
      const page = await (await fetch(`${service.baseUrl}/capsules/tyre-pressure`)).text();
      expect(page).toContain('href="/capsules/chain-wear"');
      const [image = ''] =
        /\/media\/gauge\.[0-9a-f]+\.png/.exec(await (await fetch(`${service.baseUrl}/capsules/chain-wear`)).text()) ?? [];
      const media = await fetch(service.baseUrl + image);
      expect([media.status, media.headers.get('Content-Type'), Buffer.from(await media.arrayBuffer())]).toEqual([200, 'image/png', PIXEL]);
      expect(media.headers.get('Cache-Control')).toContain('immutable');
      expect(media.headers.get('Content-Security-Policy')).toContain('sandbox');
    } finally {
      // As a supervisor does.
      await service?.terminate();
    }
    expect(processesOf(site)).toEqual([]);
  });

  test('is told what to write when it has pages and names no collections', async () => {
    await rm(join(site, 'src/content.config.ts'));
    expect(akg(['build']).output).toContain("create it with the line: export { collections } from 'agent-knowledge-gateway/content';");
    await write('content/publisher.yaml', plain.settings);
    await write('astro.config.mjs', plain.configuration);
    await rm(join(site, 'src'), { recursive: true });
  });

  test('has types for programs that use the client, and for pages that use its collections', async () => {
    const client = `import { GatewayError, gateway } from 'agent-knowledge-gateway/client';
const client = gateway('https://radwerk.test');
export const title: string | undefined = (await client.query({ query: 'chains' })).results[0]?.quote.text;
export const codeOf = (error: unknown): string => (error instanceof GatewayError ? error.code : '');
for await (const { capsule_id } of client.capsules({ limit: 5 })) console.log(capsule_id.length);
// @ts-expect-error A capsule has no such member.
export const wrong = (await client.capsule('chain-wear')).nothing;
// @ts-expect-error A query has no such member.
await client.search({ q: 'chains', filter: 'x' });
`;
    const pages = `import type { collections, SiteLocals } from 'agent-knowledge-gateway/content';
import type { infer as Output } from 'astro/zod';
type Data<Name extends keyof typeof collections> = Output<(typeof collections)[Name]['schema']>;
export const title = (capsule: Data<'capsules'>, offer: Data<'offers'>): string => capsule.title + capsule.lineage?.id + offer.name;
export const name = (publisher: Data<'publisher'>, { site }: SiteLocals): string => publisher.name + site.publisher.base_url;
// @ts-expect-error A capsule has no such member.
export const wrong = (capsule: Data<'capsules'>): string => capsule.nothing;
`;
    const programs = { 'client-types.ts': client, 'collection-types.ts': pages };
    for (const [path, text] of Object.entries(programs)) await write(path, text);
    const compiler = join(site, 'node_modules/typescript/lib/tsc.js');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'ES2023', '--module', 'NodeNext', '--lib', 'ES2023,DOM'];
    const args = [compiler, ...options, ...Object.keys(programs)];
    const { stdout } = spawnSync(process.execPath, args, { cwd: site, encoding: 'utf8' });
    for (const path of Object.keys(programs)) await rm(join(site, path));
    expect(stdout).toBe('');
  });

  test('is upgraded from the engine before without a conflict, and says what changed', async () => {
    const before = await filesOf(site);
    await install(site);
    const trial = akg(['upgrade', '--dry-run']);
    expect(await filesOf(site)).toEqual(before);
    const { exit, output } = akg(['upgrade']);
    expect([exit, output]).toEqual([0, expect.stringMatching(/^From 1\.0\.0\+\w{12} to \d+\.\d+\.\d+\+\w{12}:\n\n## /)]);
    expect(trial.output).toContain('Nothing was changed');
    const after = await filesOf(site);
    for (const [path, text] of before) {
      const lines = (after.get(path) ?? '').split('\n');
      if (path !== 'package.json')
        expect(
          text.split('\n').filter((line) => !lines.includes(line)),
          path,
        ).toEqual([]);
    }
    // Its texts were written for no rules; those of 1.0.0 are kept for it, where it can delete them.
    const settings = await readFile(join(site, 'content/publisher.yaml'), 'utf8');
    expect(settings).toContain('\neditorial:\n');
    await write('content/publisher.yaml', settings.slice(0, settings.indexOf('\neditorial:\n')));
    expect(akg(['check'])).toMatchObject({ exit: 0 });
    expect(akg(['upgrade']).output).toContain('is adapted to version');

    // A package of the same version from another commit.
    await write('node_modules/agent-knowledge-gateway/lib/BUILD', '0123456789ab');
    expect(akg(['upgrade']).output).toMatch(/^From \S+ to \S+\+0123456789ab, another package of the same version\. [^\n]*\n\n## /);
  });
});

/** Imports the client from the installed engine, as another program does, and asks and verifies with it. */
function runClient(baseUrl: string): string {
  const program = `import { gateway } from 'agent-knowledge-gateway/client';
    const client = gateway('${baseUrl}', { agentName: 'Test of the package' });
    const answer = await client.query({ query: 'when is a chain worn', max_results: 1 });
    const { exit } = await client.verify(answer);
    console.log(answer.results[0].title + ': ' + exit);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: site, encoding: 'utf8' });
}

/** Names of modules of the Worker follow from the folder in which they were made; all other files are to be the same. */
async function expectSameFiles(expected: ReadonlyMap<string, string>, place: string): Promise<void> {
  const files = await contentsBelow(place);
  const namesOf = (all: ReadonlyMap<string, string>): string[] => [...all.keys()].filter((path) => !path.startsWith('_worker.js')).sort();
  expect(namesOf(files)).toEqual(namesOf(expected));
  expect(namesOf(files).filter((path) => files.get(path) !== expected.get(path))).toEqual([]);
}

/** Texts of a publisher in a folder: what is not installed, built or generated. */
const filesOf = (publication: string): Promise<Map<string, string>> =>
  contentsBelow(publication, (path) => !/^(node_modules|engine|dist|dist-static|\.\w+)(\/|$)/.test(path));

async function wordsOfSample(): Promise<string[]> {
  const { publisher, capsules, offers } = await readSample();
  return [publisher.name, publisher.contact_email, ...capsules.map(({ frontMatter }) => frontMatter.title), ...offers.map(({ id }) => id)];
}

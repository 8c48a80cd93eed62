import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ENGINE_FOLDER, ENGINE_PACKAGE, engineDependency, engineVersion } from '../../build/engine.ts';
import { UserError } from '../../build/user-error.ts';
import { companionName } from '../../build/wrangler-settings.ts';
import { slugOf } from '../../publication/content-ids.ts';
import { pageTemplates, TEMPLATE_LANGUAGES } from '../../publication/page-templates.ts';

/** What a new publication is made from. */
export interface PublicationAnswers {
  readonly name: string;
  /** What it is about, in one sentence. */
  readonly tagline: string;
  /** Origin, such as `https://docs.example.com`. */
  readonly baseUrl: string;
  readonly contactEmail: string;
  readonly language: string;
}

/** Scripts of a publication, which messages and documentation name, and the command that each runs. */
const SCRIPTS: Readonly<Record<string, string>> = {
  dev: 'dev',
  start: 'start',
  check: 'check',
  'content:check': 'check',
  build: 'build',
  'build:static': 'build --static',
  new: 'new',
  import: 'import',
  revise: 'revise',
  rename: 'rename',
  'take-down': 'take-down',
  strings: 'strings',
  upgrade: 'upgrade',
  intake: 'intake',
  agents: 'agents',
  orders: 'orders',
  'keys:new': 'new-key',
  verify: 'verify',
  'restore:kv': 'restore',
  'publish:kv': 'publish',
  'deploy:companion': 'deploy-companion',
};

/**
 * Writes a small publication: no capsule, no offer, and pages with marked gaps.
 *
 * @param dependency How package.json names the engine; by default the engine that runs. A packed file is copied into the folder.
 * @returns Paths of the files, from `folder`.
 * @throws {UserError} If the folder has files other than those of git.
 */
export async function writePublication(folder: string, answers: PublicationAnswers, dependency?: string): Promise<string[]> {
  const present = (await readdir(folder).catch(() => [])).filter((name) => name !== '.git');
  if (present.length > 0) throw new UserError(`${folder} is not empty (${present[0]}); name a new folder`);
  const files = new Map<string, string>([
    ['package.json', await packageJson(answers, await engineOf(folder, dependency))],
    ['astro.config.mjs', ASTRO_CONFIG],
    ['src/content.config.ts', `export { collections } from '${ENGINE_PACKAGE}/content';\n`],
    ['functions/_middleware.ts', "export { onRequest } from '../.akg/functions.js';\n"],
    ['.gitignore', ['node_modules/', 'dist/', 'dist-static/', '.akg/', '.astro/', '.wrangler/', '.dev.vars', ''].join('\n')],
    ['content/capsules/.gitkeep', ''],
    ['content/offers/.gitkeep', ''],
    ['public/.gitkeep', ''],
  ]);
  for (const name of ['README.md', 'wrangler.toml']) files.set(name, filled(await readTemplate('template', name), answers));
  files.set('content/publisher.yaml', filled(await readTemplate('template', 'publisher.yaml'), answers, yamlText));
  const language = TEMPLATE_LANGUAGES.find((name) => name === answers.language.split('-')[0]) ?? 'en';
  for (const [name, text] of pageTemplates(language)) files.set(`content/pages/${name}`, filled(text, answers));
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
  return [...files.keys()].sort();
}

/** Folder of a publication for an engine that no registry has. */
const PACKED_ENGINE = 'engine';

/** How the publication in `folder` names its engine. An engine that is a file, or the source itself, is put into the folder as a package. */
async function engineOf(folder: string, given: string | undefined): Promise<string> {
  const target = join(folder, PACKED_ENGINE);
  const isSource = !ENGINE_FOLDER.split(sep).includes('node_modules');
  if (given === undefined && isSource) {
    await mkdir(target, { recursive: true });
    const options = { cwd: ENGINE_FOLDER, maxBuffer: Infinity, shell: process.platform === 'win32' };
    const pack = ['pack', '--silent', '--pack-destination', resolve(target)];
    const { stdout } = await promisify(execFile)('npm', pack, options).catch((error: unknown) => {
      throw new UserError(`the engine cannot be packed: run "npm ci" in ${ENGINE_FOLDER}, then this command again. ${String(error)}`);
    });
    return `file:${PACKED_ENGINE}/${stdout.trim().split('\n').at(-1)}`;
  }
  const dependency = given ?? (await engineDependency());
  const file = /^file:(.+\.tgz)$/.exec(dependency)?.[1];
  if (file === undefined) return dependency;
  await mkdir(target, { recursive: true });
  await copyFile(file, join(target, basename(file))).catch((error: unknown) => {
    throw new UserError(`--engine ${dependency}: the file cannot be copied. ${String(error)}`);
  });
  return `file:${PACKED_ENGINE}/${basename(file)}`;
}

const ASTRO_CONFIG = `import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from '${ENGINE_PACKAGE}';

export default defineConfig({ integrations: [agentKnowledgeGateway()] });
`;

/** The name of a publication as the name of an npm package and of a project at Cloudflare, which allows at most 58 characters. */
export function projectName(name: string): string {
  return slugOf(name).slice(0, 58).replace(/-$/, '') || 'publication';
}

async function packageJson({ name }: PublicationAnswers, dependency: string): Promise<string> {
  return `${JSON.stringify(
    {
      name: projectName(name),
      private: true,
      type: 'module',
      scripts: Object.fromEntries(Object.entries(SCRIPTS).map(([script, command]) => [script, `akg ${command}`])),
      dependencies: { [ENGINE_PACKAGE]: dependency },
      // npm asks about install scripts, which neither package needs.
      allowScripts: { esbuild: false, workerd: false },
      akg: { version: await engineVersion() },
    },
    undefined,
    2,
  )}\n`;
}

function readTemplate(...path: string[]): Promise<string> {
  return readFile(join(import.meta.dirname, ...path), 'utf8');
}

/** A template with its values, each as `write` writes it. */
function filled(template: string, answers: PublicationAnswers, write: (value: string) => string = (value) => value): string {
  const values: Readonly<Record<string, string>> = {
    name: answers.name,
    tagline: answers.tagline,
    base_url: answers.baseUrl,
    contact_email: answers.contactEmail,
    language: answers.language,
    slug: projectName(answers.name),
    companion: companionName(projectName(answers.name)),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => write(values[key] ?? ''));
}

function yamlText(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

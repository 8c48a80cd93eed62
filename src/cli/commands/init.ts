import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { access, constants, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import {
  ENGINE_FOLDER,
  ENGINE_PACKAGE,
  engineDependency,
  engineNodeRange,
  engineVersion,
  FUNCTION_PACKAGES,
  PACKED_ENGINE,
  testedVersions,
} from '../../build/engine-package.ts';
import { companionName } from '../../build/wrangler-settings.ts';
import { UserError } from '../../publication/content-problem.ts';
import { slugOf } from '../../publication/read/content-ids.ts';
import { pageTemplates, TEMPLATE_LANGUAGES } from '../../publication/read/page-templates.ts';
import { builtInStrings } from '../../publication/read/strings-file.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { Publisher } from '../../schemas/publisher.ts';
import { describeIssue } from '../../schemas/zod-issue-messages.ts';
import { PLACEHOLDER } from '../../text/check/check-text.ts';
import { fillTemplate } from '../../text/strings/message-format.ts';
import { titleOfId, yamlText } from '../capsules/capsule-file.ts';
import { defineCommand, examples } from '../define-command.ts';

const QUESTIONS = [
  { option: 'name', text: 'What is the publication called?', field: 'name' },
  { option: 'about', text: 'What is it about, in one sentence?', field: 'tagline' },
  { option: 'url', text: 'At which address will it be?', field: 'base_url' },
  { option: 'email', text: 'Which e-mail address may readers write to?', field: 'contact_email' },
] as const;
type Question = (typeof QUESTIONS)[number];
type Answers = Record<Question['field'], string>;

export const command = defineCommand()
  .description(
    `Write a new publication into a folder: settings, pages with marked gaps, no texts and no offers. An engine that comes from a file or from its repository is packed into "engine/" of the folder, so that the folder can be moved and committed.

Asks what the options leave open. Answers can be piped, one a line; an empty line stands for the default.`,
  )
  .argument('<folder>', 'a new folder, such as ../my-site')
  .option('--name <text>', 'name of the publication')
  .option('--about <text>', 'what it is about, in one sentence')
  .option('--url <origin>', 'its address, such as https://docs.example.com')
  .option('--email <address>', 'contact address')
  .option('--language <code>', 'language of the interface and of the texts', 'en')
  .option('--static', 'a site of files alone, without functions and what they need')
  .option('--engine <version>', 'version of the engine for package.json, or "file:" and its packed file; by default the engine that runs')
  .option('-y, --yes', 'ask nothing: defaults for what the options leave open')
  .addHelpText('after', examples('npm run init -- ../my-site', 'npm run init -- ../my-site --yes --language de'))
  .action(async (folder, options) => {
    const { language, static: isStatic = false, yes: isSilent = false, engine } = options;
    const problem = problemOf('language', language);
    if (problem !== undefined) throw new UserError(`--language ${language}: ${problem}`);
    const [present] = (await readdir(folder).catch(() => [])).filter((name) => name !== '.git');
    if (present !== undefined) throw new UserError(`${folder} is not empty (${present}); name a new folder`);
    const answers = await answerAll(options, defaultAnswers(folder), isSilent);
    const files = await writePublication(resolve(folder), { ...answers, language, isStatic }, engine);
    console.log(`Wrote ${files.length} files into ${folder}. Now:

  cd ${/\s/.test(folder) ? `"${folder}"` : folder}
  npm install      # with Node ${(await engineNodeRange()).replace('>=', '')} or later${await installedNode()}
  npm run dev      # write texts into content/capsules/; each saved file is shown at once
  npm run check    # gaps to fill in before the site goes online${isStatic ? '' : '\n  npm start        # the whole site on http://127.0.0.1:8788'}`);
    if (builtInStrings(language) === undefined)
      console.log(`
The engine has no interface in "${language}", so buttons, labels and the templates of the pages are in English. To translate them:

  npm run strings -- ${language}   # writes content/strings/${language}.yaml with every English sentence`);
  });

/** The Node of this machine, if it is another than the one that runs this: npm lets scripts run what is in their own `node_modules/.bin`. */
async function installedNode(): Promise<string> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !/node_modules[\\/]\.bin$/.test(folder));
  const asked = promisify(execFile)('node', ['--version'], { env: { ...process.env, PATH: path.join(delimiter) } });
  const version = await asked.then(({ stdout }) => stdout.trim().replace('v', '')).catch(() => undefined);
  if (version === undefined) return '; none was found: https://nodejs.org/en/download';
  return compareVersions(version, (await engineNodeRange()).replace('>=', '')) < 0
    ? `; you have ${version}: install a newer one first (https://nodejs.org/en/download)`
    : '';
}

function defaultAnswers(folder: string): Answers {
  const slug = projectName(basename(resolve(folder)));
  return {
    name: titleOfId(slug),
    tagline: `${PLACEHOLDER}: what this publication is about, in one sentence`,
    base_url: `https://${slug}.example`,
    contact_email: `hello@${slug}.example`,
  };
}

/** Takes answers from options, and others from the terminal or a pipe, one a line; an empty line and the end of the pipe stand for defaults. */
async function answerAll(given: Partial<Record<Question['option'], string>>, defaults: Answers, isSilent: boolean): Promise<Answers> {
  const answers = { ...defaults };
  const isTyped = process.stdin.isTTY === true;
  const terminal = isSilent ? undefined : createInterface({ input: process.stdin, output: process.stdout, terminal: isTyped });
  terminal?.on('SIGINT', () => process.exit(130));
  // Lines of a pipe come at once, also while nothing is asked.
  const lines = terminal?.[Symbol.asyncIterator]();
  let hasEnded = false;
  const ask = async (question: string): Promise<string> => {
    if (hasEnded || terminal === undefined) return '';
    terminal.setPrompt(question);
    terminal.prompt();
    const line = await lines?.next();
    hasEnded = line === undefined || line.done === true;
    const answer = typeof line?.value === 'string' ? line.value.trim() : '';
    if (!isTyped) console.log(answer);
    return answer;
  };
  try {
    for (const { option, text, field } of QUESTIONS) {
      let answer = given[option];
      const problem = answer === undefined ? undefined : problemOf(field, answer);
      if (problem !== undefined) throw new UserError(`--${option} ${answer}: ${problem}`);
      while (answer === undefined && terminal !== undefined) {
        const typed = (await ask(`${text} (${defaults[field]}) `)) || defaults[field];
        const fault = problemOf(field, typed);
        if (fault === undefined) answer = typed;
        else if (isTyped) console.error(`  ${fault}`);
        else throw new UserError(`the answer "${typed}" to "${text}": ${fault}`);
      }
      answers[field] = answer ?? defaults[field];
    }
  } finally {
    terminal?.close();
  }
  return answers;
}

function problemOf(field: Question['field'] | 'language', value: string): string | undefined {
  const { error } = Publisher.shape[field].safeParse(value);
  return error?.issues[0] && describeIssue(error.issues[0]);
}

interface PublicationAnswers extends Answers {
  readonly language: string;
  /** Whether it has no functions: it needs no packages for them, and its `build` makes files for any host. */
  readonly isStatic?: boolean;
}

/** Scripts of a publication, which messages and documentation name. */
const SCRIPTS = [
  'dev start check content:check build build:static new import revise rename take-down strings upgrade intake agents orders keys:new verify',
  'setup deploy doctor backup insights audit eval:questions restore:kv publish:kv deploy:companion',
].flatMap((names) => names.split(' '));

/** Commands that scripts with other names run. */
const COMMANDS: Readonly<Record<string, string>> = {
  'content:check': 'check',
  'build:static': 'build --static',
  'keys:new': 'new-key',
  'eval:questions': 'eval',
  'restore:kv': 'restore',
  'publish:kv': 'publish',
  'deploy:companion': 'deploy-companion',
};
const WITH_FUNCTIONS = ['start', 'setup', 'deploy', 'doctor', 'backup'];

/**
 * Writes a small publication: no capsule, no offer, and pages with marked gaps.
 *
 * @param dependency How package.json names the engine; by default the engine that runs. A packed file is copied into the folder.
 * @returns Paths of the files, from `folder`.
 */
export async function writePublication(folder: string, answers: PublicationAnswers, dependency?: string): Promise<string[]> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UserError(
      `${folder} cannot be written (${error instanceof Error && 'code' in error ? error.code : error}); name another folder`,
    );
  }
  const files = new Map<string, string>([
    ['package.json', await packageJson(answers, await engineOf(folder, dependency))],
    ['astro.config.mjs', ASTRO_CONFIG],
    ['src/content.config.ts', `export { collections } from '${ENGINE_PACKAGE}/content';\n`],
    [
      '.gitignore',
      ['node_modules/', 'dist/', 'dist-static/', '.akg/', '.astro/', '.wrangler/', '.dev.vars', 'backup-*.jsonl.gz', ''].join('\n'),
    ],
    ['content/capsules/.gitkeep', ''],
    ['content/offers/.gitkeep', ''],
    ['public/.gitkeep', ''],
  ]);
  const readme = filled(await readTemplate('README.md'), answers);
  files.set('README.md', answers.isStatic === true ? withoutFunctions(readme) : readme);
  if (answers.isStatic !== true) {
    files.set('wrangler.toml', filled(await readTemplate('wrangler.toml'), answers));
    files.set('.github/workflows/deploy.yml', await readTemplate('deploy.yml'));
    files.set('functions/_middleware.ts', "export { onRequest } from '../.akg/functions.js';\n");
  }
  files.set('content/publisher.yaml', filled(await readTemplate('publisher.yaml'), answers, yamlText));
  const language = TEMPLATE_LANGUAGES.find((name) => name === answers.language.split('-')[0]) ?? 'en';
  for (const [name, text] of pageTemplates(language)) files.set(`content/pages/${name}`, filled(text, answers));
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
  return [...files.keys()].sort();
}

/** Makes a folder, and those above it. With `recursive`, Node never ends where a file system such as /proc has no room for folders. */
async function makeFolder(folder: string): Promise<void> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(folder))) await makeFolder(dirname(folder));
  await mkdir(folder);
}

/** How the publication in `folder` names its engine. One that is a file, or that npm did not install, is put into the folder as a package. */
async function engineOf(folder: string, given: string | undefined): Promise<string> {
  const target = join(folder, PACKED_ENGINE);
  const dependency = given ?? (await engineDependency());
  if (dependency === undefined) {
    await mkdir(target, { recursive: true });
    const options = { cwd: target, maxBuffer: Infinity, shell: process.platform === 'win32' };
    // A package is compiled, and has no sources of what compiles it.
    const scripts = extname(import.meta.filename) === '.ts' ? [] : ['--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', ['pack', ENGINE_FOLDER, '--silent', ...scripts], options).catch(
      (error: unknown) => {
        throw new UserError(`the engine cannot be packed: run "npm ci" in ${ENGINE_FOLDER}, then this command again. ${String(error)}`);
      },
    );
    return `file:${PACKED_ENGINE}/${stdout.trim().split('\n').at(-1)}`;
  }
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

function withoutFunctions(readme: string): string {
  return readme
    .replace(/^npm run build .*$/m, 'npm run build    # for any static host, into dist-static/')
    .replace(/^(?:npm start|npm run (?:setup|deploy)|\| `(?:wrangler\.toml|\.github\/)).*\n/gm, '');
}

async function packageJson({ name, isStatic = false }: PublicationAnswers, dependency: string): Promise<string> {
  const names = isStatic ? SCRIPTS.filter((script) => !WITH_FUNCTIONS.includes(script)) : SCRIPTS;
  const scripts = Object.fromEntries(names.map((script) => [script, `akg ${COMMANDS[script] ?? script}`]));
  const settings = {
    name: projectName(name),
    private: true,
    type: 'module',
    engines: { node: await engineNodeRange() },
    scripts: isStatic ? { ...scripts, build: 'akg build --static' } : scripts,
    dependencies: { [ENGINE_PACKAGE]: dependency, ...(isStatic ? {} : await testedVersions(FUNCTION_PACKAGES)) },
    // npm asks about install scripts, which neither package needs.
    allowScripts: { esbuild: false, workerd: false },
    akg: { version: await engineVersion() },
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

function readTemplate(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, '../new-publication', name), 'utf8');
}

function filled(template: string, answers: PublicationAnswers, write: (value: string) => string = (value) => value): string {
  const { isStatic: _, ...fields } = answers;
  const slug = projectName(answers.name);
  const values = { ...fields, slug, companion: companionName(slug) };
  return fillTemplate(template, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, write(value)])));
}

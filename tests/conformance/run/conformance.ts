import { join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { siteFolder } from '../../../src/build/build-lifecycle.ts';
import { buildIfChanged } from '../../../src/build/build-site.ts';
import { localFolder } from '../../../src/build/local/serve-locally.ts';
import { examples } from '../../../src/cli/define-command.ts';
import { serveLikeHost } from '../../support/built-files.ts';
import { newScript } from '../../support/campaign.ts';
import { installPackages } from '../../support/install-packages.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { copyProject, freePort, startService } from '../../support/project-copy.ts';
import { respect } from './check-arazzo.ts';
import { lighthouse } from './check-lighthouse.ts';
import { mcp } from './check-mcp.ts';
import { redoclyLint, redoclyScore, spectral } from './check-openapi.ts';
import { prism } from './check-prism.ts';
import { afdocs, agentcash, aiCatalog, vercel } from './check-sites.ts';
import { CHECKERS_FOLDER, type CheckedSite, type Checker, type Mode, type Row } from './checker.ts';

const CHECKERS: readonly Checker[] = [
  redoclyLint,
  redoclyScore,
  spectral,
  aiCatalog,
  agentcash,
  prism,
  respect,
  mcp,
  vercel,
  afdocs,
  lighthouse,
];
const MODES: readonly Mode[] = ['edge', 'static'];

const options = newScript(
  'conformance',
  'Start the site in both modes and let checkers of others judge it: descriptions, discovery, protocols, pages. Installs the checkers first, which is the only step that needs the network. Exit code 1: something is below its goal.',
)
  .option('--only <names>', `only these checkers: ${CHECKERS.map(({ name }) => name).join(', ')}`, (text) => {
    const names = text.split(',');
    const unknown = names.find((name) => !CHECKERS.some((checker) => checker.name === name));
    if (unknown !== undefined) throw new InvalidArgumentError(`There is no checker ${unknown}.`);
    return names;
  })
  .addHelpText('after', examples('npm run conformance', 'npm run conformance -- --only afdocs,lighthouse'))
  .parse()
  .opts();

installPackages(CHECKERS_FOLDER, '--ignore-scripts');
const chosen = CHECKERS.filter(({ name }) => options.only?.includes(name) ?? true);
const rows: (Row & { readonly mode: Mode })[] = [];
for (const mode of MODES) {
  const ofMode = chosen.filter(({ modes }) => modes.includes(mode));
  if (ofMode.length === 0) continue;
  const site = await (mode === 'edge' ? startEdge() : startFiles());
  try {
    for (const checker of ofMode) rows.push(...(await rowsOf(checker, site)).map((row) => ({ ...row, mode })));
  } finally {
    await site.stop();
  }
}
printTable();
const below = rows.filter(({ verdict }) => verdict === 'below');
console.log(`\n${rows.length} rows, ${below.length} below their goals`);
process.exit(below.length === 0 ? 0 : 1);

async function rowsOf(checker: Checker, site: CheckedSite): Promise<readonly Row[]> {
  console.error(`${site.mode}: ${checker.name}`);
  try {
    return await checker.check(site);
  } catch (error) {
    return [{ checker: checker.name, value: 'failed', goal: 'runs', verdict: 'below', notes: [String(error)] }];
  }
}

function printTable(): void {
  console.log('| Checker | Mode | Seen | Goal | Verdict |\n|---|---|---|---|---|');
  for (const { checker, mode, value, goal, verdict } of rows) console.log(`| ${checker} | ${mode} | ${value} | ${goal} | ${verdict} |`);
  for (const { checker, mode, notes, verdict } of rows.filter(({ notes }) => notes.length > 0)) {
    console.log(`\n${checker}, ${mode} (${verdict}):`);
    for (const note of notes) console.log(`  - ${note}`);
  }
}

/** A site for checkers, until it is stopped. */
interface RunningSite extends CheckedSite {
  readonly stop: () => Promise<void>;
}

/** `npm start`, in a copy of the project. */
async function startEdge(): Promise<RunningSite> {
  const copy = await copyProject();
  const { baseUrl, interrupt } = await startService(copy.folder, await freePort());
  const stop = async (): Promise<void> => {
    await interrupt();
    await copy.remove();
  };
  return { mode: 'edge', origin: baseUrl, folder: siteFolder(localFolder(copy.folder), 'edge'), stop };
}

/** The files of a site without functions, as its host serves them. The address is known before the build, which writes it. */
async function startFiles(): Promise<RunningSite> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const output = join(PUBLICATION, '.akg/conformance');
  await buildIfChanged({ root: PUBLICATION, output, mode: 'static', baseUrl, report: () => undefined });
  const folder = siteFolder(output, 'static');
  const { origin, stop } = await serveLikeHost(folder, port);
  return { mode: 'static', origin, folder, stop };
}

import './require-node.mjs';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { examples } from '../../../src/cli/define-command.ts';
import { newScript } from '../../support/campaign.ts';
import { installPackages } from '../../support/install-packages.ts';
import { afdocs } from './check-afdocs.ts';
import { agentcash } from './check-agentcash.ts';
import { aiCatalog } from './check-ai-catalog.ts';
import { respect } from './check-arazzo.ts';
import { lighthouse } from './check-lighthouse.ts';
import { mcp } from './check-mcp.ts';
import { redoclyLint, redoclyScore, spectral } from './check-openapi.ts';
import { prism } from './check-prism.ts';
import { vercel } from './check-vercel.ts';
import { startSite } from './checked-sites.ts';
import type { Checker, Mode, Row } from './checker.ts';
import { CHECKERS_FOLDER } from './run-checker.ts';

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
  const site = await startSite(mode);
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

async function rowsOf(checker: Checker, site: Parameters<Checker['check']>[0]): Promise<readonly Row[]> {
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

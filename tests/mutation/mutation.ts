import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { runNode } from '../../src/build/run-process.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { below, seededRandom } from '../eval/random.ts';
import { textTable } from '../eval/text-table.ts';
import { announceCampaign, newCampaign } from '../support/campaign.ts';
import { installPackages } from '../support/install-packages.ts';
import { copyProject } from '../support/project-copy.ts';

const PACKAGES = join(import.meta.dirname, 'node_modules/@stryker-mutator');

/** Ends a property at its first failure: nobody reads the smallest example of a change that was noticed. */
const SETUP = 'vitest.mutation.setup.ts';

interface MutationArea {
  /** Files, and folders whose TypeScript files all belong to it. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** Tests of the compiled functions in workerd, which look at what the others leave. */
  readonly edgeTests: readonly string[];
}

/**
 * Changes the files of an area in a copy of the project, one change at a time, and runs its tests.
 *
 * @param folder The copy, which is changed in place.
 * @param mutate Files to change, each with a range of lines after a colon if not whole.
 * @throws {Error} With what Stryker said, if its first run without a change fails.
 */
async function runStryker(folder: string, { tests }: MutationArea, mutate: readonly string[]): Promise<StrykerReport> {
  writeFileSync(join(folder, SETUP), "import { configureGlobal } from 'fast-check';\nconfigureGlobal({ endOnFailure: true });\n");
  const vitest = {
    // The module of Astro's build, as in vitest.config.ts.
    resolve: { alias: { 'virtual:strings': join(folder, 'tests/support/english-strings.ts') } },
    test: { include: tests.map(testFiles), setupFiles: [SETUP], testTimeout: 60_000, hookTimeout: 60_000, isolate: false },
  };
  writeFileSync(join(folder, 'vitest.mutation.config.ts'), `export default ${JSON.stringify(vitest)};\n`);
  const settings = {
    testRunner: 'vitest',
    plugins: [join(PACKAGES, 'vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'vitest.mutation.config.ts' },
    mutate,
    inPlace: true,
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    disableTypeChecks: false,
    reporters: ['json'],
    jsonReporter: { fileName: 'mutation.json' },
    // Bundles and documents do not change with the code here.
    ignorePatterns: ['/public', '/docs'],
  };
  writeFileSync(join(folder, 'stryker.config.json'), JSON.stringify(settings));
  const { exitCode, output } = await runNode([join(PACKAGES, 'core/bin/stryker.js'), 'run', 'stryker.config.json'], { cwd: folder });
  if (exitCode !== 0) throw new Error(output.slice(-4_000));
  return JSON.parse(readFileSync(join(folder, 'mutation.json'), 'utf8')) as StrykerReport;
}

function testFiles(pattern: string): string {
  return pattern.endsWith('.test.ts') ? pattern : pattern.endsWith('/**') ? `${pattern}/*.test.ts` : `${pattern}.test.ts`;
}

interface StrykerReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly StrykerMutant[] }>>;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface StrykerMutant {
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Survivor extends Pick<StrykerMutant, 'location'> {
  readonly file: string;
  readonly original: string;
  readonly replacement: string;
  readonly reached: boolean;
}

interface AreaScore {
  readonly killed: number;
  readonly survivors: readonly Survivor[];
}

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

/** Reads a report. Changes that cannot be run count for nothing. */
function scoreOf({ files }: StrykerReport): AreaScore {
  let killed = 0;
  const survivors: Survivor[] = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    for (const { replacement = '', status, location } of mutants) {
      if (KILLED.includes(status)) killed += 1;
      if (!SURVIVED.includes(status)) continue;
      const original = textAt(lines, location.start, location.end);
      survivors.push({ file, location, original, replacement, reached: status === 'Survived' });
    }
  }
  return { killed, survivors };
}

/** Whether the tests of an area in workerd pass, with a site that is built anew from the copy. */
async function passAtEdge(folder: string, { edgeTests }: MutationArea): Promise<boolean> {
  const files = edgeTests.map((name) => `tests/edge/${name}/`);
  const { exitCode } = await runNode(['node_modules/vitest/vitest.mjs', 'run', '--project', 'edge', '--bail', '1', ...files], {
    cwd: folder,
  });
  return exitCode === 0;
}

async function survivesAtEdge(folder: string, area: MutationArea, { file, location, replacement }: Survivor): Promise<boolean> {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  const lines = source.split('\n');
  const { start, end } = location;
  const before = [...lines.slice(0, start.line - 1), lines[start.line - 1]?.slice(0, start.column - 1)].join('\n');
  const after = [lines[end.line - 1]?.slice(end.column - 1), ...lines.slice(end.line)].join('\n');
  writeFileSync(path, before + replacement + after);
  try {
    return await passAtEdge(folder, area);
  } finally {
    writeFileSync(path, source);
  }
}

function survivorText({ file, location, original, replacement, reached }: Survivor): string {
  return `${file}:${location.start.line}  ${shortened(original)}  →  ${shortened(replacement)}${reached ? '' : '  (no test gets here)'}`;
}

const TEXT_MAX_LENGTH = 90;

function shortened(code: string): string {
  const text = code.replace(/\s+/g, ' ').trim();
  return text.length <= TEXT_MAX_LENGTH ? text : `${text.slice(0, TEXT_MAX_LENGTH)}…`;
}

/** Lines and columns count from 1; the end is exclusive. */
function textAt(lines: readonly string[], start: Place, end: Place): string {
  const inside = lines.slice(start.line - 1, end.line);
  const last = inside.length - 1;
  return inside.map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : line.length)).join('\n');
}

/** Where a fault would give away access, work without bound, a false proof, or money. */
const AREAS: Readonly<Record<string, MutationArea>> = {
  auth: {
    sources: ['src/gateway/agents', 'src/http/run-route.ts', 'src/platform/environment.ts'],
    tests: ['tests/unit/gateway/agents/**', 'tests/unit/http/**', 'tests/unit/platform/signing-secrets.test.ts'],
    edgeTests: ['every-route', 'getCapsule', 'getKey', 'queryKnowledge', 'registerAgent', 'revokeKey', 'rotateKey', 'startCheckout'],
  },
  limits: {
    sources: ['src/gateway/limits', 'src/http/rate-limits.ts', 'src/http/read-body.ts'],
    tests: [
      'tests/unit/gateway/limits/**',
      'tests/unit/gateway/agents/api-key.test.ts',
      'tests/unit/http/**',
      'tests/unit/platform/d1/quotas.test.ts',
      'tests/unit/routes/agents/**',
    ],
    edgeTests: ['every-route', 'getChallenge', 'queryKnowledge', 'registerAgent', 'requestInvoice', 'startCheckout'],
  },
  lineage: {
    sources: ['src/provenance', 'src/publication/publish/lineage-proof.ts'],
    tests: [
      'tests/unit/provenance/*',
      'tests/unit/publication/**/{read-keys,frozen-versions}*',
      'tests/unit/gateway/knowledge/read-lineage*',
    ],
    edgeTests: ['documents', 'getCapsule', 'getCapsuleLineage'],
  },
  money: {
    sources: ['src/gateway/commerce'],
    tests: [
      'tests/unit/gateway/commerce/**',
      'tests/unit/cli/orders/**',
      'tests/unit/cli/commands/orders.test.ts',
      'tests/unit/http/checkout-dependencies.test.ts',
      'tests/unit/paid/**',
      'tests/unit/platform/d1/{order-store,payment-reservations}',
      'tests/unit/platform/stripe/**',
      'tests/unit/protocols/**',
      'tests/unit/publication/check/check-offers*',
      'tests/unit/text/prices*',
    ],
    edgeTests: [
      ...['buyOffer', 'callUcpTool', 'completeCheckoutSession', 'createCheckoutSession', 'createUcpCheckout', 'documents', 'getCapsule'],
      ...[
        'getOrder',
        'getX402Items',
        'openCheckout',
        'openInvoiceForm',
        'requestInvoice',
        'startCheckout',
        'takeProcessorMessage',
        'viewCart',
      ],
    ],
  },
};

/** Least share of changes in each area that tests must notice. */
const GOAL = 0.8;

const {
  only,
  sample,
  seed = 1,
} = newCampaign(
  'mutation',
  'Change the code in small ways in a copy of the project, one at a time (Stryker), and count how many the tests notice. Exit code 1: an area is below the goal.',
)
  .addOption(new Option('--only <area>', 'one area').choices(Object.keys(AREAS)))
  .option('--sample <lines>', 'changes in so many lines of each area, drawn by the seed', wholeNumber(1), 30)
  .parse()
  .opts();
announceCampaign('mutation', seed, { only, sample });

function filesOf(folder: string, sources: readonly string[]): string[] {
  return sources.flatMap((source) =>
    source.endsWith('.ts')
      ? [source]
      : readdirSync(join(folder, source), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .sort()
          .map((name) => join(source, name)),
  );
}

/** Some lines of files, each as often drawn; a change that is longer than its line is in none. */
function someLines(folder: string, files: readonly string[], count: number): string[] {
  const lines = files.flatMap((file) => {
    const { length } = readFileSync(join(folder, file), 'utf8').split('\n');
    return Array.from({ length }, (_, at) => `${file}:${at + 1}-${at + 1}`);
  });
  const random = seededRandom(seed);
  const drawn = new Set<string>();
  while (drawn.size < Math.min(count, lines.length)) drawn.add(lines[below(random, lines.length)] ?? '');
  return [...drawn].sort();
}

installPackages(import.meta.dirname);
const rows = [['area', 'mutants', 'noticed by unit tests', 'in workerd', 'survived', 'score']];
const { folder, remove } = await copyProject();
try {
  for (const [name, area] of Object.entries(AREAS).filter(([area]) => only === undefined || area === only)) {
    const files = filesOf(folder, area.sources);
    const { killed, survivors } = scoreOf(await runStryker(folder, area, someLines(folder, files, sample)));
    if (!(await passAtEdge(folder, area))) throw new Error(`the tests of ${name} in workerd fail without a change`);
    const left: Survivor[] = [];
    for (const survivor of survivors) if (await survivesAtEdge(folder, area, survivor)) left.push(survivor);
    console.log(`${name}: ${left.length} survived`);
    for (const survivor of left) console.log(`  ${survivorText(survivor)}`);
    const mutants = killed + survivors.length;
    const share = mutants === 0 ? 1 : 1 - left.length / mutants;
    rows.push([name, ...[mutants, killed, survivors.length - left.length, left.length].map(String), `${(share * 100).toFixed(1)} %`]);
    if (share < GOAL) process.exitCode = 1;
  }
} finally {
  await remove();
}
console.log(`\n${textTable(rows)}\n\ngoal: at least ${GOAL * 100} % in each area${process.exitCode === 1 ? ', not met' : ', met'}`);

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GenerationStore } from '../../src/build/generation/generation-store.ts';
import { exists } from '../../src/build/local/local-stores.ts';
import { readBuilt } from '../../src/build/publishing/publishing-state.ts';
import { finishReadyBuild } from '../../src/build/staged-build.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { below, seededRandom } from '../eval/random.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import { makeDevPublication } from '../support/dev-publication.ts';
import { ROOT } from '../support/paths.ts';
import { runAkg } from '../support/run-akg.ts';

const {
  kills,
  capsules,
  seed = newSeed(),
} = newCampaign(
  'crash:build',
  `Stop builds at random moments, with Ctrl-C, SIGTERM or SIGKILL; check that site, functions, index and publishing state are those of one
complete build afterwards, that they can be published, and that the next build works.`,
)
  .option('--kills <number>', 'how often', wholeNumber(1), 20)
  .option('--capsules <number>', 'capsules of the publication', wholeNumber(1), 40)
  .parse()
  .opts();
announceCampaign('crash:build', seed, { kills, capsules });

/** How a build is stopped, and the exit code that follows: SIGKILL is sent to all of its processes. */
const STOPS = { SIGINT: 130, SIGTERM: 143, SIGKILL: null } as const;

/** Longest time from a signal to the end of the build, in milliseconds; longer on a busy machine. */
const STOP_MS = 1_000;

/** How long the last phases take, in milliseconds. */
const LATE_MS = 300;

/** Every so many kills, what is there is published. */
const PUBLISH_EVERY = 5;

const random = seededRandom(seed);
const findings: string[] = [];
const { folder, write, remove } = await makeDevPublication('crash-build');

const editionText = (at: number, edition: number): string =>
  `---\ntitle: Valve ${at}\ntags: [valves]\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\n\nEdition ${edition} of what the workshop knows about valve number ${at}, its seat and its spring.\n`;

function startBuild(): { child: ChildProcess; ended: Promise<number | null>; output: () => string } {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), 'build'], { cwd: folder, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return { child, ended: new Promise((resolve) => child.once('close', resolve)), output: () => output };
}

/** The phase that a build was in, by what it has printed and written. */
async function phaseOf(output: string): Promise<string> {
  const has = (path: string): Promise<boolean> => exists(join(folder, '.akg', path));
  if (await has('ready')) return 'putting in place';
  if (/^site: /m.test(output)) return 'complete';
  if (await has('next/.akg/functions.js')) return 'writing documents';
  if (/^index: /m.test(output)) return 'making pages';
  return /^content: /m.test(output) ? 'making the index' : 'reading';
}

/** Edition and generation of what is in place; a finding if its parts are of several builds. */
async function stateOf(when: string): Promise<string> {
  const twin = await readFile(join(folder, 'dist/capsules/valve-0.md'), 'utf8').catch(() => '');
  const edition = /Edition (\d+)/.exec(twin)?.[1] ?? 'none';
  const store = new GenerationStore(folder);
  const newest = (await store.history())[0]?.version;
  const functions = await readFile(join(folder, '.akg/generated.js'), 'utf8').catch(() => '');
  const built = (await readBuilt(folder))?.generation;
  if (newest === undefined || built !== newest || !functions.includes(`"version":"${newest}"`))
    findings.push(`${when}: the index is ${newest}, built.json says ${built}, and the functions are of another generation or build`);
  for (const { sha256, kind } of await store.neededBlocks())
    if ((await store.block(sha256)) === undefined) findings.push(`${when}: block ${sha256} (${kind}) is missing`);
  return `edition ${edition}, corpus version ${newest?.slice(0, 12)}`;
}

const known = new Map<string, string>();
async function check(when: string, editions: readonly number[]): Promise<string> {
  await finishReadyBuild(folder, console.log);
  const state = await stateOf(when);
  const [, edition = '', version = ''] = /^edition (\S+), corpus version (\S+)$/.exec(state) ?? [];
  if (!editions.includes(Number(edition))) findings.push(`${when}: ${state} in the place of ${editions.join(' or ')}`);
  if ((known.get(edition) ?? version) !== version) findings.push(`${when}: edition ${edition} had another corpus version before`);
  known.set(edition, version);
  return edition;
}

/** Processes of a group that still run; those that have ended and wait for their parent do not count (proc_pid_stat(5)). */
async function runningIn(group: number): Promise<string[]> {
  const stats = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.filter((stat) => {
    const [, state, processGroup] = /\) (\S) \d+ (\d+) [^)]*$/.exec(stat) ?? [];
    return Number(processGroup) === group && state !== 'Z' && state !== 'X';
  });
}

try {
  for (let at = 0; at < capsules; at += 1) await write(`capsules/valve-${at}.md`, editionText(at, 0));
  const startedMs = performance.now();
  if ((await startBuild().ended) !== 0) throw new Error('the first build failed');
  const buildMs = performance.now() - startedMs;
  let edition = Number(await check('first build', [0]));
  for (let kill = 1; kill <= kills; kill += 1) {
    await write('capsules/valve-0.md', editionText(0, kill));
    await rm(join(folder, '.akg/next'), { recursive: true, force: true });
    const { child, ended, output } = startBuild();
    const signal = (['SIGINT', 'SIGTERM', 'SIGKILL'] as const)[below(random, 3)] ?? 'SIGKILL';
    const afterMs = Math.floor(random() * buildMs);
    // The last phases are short: half of the kills wait for them.
    const isLate = below(random, 2) === 0;
    while (isLate && child.exitCode === null && !(await exists(join(folder, '.akg/next/.akg/functions.js')))) await wait(1);
    await Promise.race([ended, wait(isLate ? afterMs % LATE_MS : afterMs)]);
    const phase = await phaseOf(output());
    const stoppedMs = performance.now();
    if (child.exitCode === null) process.kill(signal === 'SIGKILL' ? -(child.pid ?? 0) : (child.pid ?? 0), signal);
    const code = await ended;
    const tookMs = Math.round(performance.now() - stoppedMs);
    const name = `kill ${kill} (${signal} after ${afterMs} ms, ${phase})`;
    // Without a code it was killed before it could handle signals.
    if (code !== STOPS[signal] && code !== null && code !== 0) findings.push(`${name}: exit code ${code}`);
    if (tookMs > STOP_MS) findings.push(`${name}: ended after ${tookMs} ms`);
    const left = await runningIn(child.pid ?? 0);
    if (left.length > 0) findings.push(`${name}: a process is left: ${left.join()}`);
    edition = Number(await check(name, code === 0 ? [kill] : [edition, kill]));
    console.log(`${name}: exit code ${code} after ${tookMs} ms; edition ${edition} is in place; ${output().trim().split('\n').at(-1)}`);
    if (kill % PUBLISH_EVERY !== 0) continue;
    const { exit, output: published } = await runAkg(['publish', '--local', '--drop-earlier'], folder);
    if (exit !== 0) findings.push(`${name}: publish ended with ${exit}: ${published}`);
  }
  if ((await startBuild().ended) !== 0) findings.push('the last build failed');
  await check('last build', [kills]);
  const left = (await Promise.all(['next', 'ready', 'replaced', 'lock'].map((part) => exists(join(folder, '.akg', part))))).some(Boolean);
  if (left) findings.push('the last build left something of an earlier one in .akg');
} finally {
  await remove();
}
for (const finding of findings) console.log(`FOUND ${finding}`);
console.log(`${kills} kills, seed ${seed}: ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

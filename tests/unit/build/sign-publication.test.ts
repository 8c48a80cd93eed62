import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { buildFingerprint, digestOfInputs } from '../../../src/build/build-fingerprint.ts';
import { beginPlainBuild } from '../../../src/build/build-lifecycle.ts';
import { buildIfChanged } from '../../../src/build/build-site.ts';
import { loggedCapsule } from '../../../src/build/corpus-blocks/build-generation.ts';
import { today } from '../../../src/build/describe-deployment.ts';
import { childEnvironment, runNode } from '../../../src/build/run-process.ts';
import { dateHeads, readSigner, readSigning } from '../../../src/build/sign-publication.ts';
import { describeFailure } from '../../../src/cli/define-command.ts';
import { extendLog, type LoggedChange } from '../../../src/provenance/change-log.ts';
import { makePrivateKey } from '../../../src/provenance/sign.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { UserError } from '../../../src/publication/content-problem.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { PUBLISHER_FILE } from '../../../src/publication/read-publisher.ts';
import type { PublishedCapsule } from '../../../src/text/publication-model.ts';
import { refusalOf } from '../../support/run-akg.ts';
import { makePublication } from '../../support/sample-content.ts';
import { sampleContent, withCapsules } from '../../support/signed-site.ts';
import { publisher, TODAY, writeWorld } from '../publication/content-world.ts';

const key = await makePrivateKey();
const other = await makePrivateKey();

async function contentWith(keys: AuthoredContent['keys'], fields: Readonly<Record<string, string>> = {}): Promise<AuthoredContent> {
  const text = JSON.stringify({ keys });
  const { content, problems } = await readContent(await writeWorld({ 'keys.yaml': text, 'publisher.yaml': publisher(fields) }), {
    today: TODAY,
  });
  if (content === undefined) throw new Error(JSON.stringify(problems));
  return content;
}

const OPTIONS = { today: TODAY, mode: 'edge', mayBeUnsigned: false } as const;

/** The mistake of the user by which something fails. */
async function mistake(promise: Promise<unknown>): Promise<UserError> {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('readSigning()', () => {
  test('signs nothing without a key', async () => {
    const content = await contentWith([]);
    for (const secret of [undefined, '']) expect(await readSigning(secret, content, OPTIONS)).toBeUndefined();
  });

  test('requires the active key unless unsigned builds are allowed', async () => {
    const active = await contentWith([{ ...key.publicKey, created: '2026-11-01' }]);
    const retired = await contentWith([{ ...key.publicKey, created: '2026-11-01', retired: '2026-11-02' }]);
    for (const secret of [undefined, '']) {
      expect((await mistake(readSigning(secret, active, OPTIONS))).message).toMatch(
        /^content\/keys\.yaml lists an active key, but LINEAGE_KEY is not set: .*npm run build -- --unsigned/,
      );
      await expect(readSigning(secret, active, { ...OPTIONS, mode: 'static' })).rejects.toThrow('npm run build:static -- --unsigned');
      expect(await readSigning(secret, active, { ...OPTIONS, mayBeUnsigned: true })).toBeUndefined();
      expect(await readSigning(secret, retired, OPTIONS)).toBeUndefined();
    }
    // What was given has to be right even where nothing has to be given.
    await mistake(readSigning('x', active, { ...OPTIONS, mayBeUnsigned: true }));
    expect(await readSigning(key.secret, active, { ...OPTIONS, mayBeUnsigned: true })).toMatchObject({
      signer: { publicKey: key.publicKey },
    });
  });

  test('signs with an active key, for the days that the publisher sets', async () => {
    const content = await contentWith([{ ...key.publicKey, created: '2026-11-01' }], { proof_days: '90' });
    const signing = await readSigning(key.secret, content, OPTIONS);
    expect(signing).toMatchObject({ today: TODAY, validDays: 90, signer: { publicKey: key.publicKey } });
  });

  test.each([
    ['too short', (secret: string) => secret.slice(1)],
    ['too long', (secret: string) => `${secret}A`],
    ['with padding', (secret: string) => `${secret}=`],
    ['with its own name', (secret: string) => `LINEAGE_KEY=${secret}`],
    ['in quotes', (secret: string) => `"${secret}"`],
    ['with a line break', (secret: string) => `${secret}\n`],
    ['in base64', () => '+'.repeat(43)],
  ])('refuses a key that is %s', async (_name, change) => {
    const error = await mistake(readSigning(change(key.secret), await contentWith([]), OPTIONS));
    expect(error.message).toMatch(/^LINEAGE_KEY is not 32 bytes in base64url, which are 43 characters; /);
    expect(describeFailure(error)).not.toContain(key.secret.slice(1));
  });

  test('rejects an example key of a standard', async () => {
    // RFC 8037 appendix A.1.
    const { message } = await mistake(readSigner('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'));
    expect(message).toMatch(/^LINEAGE_KEY is an example key of a standard/);
  });

  test('rejects a key that is not listed, and says what to add', async () => {
    const listed = await contentWith([{ ...key.publicKey, created: '2026-11-01' }]);
    const { message } = await mistake(readSigning(other.secret, listed, OPTIONS));
    expect(message).toContain('npm run keys:new');
    expect(message).toContain('content/keys.yaml');
    const addition = /\{ kid: .*\}/.exec(message)?.[0] ?? '';
    const { content } = await readContent(await writeWorld({ 'keys.yaml': `keys:\n  - ${addition}\n` }), { today: TODAY });
    expect(content?.keys).toEqual([{ ...other.publicKey, created: TODAY }]);
  });

  test('refuses a retired key', async () => {
    const content = await contentWith([{ ...key.publicKey, created: '2026-11-01', retired: '2026-11-02' }]);
    expect((await mistake(readSigning(key.secret, content, OPTIONS))).message).toContain(`${key.publicKey.kid}, retired on 2026-11-02`);
  });

  test('shows no key in any error, whichever character is wrong', async () => {
    const content = await contentWith([{ ...key.publicKey, created: '2026-11-01' }]);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.nat(42),
        fc.string({ unit: 'grapheme', minLength: 0, maxLength: 2 }),
        async (bytes, at, replacement) => {
          const secret = Buffer.from(bytes).toString('base64url');
          const changed = secret.slice(0, at) + replacement + secret.slice(at + 1);
          const error = await mistake(readSigning(changed, content, OPTIONS));
          const shown = `${describeFailure(error)}${JSON.stringify(error)}${error.stack}`;
          // Longer than what chance gives: a piece of 8 characters of a key stands in no message.
          const pieces = [changed, secret].flatMap((text) => Array.from({ length: 36 }, (_, start) => text.slice(start, start + 8)));
          expect(pieces.filter((piece) => piece.length === 8 && shown.includes(piece))).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('the environment of programs that a build starts holds no private key', async () => {
  vi.stubEnv('LINEAGE_KEY', key.secret);
  vi.stubEnv('AKG_TEST_VARIABLE', 'kept');
  expect(childEnvironment({ AKG_KEY_ID: 'x' })).toMatchObject({
    AKG_TEST_VARIABLE: 'kept',
    AKG_KEY_ID: 'x',
    WRANGLER_SEND_METRICS: 'false',
  });
  const { output } = await runNode(['-p', 'JSON.stringify(process.env)'], { cwd: process.cwd(), env: { AKG_KEY_ID: 'x' } });
  expect(JSON.parse(output)).toMatchObject({ AKG_TEST_VARIABLE: 'kept', AKG_KEY_ID: 'x' });
  expect(output).not.toContain('LINEAGE_KEY');
  expect(output).not.toContain(key.secret);
});

async function builtWorld(settings: { readonly lineageKey?: string | undefined }, folder = '.'): Promise<string> {
  const root = await writeWorld({ 'publisher.yaml': SAMPLE });
  await writeBuild(root, folder, settings);
  return root;
}

async function writeBuild(root: string, folder: string, settings: { readonly lineageKey?: string | undefined }): Promise<void> {
  const output = join(root, folder);
  for (const name of ['.akg', 'dist']) await mkdir(join(output, name), { recursive: true });
  await writeFile(join(output, 'dist/index.html'), '');
  const fingerprint = await buildFingerprint(await digestOfInputs(root), {
    ...settings,
    baseUrl: 'http://127.0.0.1:8788',
    today: today(),
    mode: 'edge',
  });
  await writeFile(join(output, '.akg/fingerprint-edge'), fingerprint);
}

test('a change of an own page, component or setting makes a build anew', async () => {
  const root = await writeWorld({ 'publisher.yaml': SAMPLE });
  const digests = new Set([await digestOfInputs(root)]);
  for (const file of ['src/pages/hello.astro', 'components/Footer.astro', 'theme.css', 'astro.config.mjs']) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), 'a');
    digests.add(await digestOfInputs(root));
  }
  expect(digests.size).toBe(5);
});

describe('buildIfChanged()', () => {
  const options = (root: string) => ({
    root,
    output: join(root, '.akg/local'),
    mode: 'edge' as const,
    baseUrl: 'http://127.0.0.1:8788',
    report: (): void => undefined,
  });

  test('identifies a build by the id of its key, not by the key', async () => {
    // Its content has a mistake, so that a build that is not current fails at once.
    const faulty = { 'publisher.yaml': `${SAMPLE}unknown_field: 1\n` };
    for (const lineageKey of [key.secret, undefined, '']) {
      const root = await writeWorld(faulty);
      await writeBuild(root, '.akg/local', { lineageKey });
      const folder = join(root, '.akg/local');
      expect(await buildIfChanged({ ...options(root), lineageKey })).toEqual({ folder, isNew: false });
      const others = [key.secret, other.secret, undefined].filter((secret) => (secret ?? '') !== (lineageKey ?? ''));
      for (const secret of others) await expect(buildIfChanged({ ...options(root), lineageKey: secret })).rejects.toThrow('unknown_field');
    }
    // This key is not listed here.
    const root = await builtWorld({}, '.akg/local');
    await expect(buildIfChanged({ ...options(root), lineageKey: key.secret })).rejects.toThrow('content/keys.yaml');
    const { message } = await mistake(buildIfChanged({ ...options(root), lineageKey: key.secret.slice(1) }));
    expect([message.includes('LINEAGE_KEY is not 32 bytes'), message.includes(key.secret.slice(1))]).toEqual([true, false]);
  });

  test('uses the build to deploy if it is the same, and a failed build leaves the one before it in place', async () => {
    const root = await builtWorld({});
    expect(await buildIfChanged({ ...options(root), reusable: root })).toEqual({ folder: root, isNew: false });
    await writeBuild(root, '.akg/local', {});
    await writeFile(join(root, PUBLISHER_FILE), `${SAMPLE}unknown_field: 1\n`);
    await expect(buildIfChanged(options(root))).rejects.toThrow('unknown_field');
    expect(await readFile(join(root, '.akg/local/dist/index.html'), 'utf8')).toBe('');
    await writeFile(join(root, PUBLISHER_FILE), SAMPLE);
    expect(await buildIfChanged(options(root))).toMatchObject({ isNew: false });
  });
});

const SAMPLE = publisher({ sample: 'true' });
const LISTED = JSON.stringify({ keys: [{ ...key.publicKey, created: '2026-01-01' }] });

test.each([
  [undefined, 'dist'],
  ['static', 'dist-static'],
])('astro build alone makes the mode that SITE_MODE names, %s, and no component can read the key', async (mode, folder) => {
  vi.spyOn(console, 'log').mockReturnValue();
  const root = await writeWorld({ 'publisher.yaml': SAMPLE, 'keys.yaml': LISTED });
  const environment: Record<string, string | undefined> = { LINEAGE_KEY: key.secret, BASE_URL: '', SITE_MODE: mode };
  const started = await beginPlainBuild(root, environment);
  expect([started.folder, 'LINEAGE_KEY' in environment]).toEqual([join(root, folder), false]);
});

describe('npm run build', () => {
  const program = join(import.meta.dirname, '../../../src/cli/akg.mjs');
  const build = (root: string, secret: string, ...args: string[]): { status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'build', ...args], {
      cwd: root,
      env: { ...process.env, BASE_URL: '', LINEAGE_KEY: secret },
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  };

  test('fails without the listed key, and names --unsigned', async () => {
    const root = await writeWorld({ 'publisher.yaml': SAMPLE, 'keys.yaml': LISTED });
    const { status, text } = build(root, '', '--static');
    expect(status).toBe(1);
    expect(text).toContain('LINEAGE_KEY is not set');
    expect(text).toContain('npm run build:static -- --unsigned');
    expect(text).not.toContain('signing:');
  });

  test.each(['--statik', 'static', '--static=yes', `LINEAGE_KEY=${key.secret}`, `--${key.secret}`])(
    'refuses the argument %s without showing it',
    async (arg) => {
      const output = await refusalOf('build', [arg]);
      expect(output).toMatch(/^error: unexpected argument \(not shown, .*\)\n--help shows/);
      expect(output).not.toContain(key.secret.slice(1));
    },
  );
});

const CAPSULE = 'bm25';
let content: AuthoredContent;

beforeAll(async () => {
  content = withCapsules(await sampleContent(), [CAPSULE, 'bm25f']);
});

function retracted(from: AuthoredContent, date: string | undefined): AuthoredContent {
  const capsules = from.capsules.map((capsule) => {
    if (capsule.id !== CAPSULE || date === undefined) return capsule;
    return { ...capsule, frontMatter: { ...capsule.frontMatter, retracted: { date, reason: 'It was found to be wrong after all.' } } };
  });
  return { ...from, capsules };
}

async function publish(from: AuthoredContent, past: readonly LoggedChange[]) {
  const capsules = await publishCapsules(from);
  const log = await extendLog(past, capsules.map(loggedCapsule));
  const head = (all: readonly PublishedCapsule[], id: string) => all.find((capsule) => capsule.id === id)?.lineage.head.statement;
  const dated = dateHeads(capsules, log);
  return { log, head: head(dated, CAPSULE), other: head(dated, 'bm25f') };
}

describe('the head of a capsule', () => {
  it('is issued on the day of a change of status, also of one that undoes it', async () => {
    const first = await publish(content, []);
    const withdrawn = await publish(retracted(content, '2026-12-05'), first.log);
    const restored = await publish(content, withdrawn.log);
    expect([first, withdrawn, restored].map(({ head }) => [head?.status, head?.issued])).toEqual([
      ['current', '2026-11-21T00:00:00Z'],
      ['retracted', '2026-12-05T00:00:00Z'],
      ['current', '2026-12-05T00:00:00Z'],
    ]);
    expect(withdrawn.other).toEqual(first.other);
  });

  it('and the manifest are never issued before what they replace', async () => {
    let past: readonly LoggedChange[] = [];
    const issued: string[] = [];
    for (const state of [content, retracted(content, '2026-12-05'), content]) {
      const { publication, log } = await makePublication(state, { mode: 'static', rateLimits: undefined }, { changes: past });
      past = log;
      issued.push(publication.mirror.manifest.statement.issued);
    }
    expect(issued).toEqual(['2026-11-21T00:00:00Z', '2026-12-05T00:00:00Z', '2026-12-05T00:00:00Z']);
  });
});

import { mkdtempSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { formatProblem } from '../../../src/publication/content-problem.ts';
import { type ReadOptions, readContent } from '../../../src/publication/read-content.ts';
import { DEFAULT_EDITORIAL } from '../../../src/schemas/editorial-rules.ts';
import { PUBLICATION } from '../../support/paths.ts';

/** The day on which the small worlds of these tests are read. */
export const TODAY = '2026-11-21';

const PROSE = Array.from({ length: 26 }, (_, index) => `Sentence ${index + 1} of this text says what it has to say in ten words.`);

/** The body of a valid capsule, one sentence a line, after a first line that refers to its source. */
export const BODY = `The claim of this capsule rests on its source.[^one]\n\n${PROSE.join('\n')}\n`;

const OFFER_BODY = `${PROSE.slice(0, 5).join('\n')}\n`;

export function capsule(fields: Readonly<Record<string, string | undefined>> = {}, body = BODY): string {
  const all: Record<string, string | undefined> = {
    title: 'A capsule for tests',
    summary: 'State the claim of this capsule in one sentence that can be quoted alone, as here.',
    type: 'concept',
    tags: '[agents, testing]',
    version: '1.0.0',
    evidence: 'documented',
    license: 'CC-BY-4.0',
    created: '2026-11-01',
    updated: '2026-11-02',
    sources: '[{ key: one, title: A source, url: "https://www.rfc-editor.org/rfc/rfc9110", publisher: IETF, kind: standard }]',
    ...fields,
  };
  return `---\n${write(all)}---\n\n${body}`;
}

export function offer(fields: Readonly<Record<string, string | undefined>> = {}, body = OFFER_BODY): string {
  const all: Record<string, string | undefined> = {
    name: 'An offer',
    summary: 'Say in one sentence what the buyer gets for the price of this offer.',
    category: 'services',
    price_usd: '100',
    cadence: 'one_time',
    checkout: '/demo/an-offer',
    demo: 'true',
    features: '[First thing of value, Second thing of value]',
    refund: 'Money is given back on request.',
    delivery: 'Delivered by mail at once.',
    valid_until: '2027-12-31',
    updated: '2026-11-02',
    ...fields,
  };
  return `---\n${write(all)}---\n\n${body}`;
}

/** House rules in flow style: all as errors, except those against HTML, images and footnotes. */
const STRICT = `{ ${Object.keys(DEFAULT_EDITORIAL)
  .filter((rule) => !['html', 'images', 'footnotes'].includes(rule))
  .map((rule) => `${rule}: error`)
  .join(', ')} }`;

/** A valid publisher.yaml over the given offers, with every house rule in force. */
export function publisher(fields: Readonly<Record<string, string | undefined>> = {}, ids: readonly string[] = ['an-offer']): string {
  return write({
    name: 'Tests',
    tagline: 'A publication for tests alone',
    description: 'A publication that is made in a temporary folder for one test and removed after it.',
    base_url: 'https://tests.example',
    issuer: 'did:web:tests.example',
    checkout_host: 'https://checkout.example',
    contact_email: 'desk@tests.example',
    currency: 'USD',
    license: 'CC-BY-4.0',
    updated: '2026-11-02',
    offers: `{ order: [${ids.join(', ')}], recommended_first: ${ids[0]}, recommended_quick: ${ids[0]}, fast_paid_starts: [${ids[0]}] }`,
    ...fields,
    ...('editorial' in fields ? {} : { editorial: STRICT }),
  });
}

function write(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\n`]))
    .join('');
}

/** Files below `content/`, added to or in place of a valid capsule, offer and publisher; `undefined` removes one. */
export type Files = Readonly<Record<string, string | Uint8Array | undefined>>;

/** The least that a publication needs: a publisher with a name and two addresses, no house rules, and no text. */
export const EASY = {
  'publisher.yaml': 'name: Spoke & Co\nbase_url: https://spoke-and-co.com\ncontact_email: hi@spoke-and-co.com\n',
  'capsules/a-capsule.md': undefined,
  'offers/an-offer.md': undefined,
};

/** Writes a small world into a folder, by default a temporary one that is removed after the test. */
export async function writeWorld(files: Files = {}, folder?: string): Promise<string> {
  const root = folder ?? (await temporaryFolder());
  for (const [path, text] of Object.entries({
    'publisher.yaml': publisher(),
    'capsules/a-capsule.md': capsule(),
    'offers/an-offer.md': offer(),
    ...files,
  })) {
    if (text === undefined) continue;
    await mkdir(dirname(join(root, 'content', path)), { recursive: true });
    await writeFile(join(root, 'content', path), text);
  }
  return root;
}

/** Of a test, also in a hook that runs before it; removed after it. */
export async function temporaryFolder(): Promise<string> {
  return folderUntil(onTestFinished);
}

/** Of all tests of a file or a suite, which call it at their top; removed after them. */
export const sharedFolder = (): string => folderUntil(afterAll);

function folderUntil(end: (remove: () => Promise<void>) => void): string {
  const root = mkdtempSync(join(tmpdir(), 'akg-tests-'));
  end(() => rm(root, { recursive: true, force: true }));
  return root;
}

export async function copyOfRealContent(): Promise<string> {
  const root = await temporaryFolder();
  await cp(join(PUBLICATION, 'content'), join(root, 'content'), { recursive: true });
  return root;
}

export async function problemsIn(root: string, options: Partial<ReadOptions> = {}): Promise<string[]> {
  const outcome = await readContent(root, { today: TODAY, ...options });
  if ((outcome.content === undefined) !== outcome.problems.length > 0) throw new Error('content and problems together');
  return outcome.problems.map((problem) => formatProblem(problem).replace(/^content\//, ''));
}

export async function problemsOf(files: Files, options: Partial<ReadOptions> = {}): Promise<string[]> {
  return problemsIn(await writeWorld(files), options);
}

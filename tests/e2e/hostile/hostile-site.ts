import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MemoryCache } from '../../../src/publication/build-cache.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../../src/publication/frozen-versions.ts';
import { LEDGER_FILE } from '../../../src/publication/read/version-ledger.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { TEXT_RULES } from '../../../src/schemas/editorial-rules.ts';
import { checkText, STRICT_TEXT } from '../../../src/text/check/check-text.ts';
import { parseText } from '../../../src/text/markdown/parse-text.ts';
import { type BuiltPublication, makeBuiltPublication } from '../../support/built-publication.ts';
import { plantPaidCapsule } from '../../support/paid-content.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';
import { type HostileFile, hostileFiles, type Piece, pieceAt, textOf } from './hostile-content.ts';

export const TAKEN_DOWN = 'left-pad';
export const FORMER = 'freshness-of-answers';
export const RENAMED = 'http-freshness';

/** A site whose author is an attacker, beside some capsules of the sample, and which sells the planted capsule. */
export interface HostileSite extends Pick<BuiltPublication, 'root' | 'service' | 'remove'> {
  /** The site with a file for each page; `dist` is the one whose functions serve the pages of capsules. */
  readonly folder: string;
  readonly lines: readonly string[];
  readonly pieces: readonly Piece[];
  /** The same payloads where the house rules allow a text nothing but markdown; they are not published. */
  readonly ruledPieces: readonly Piece[];
}

/** Capsules of the sample in each state: one that is renamed, one with an earlier version, a retracted one, and one with its successor. */
const SAMPLES = [RENAMED, 'rate-limit-header-fields', 'mcp-initialize-required', 'x402-v1', 'x402-v2'];
const EARLIER = 'rate-limit-header-fields/1.0.0.md';
const TODAY = '2026-11-22';
/**
 * Writes hostile content into a publication, takes out what the check of content refuses, and builds the rest, with files and with functions
 * for the pages of capsules. The house rules are those by default, under which raw HTML is cleaned and published.
 *
 * @throws If the check refuses what is not hostile, or the build fails.
 */
export async function buildHostileSite(): Promise<HostileSite> {
  const { root, build, service, remove } = await makeBuiltPublication('hostile');
  const ruledPieces = await checkedPieces(root, hostileFiles(TEXT_RULES));
  await copySamples(root);
  for (const name of ['components', 'theme.css']) await cp(join(PUBLICATION, name), join(root, name), { recursive: true });
  const pieces = await checkedPieces(root, hostileFiles());
  await plantPaidCapsule(root, { withPayments: true, derivedFrom: 'capsule-0', cites: RENAMED });
  const renamed = join(root, 'content/capsules', `${RENAMED}.md`);
  await writeFile(renamed, (await readFile(renamed, 'utf8')).replace('---\n', `---\nformerly: [${FORMER}]\n`));
  const takeDown = { capsule: TAKEN_DOWN, taken_down: '2026-11-20', reason: 'Its author asked for it.', legal: false };
  await writeFile(join(root, LEDGER_FILE), `${JSON.stringify(takeDown)}\n`);
  const lines: string[] = [];
  const folder = join(root, 'dist-files');
  await build('edge', { capsulePages: 'files', report: (line) => lines.push(line) });
  await rename(join(root, 'dist'), folder);
  await build('edge', { capsulePages: 'edge' });
  return { root, folder, lines, pieces, ruledPieces, service, remove };
}

async function copySamples(root: string): Promise<void> {
  const from = join(PUBLICATION, 'content/capsules');
  const listed = (await readFile(join(PUBLICATION, VERSIONS_DIGESTS), 'utf8')).split('\n').find((line) => line.endsWith(EARLIER));
  await mkdir(join(root, VERSIONS_FOLDER, EARLIER, '..'), { recursive: true });
  await cp(join(PUBLICATION, VERSIONS_FOLDER, EARLIER), join(root, VERSIONS_FOLDER, EARLIER));
  await writeFile(join(root, VERSIONS_DIGESTS), `${listed}\n`);
  for (const id of SAMPLES) {
    const text = await readFile(join(from, `${id}.md`), 'utf8');
    const kept = (names: string): string =>
      names
        .split(', ')
        .filter((name) => SAMPLES.includes(name))
        .join(', ');
    const changed = text.replaceAll(/^(derived_from|cites): \[(.*)\]$/gm, (_, name: string, names: string) => `${name}: [${kept(names)}]`);
    // Each further tag would have pages of its own.
    const tagged = changed.replace(/^tags: .*$/m, 'tags: [http]');
    await writeFile(join(root, 'content/capsules', `${id}.md`), tagged);
  }
}

/** Writes files, and takes out what the check of content refuses until it refuses nothing; returns all pieces. */
async function checkedPieces(root: string, files: readonly HostileFile[]): Promise<Piece[]> {
  const memory = new MemoryCache();
  const written = new Map<string, string>();
  for (;;) {
    for (const file of files) {
      const text = textOf(file);
      if (written.get(file.path) === text) continue;
      await mkdir(dirname(join(root, file.path)), { recursive: true });
      await writeFile(join(root, file.path), text);
      written.set(file.path, text);
      memory.forget([file.path]);
    }
    const { problems } = await readContent(root, { today: TODAY, baseUrl: TEST_BASE_URL, memory });
    if (problems.length === 0) break;
    const culprits = problems.flatMap(({ file, line, message }) => {
      const at = files.find(({ path }) => path === file);
      const piece = at && (pieceAt(at, line) ?? pieceWithFault(at, message));
      return piece === undefined || piece.isRefused ? [] : [piece];
    });
    // A text that is refused can also be the reason why others have a fault, so those wait for the next round.
    if (culprits.length === 0) throw new Error(problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n'));
    for (const culprit of culprits) culprit.isRefused = true;
  }
  return files.flatMap(({ parts }) => parts.filter((part) => typeof part !== 'string'));
}

/**
 * The piece that has a fault by itself: of an address in running text the check does not tell the line, and a block that is never closed
 * takes what follows with it, notes of sources included.
 */
function pieceWithFault({ parts }: HostileFile, message: string): Piece | undefined {
  const rules = { levels: STRICT_TEXT, words: { level: 'off', min: 0, max: 0 }, sourceKeys: ['s0'], parse: parseText } as const;
  return parts
    .filter((part) => typeof part !== 'string')
    .find(
      ({ isRefused, hostile }) =>
        !isRefused && checkText(`${hostile}\n\nEnd.[^s0]\n`, rules, () => true).some((finding) => finding.message === message),
    );
}

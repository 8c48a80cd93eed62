import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ContentDate, compareVersions, Id, Sha256Hex, Version } from '../../schemas/primitives.ts';
import type { ContentProblem } from '../content-problem.ts';
import { replaceFile } from './content-files.ts';
import { parseJson } from './front-matter.ts';

/** The committed ledger of what was published, one JSON object a line, which git merges in any order. Commands write it. */
export const LEDGER_FILE = 'content/published.jsonl';

const LedgerVersion = z.strictObject({
  capsule: Id,
  version: Version,
  /** Day in its record, and the day on which the capsule was created, if that is known. */
  updated: ContentDate,
  created: ContentDate.optional(),
  text: Sha256Hex,
  record: Sha256Hex,
});
export type LedgerVersion = z.infer<typeof LedgerVersion>;

const LedgerTakeDown = z.strictObject({
  capsule: Id,
  taken_down: ContentDate,
  reason: z.string().min(1).max(500),
  /** Whether the law demanded it: addresses answer 451 (RFC 7725), not 410. */
  legal: z.boolean().default(false),
});
type LedgerTakeDown = z.infer<typeof LedgerTakeDown>;

const LedgerOffer = z.strictObject({ offer: Id, published: ContentDate });
export type LedgerOffer = z.infer<typeof LedgerOffer>;

const LedgerEntry = z.union([LedgerVersion, LedgerTakeDown, LedgerOffer]);
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export interface PublishedLedger {
  /** Versions of each capsule, oldest first. */
  readonly versions: ReadonlyMap<string, readonly LedgerVersion[]>;
  readonly takenDown: ReadonlyMap<string, LedgerTakeDown>;
  readonly offers: ReadonlyMap<string, LedgerOffer>;
}

export const EMPTY_LEDGER: PublishedLedger = { versions: new Map(), takenDown: new Map(), offers: new Map() };

/** The ledger of a publication, and mistakes in its file; empty without the file. */
export async function readLedger(
  root: string,
): Promise<{ readonly ledger: PublishedLedger; readonly problems: readonly ContentProblem[] }> {
  const raw = await readFile(join(root, LEDGER_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const problems: ContentProblem[] = [];
  const entries: LedgerEntry[] = [];
  const known = new Map<string, string>();
  for (const [index, line] of raw.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const report = (message: string): void => void problems.push({ file: LEDGER_FILE, line: index + 1, field: '', message });
    if (/^(<{7}|={7}|>{7}|\|{7})( |$)/.test(line)) {
      report('is a mark of an unresolved merge; keep the lines of both sides and delete the mark');
      continue;
    }
    const entry = LedgerEntry.safeParse(parseJson(line)).data;
    if (entry === undefined) {
      report('is not an entry that a command wrote; restore the file from git');
      continue;
    }
    const name = nameOf(entry);
    const text = JSON.stringify(entry);
    const earlier = known.get(name);
    if (earlier === undefined) entries.push(entry);
    else if (earlier !== text && 'version' in entry)
      report(
        `names version ${entry.version} of "${entry.capsule}" with another digest than a line before; keep the line of what readers got first, and publish the other text as a new version`,
      );
    known.set(name, earlier ?? text);
  }
  return { ledger: ledgerOf(entries), problems };
}

function nameOf(entry: LedgerEntry): string {
  if ('offer' in entry) return `offer ${entry.offer}`;
  return 'version' in entry ? `capsule ${entry.capsule} ${entry.version}` : `capsule ${entry.capsule}`;
}

function ledgerOf(entries: readonly LedgerEntry[]): PublishedLedger {
  const versions = new Map<string, LedgerVersion[]>();
  for (const entry of entries) if ('version' in entry) versions.set(entry.capsule, [...(versions.get(entry.capsule) ?? []), entry]);
  for (const list of versions.values()) list.sort((a, b) => compareVersions(a.version, b.version));
  return {
    versions,
    takenDown: new Map(entries.flatMap((entry) => ('taken_down' in entry ? [[entry.capsule, entry] as const] : []))),
    offers: new Map(entries.flatMap((entry) => ('offer' in entry ? [[entry.offer, entry] as const] : []))),
  };
}

export function publishedVersions({ versions }: PublishedLedger, ids: readonly string[]): LedgerVersion[] {
  return ids.flatMap((id) => versions.get(id) ?? []).sort((a, b) => compareVersions(a.version, b.version));
}

export function publishedVersion(ledger: PublishedLedger, ids: readonly string[], version: string): LedgerVersion | undefined {
  return publishedVersions(ledger, ids).find((entry) => entry.version === version);
}

/** A ledger with further entries; what it has already stays as it is. */
export function extendLedger({ versions, takenDown, offers }: PublishedLedger, more: readonly LedgerEntry[]): PublishedLedger {
  const entries = new Map<string, LedgerEntry>();
  for (const entry of [...[...versions.values()].flat(), ...takenDown.values(), ...offers.values(), ...more])
    if (!entries.has(nameOf(entry))) entries.set(nameOf(entry), entry);
  return ledgerOf([...entries.values()]);
}

/** Replaces the file of the ledger atomically, sorted; unchanged content is not written. */
export async function writeLedger(root: string, ledger: PublishedLedger): Promise<void> {
  const ids = [...new Set([...ledger.versions.keys(), ...ledger.takenDown.keys()])].sort();
  const lines = ids.flatMap((id) => [...(ledger.versions.get(id) ?? []), ledger.takenDown.get(id) ?? []].flat());
  const offers = [...ledger.offers.values()].sort((a, b) => (a.offer < b.offer ? -1 : 1));
  const text = [...lines, ...offers].map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const path = join(root, LEDGER_FILE);
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
  await replaceFile(path, text);
}

import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { replaceFile } from '../../publication/read/content-files.ts';
import type { ImportOrigin } from '../../schemas/knowledge/capsule-front-matter.ts';
import { capsuleFile, type ExistingFiles, fieldsDigest, originKey, sha256 } from './imported-files.ts';
import type { ImportPlan, PlannedCapsule } from './plan-import.ts';
import { FILE_MAX_BYTES, type Source } from './source-page.ts';

/** What an import did, or would do, with files: paths from the root of the publication. */
export interface ImportOutcome {
  readonly created: string[];
  readonly updated: string[];
  readonly unchanged: string[];
  /** Edited here, and unchanged in the source. */
  readonly kept: string[];
  /** Edited here, and changed in the source: left as they are. */
  readonly conflicts: string[];
  /** Capsules whose page the source no longer has. */
  readonly gone: string[];
  readonly images: { readonly copied: string[]; readonly unchanged: string[]; readonly conflicts: string[] };
}

interface WriteOptions {
  readonly root: string;
  readonly to: string;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
}

/** Writes what changed. Files that somebody edited after the last import stay, unless their source is unchanged or the user forces it. */
export async function writeImport(
  plan: ImportPlan,
  source: Source,
  existing: ExistingFiles,
  options: WriteOptions,
): Promise<ImportOutcome> {
  const outcome: ImportOutcome = {
    ...{ created: [], updated: [], unchanged: [], kept: [], conflicts: [], gone: [] },
    images: { copied: [], unchanged: [], conflicts: [] },
  };
  const write = async (file: string, content: string | Uint8Array): Promise<void> => {
    if (!options.isDryRun) await replaceFile(join(options.root, file), content);
  };
  const planned = new Set<string>();
  for (const capsule of plan.capsules) {
    const key = originKey(capsule.page.page.path, capsule.part);
    planned.add(key);
    const known = existing.imported.get(key);
    const origin = originOf(capsule, source);
    if (known === undefined) {
      outcome.created.push(capsule.file);
      await write(capsule.file, capsuleFile(capsule.fields, origin, capsule.text));
      continue;
    }
    const isTextEdited = sha256(known.text) !== known.origin.text_sha256;
    const areFieldsEdited = fieldsDigest(known.fields) !== known.origin.fields_sha256;
    const isTextChanged = origin.text_sha256 !== known.origin.text_sha256;
    const isSourceChanged = isTextChanged || origin.fields_sha256 !== known.origin.fields_sha256;
    const isForced = options.isForced && (isTextEdited || areFieldsEdited || isSourceChanged);
    if (!isForced && !isSourceChanged) (isTextEdited || areFieldsEdited ? outcome.kept : outcome.unchanged).push(capsule.file);
    else if (!isForced && isTextEdited) (isTextChanged ? outcome.conflicts : outcome.kept).push(capsule.file);
    else {
      outcome.updated.push(capsule.file);
      // Front matter that was edited here, such as a removed "draft", stays.
      const stays = areFieldsEdited && !isForced;
      const written = stays ? { ...origin, fields_sha256: known.origin.fields_sha256 } : origin;
      await write(capsule.file, capsuleFile(stays ? known.fields : capsule.fields, written, capsule.text));
    }
  }
  // Of a page that is planned, a part that is not any more.
  const isPlanned = (path: string): boolean => plan.capsules.some(({ page }) => page.page.path === path);
  for (const [key, { file, origin }] of existing.imported)
    if (!planned.has(key) && (source.isGone(origin.path) || isPlanned(origin.path))) outcome.gone.push(file);
  await writeImages(plan, options, outcome, write);
  return outcome;
}

function originOf({ page: { page }, part, fields, text }: PlannedCapsule, { from }: Source): ImportOrigin {
  return {
    from,
    path: page.path,
    ...(part === undefined ? {} : { part }),
    ...(page.url === undefined ? {} : { url: page.url }),
    sha256: page.sha256,
    text_sha256: sha256(text),
    fields_sha256: fieldsDigest(fields),
  };
}

/** Copies images. The digests of what was copied are in a file beside them, so that edited images are noticed. */
async function writeImages(
  plan: ImportPlan,
  options: WriteOptions,
  { images }: ImportOutcome,
  write: (file: string, content: string | Uint8Array) => Promise<void>,
): Promise<void> {
  if (plan.images.length === 0) return;
  const ledgerFile = `${options.to}/images/.imported.json`;
  const ledger = await readLedger(join(options.root, ledgerFile));
  const name = (file: string): string => posix.relative(`${options.to}/images`, file);
  for (const { file, source } of plan.images) {
    const opened = source.read(FILE_MAX_BYTES);
    if (opened === undefined || 'refused' in opened) continue;
    const { bytes } = opened;
    const digest = sha256(bytes);
    const there = await readFile(join(options.root, file)).catch(() => undefined);
    const current = there === undefined ? undefined : sha256(there);
    if (current === digest) images.unchanged.push(file);
    else if (current !== undefined && current !== ledger[name(file)] && !options.isForced) {
      images.conflicts.push(file);
      continue;
    } else {
      images.copied.push(file);
      await write(file, bytes);
    }
    ledger[name(file)] = digest;
  }
  const sorted = Object.fromEntries(Object.entries(ledger).sort(([a], [b]) => (a < b ? -1 : 1)));
  await write(ledgerFile, `${JSON.stringify(sorted, null, 2)}\n`);
}

async function readLedger(file: string): Promise<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    return {};
  }
}

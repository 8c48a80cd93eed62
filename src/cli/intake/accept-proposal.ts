import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exists } from '../../build/local/local-stores.ts';
import { UserError } from '../../build/user-error.ts';
import type { StoredProposal } from '../../platform/d1/proposal-decisions.ts';
import { VERSIONS_DIGESTS } from '../../publication/capsules/frozen-versions.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { readContent } from '../../publication/read-content.ts';
import type { IntakeRequest } from '../../schemas/intake/intake.ts';
import { acceptedVersion, capsuleFile, capsuleFileText, correctCapsule, frozenFile } from './proposal-content.ts';

/** How accepting a proposal changed `content/`. */
interface AcceptedContent {
  /** Paths from the project's root: the written files, the capsule's first, or the file that already contains the proposal. */
  readonly files: readonly string[];
  /** False if an earlier, interrupted attempt wrote them. */
  readonly written: boolean;
}

/**
 * Writes a proposal into `content/`: a new capsule as a file, a correction as a new version of its capsule. It changes and checks a copy
 * first, so that nothing changes unless all content stays valid, and can be repeated after an interruption.
 *
 * @param id Id of the capsule; for a new one it may differ from the proposed id.
 * @throws {InvalidContentError} If the changed content has mistakes.
 * @throws {UserError} If the capsule exists, or `content/` contains the proposal under another id, or the corrected version is not current.
 */
export async function acceptContent(
  root: string,
  proposal: StoredProposal,
  request: IntakeRequest,
  { id, today }: { readonly id: string; readonly today: string },
): Promise<AcceptedContent> {
  const file = capsuleFile(id);
  const frozen = request.kind === 'capsule' ? [] : [frozenFile(id, request.version), VERSIONS_DIGESTS];
  const files = [file, ...frozen];
  const accepted = await acceptedVersion(root, proposal.sha256);
  if (accepted?.id === id) return { files: [accepted.file], written: false };
  if (accepted !== undefined) throw new UserError(`${accepted.file} contains the proposal already; accept it under that id`);
  if (request.kind === 'capsule' && (await exists(join(root, file))))
    throw new UserError(`${file} exists; accept the proposal under another id with --as`);
  const trial = await mkdtemp(join(tmpdir(), 'akg-intake-'));
  try {
    await cp(join(root, 'content'), join(trial, 'content'), { recursive: true });
    if (request.kind === 'capsule') await writeFile(join(trial, file), capsuleFileText(request, proposal, today));
    else await correctCapsule(trial, request, proposal, today);
    const { problems } = await readContent(trial, { today });
    if (problems.length > 0) throw new InvalidContentError(problems);
    // The current version comes last: until it is written, a repeated run starts over.
    for (const path of [...frozen, file]) await replaceFile(join(trial, path), join(root, path));
    return { files, written: true };
  } finally {
    await rm(trial, { recursive: true });
  }
}

/** Replaces a file atomically. */
async function replaceFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const temporary = `${to}.new`;
  await writeFile(temporary, await readFile(from));
  await rename(temporary, to);
}

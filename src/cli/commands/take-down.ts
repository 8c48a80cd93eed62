import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { today } from '../../build/describe-deployment.ts';
import { documentationPage } from '../../build/engine-package.ts';
import { addToLedger } from '../../build/kv/publishing-state.ts';
import { UserError } from '../../publication/content-problem.ts';
import { VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { WithdrawalReason } from '../../schemas/knowledge/capsule-front-matter.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { contentTexts, idsIn, requireCapsuleFile, splitFrontMatter } from '../capsules/capsule-file.ts';
import { knownLedger, removeDigests } from '../capsules/revise-capsule.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Remove a published capsule and all its versions for good. A tombstone stays: its id, the digests of its versions, the day and the reason.

To withdraw a claim whose text may stay readable, add "retracted" to the capsule instead. ${documentationPage('changing-your-mind.md')} lists what remains elsewhere, such as the git history.`,
  )
  .argument('<capsule>', 'id of the capsule', readId)
  .requiredOption('--reason <text>', 'why, in a sentence of 20 to 500 characters that everybody can read')
  .option('--legal', 'the law demands it: addresses answer 451 instead of 410')
  .addHelpText('after', examples('npm run take-down http-caching -- --reason "It contained personal data." --legal'))
  .action(async (id, { reason, legal = false }) => {
    const { ids, references } = await takeDownCapsule(process.cwd(), id, { reason, legal, today: today() });
    console.log(`Removed the capsule "${id}" and its frozen versions. content/published.jsonl keeps the tombstone of ${ids.join(', ')}.`);
    if (references.length > 0)
      console.log(`These texts still name or link to it; its page says that it was taken down: ${references.join(', ')}.`);
    console.log('Now build, publish and deploy, and publish once more: that deletes the stored texts of earlier builds at once.');
    console.log(
      `The text is still in the git history, in backups and in earlier deployments: see ${documentationPage('changing-your-mind.md')}.`,
    );
  });

/** Removes a published capsule with its frozen versions. The ledger keeps ids, digests, day and reason, of which builds make the tombstone. */
export async function takeDownCapsule(
  root: string,
  id: string,
  { reason, legal, today }: { readonly reason: string; readonly legal: boolean; readonly today: string },
) {
  const { path, raw } = await requireCapsuleFile(root, id);
  const { error } = WithdrawalReason.safeParse(reason.trim());
  if (error !== undefined) throw new UserError(`the reason ${error.issues[0]?.message}; everybody can read it`);
  const ledger = await knownLedger(root);
  const ids = [id, ...idsIn(raw, 'formerly')].filter((published) => ledger.versions.has(published));
  if (ids.length === 0)
    throw new UserError(
      `"${id}" was never published as far as content/published.jsonl knows; delete ${path}. If the site has it, run "npm run restore:kv" first`,
    );
  await addToLedger(root, [
    ...ids.flatMap((published) => ledger.versions.get(published) ?? []),
    ...ids.map((capsule) => ({ capsule, taken_down: today, reason: reason.trim(), legal })),
  ]);
  const references = (await contentTexts(root)).filter((text) => text.path !== path && namesOneOf(text.raw, ids)).map((text) => text.path);
  await rm(join(root, path));
  await rm(join(root, VERSIONS_FOLDER, id), { recursive: true, force: true });
  await removeDigests(root, (name) => name.startsWith(`${id}/`));
  return { ids, references };
}

function namesOneOf(raw: string, ids: readonly string[]): boolean {
  const { frontMatter, rest } = splitFrontMatter(raw);
  const named = frontMatter.split(/[^a-z0-9-]+/);
  const linked = rest.split(capsulePath('')).map((after) => after.split(/[^a-z0-9-]/, 1)[0]);
  return ids.some((id) => named.includes(id) || linked.slice(1).includes(id));
}

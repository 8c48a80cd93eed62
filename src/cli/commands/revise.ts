import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, Option } from '@commander-js/extra-typings';
import { BUILD_FOLDER } from '../../build/corpus-blocks/generation-store.ts';
import { today } from '../../build/describe-deployment.ts';
import { UserError } from '../../publication/content-problem.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { publishedVersion } from '../../publication/read/version-ledger.ts';
import { publisherOverrides } from '../../publication/read-publisher.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { fieldOf, idsIn, requireCapsuleFile, splitFrontMatter, withField, withIds } from '../capsules/capsule-file.ts';
import { knownLedger, removeDigests, reviseCapsule, VERSION_STEPS, withoutDefaults } from '../capsules/revise-capsule.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Freeze the published version of a capsule, and raise the version in its file, before or after you edit it.

If the file was edited, the published text is looked up in the git history, in .akg and on the live site, and frozen; the edit stays in the file. content/published.jsonl says which text was published; where it is missing, --from does, or else the last commit. With --undo, go back to the frozen version, as long as the new one is not published.`,
  )
  .argument('<capsule>', 'id of the capsule', readId)
  .addArgument(new Argument('[step]', 'part of the version to raise').choices(VERSION_STEPS).default('minor' as const))
  .option('--from <file-or-commit>', 'the published text: a file, or the commit that has it')
  .addHelpText(
    'after',
    examples(
      'npm run revise http-caching',
      'npm run revise http-caching patch',
      'npm run revise http-caching -- --from v1.2',
      'npm run revise http-caching -- --undo',
    ),
  )
  .addOption(new Option('--undo', 'make the newest frozen version the current one again').conflicts('from'))
  .action(async (id, step, { undo = false, from }) => {
    const root = process.cwd();
    if (undo) {
      const { file, version, kept } = await undoRevision(root, id);
      console.log(`${file} is version ${version} again.${kept === undefined ? '' : ` Your edit is kept in ${kept}.`}`);
      return;
    }
    const overrides = publisherOverrides(process.env);
    const revision = await reviseCapsule(root, id, step, today(), { asksSite: true, from, overrides });
    const { file, frozenPath, source, to, assumed } = revision;
    const found = source === undefined ? '' : assumed === undefined ? ` as it was published (found in ${source})` : ` of ${source}`;
    console.log(
      `Froze version ${revision.from}${found} as ${frozenPath}. ${source === undefined ? `${file} is now ${to}: edit it.` : `Your edit in ${file} is now ${to}.`}`,
    );
    if (assumed !== undefined)
      console.log(
        `Nothing records what was published, so this is the text of the last commit, ${assumed}. If readers got another text, run "npm run revise ${id} -- --undo", then "npm run revise ${id} -- --from <file or commit>".`,
      );
  });

/** Makes the newest frozen version of a capsule the current one again. An edit of the version that is gone is kept in `.akg/undone/`. */
export async function undoRevision(root: string, id: string) {
  const { path, raw } = await requireCapsuleFile(root, id);
  const current = fieldOf(raw, 'version') ?? '1.0.0';
  if (publishedVersion(await knownLedger(root), [id, ...idsIn(raw, 'formerly')], current) !== undefined)
    throw new UserError(
      `version ${current} of "${id}" is published, and readers may have recorded it; to go back to an earlier text, run "npm run revise ${id}", and put that text into the file as a new version`,
    );
  const names = await readdir(join(root, VERSIONS_FOLDER, id)).catch(() => []);
  const versions = names.flatMap((name) => /^(\d+\.\d+\.\d+)\.md$/.exec(name)?.[1] ?? []);
  const version = versions.sort(compareVersions).at(-1);
  if (version === undefined) throw new UserError(`"${id}" has no frozen version, so there is no revision to undo`);
  const frozen = withoutDefaults(await readFile(join(root, VERSIONS_FOLDER, id, `${version}.md`), 'utf8'));
  const kept = sameWithoutVersion(raw, frozen) ? undefined : await keepEdit(root, `${id}-${current}.md`, raw);
  // The frozen file may be older than a rename.
  await writeFile(join(root, path), withIds(frozen, 'formerly', idsIn(raw, 'formerly')));
  await removeDigests(root, (name) => name === `${id}/${version}.md`);
  await rm(join(root, VERSIONS_FOLDER, id, `${version}.md`));
  const digests = join(root, VERSIONS_DIGESTS);
  if ((await readFile(digests, 'utf8').catch(() => undefined))?.trim() === '') await rm(digests);
  for (const folder of [join(root, VERSIONS_FOLDER, id), join(root, VERSIONS_FOLDER)])
    if ((await readdir(folder)).length === 0) await rmdir(folder);
  return { file: path, version, ...(kept === undefined ? {} : { kept }) };
}

function sameWithoutVersion(a: string, b: string): boolean {
  const plain = (raw: string): string => withField(withField(withIds(raw, 'formerly', []), 'version', ''), 'updated', '');
  return plain(a) === plain(b) || (splitFrontMatter(a).frontMatter === '' && a === b);
}

async function keepEdit(root: string, name: string, raw: string): Promise<string> {
  const folder = `${BUILD_FOLDER}/undone`;
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, name), raw);
  return `${folder}/${name}`;
}

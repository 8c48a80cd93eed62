import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, Option } from '@commander-js/extra-typings';
import { checkPublishedVersions } from '../../build/check-published-versions.ts';
import { BUILD_FOLDER } from '../../build/corpus-blocks/generation-store.ts';
import { today } from '../../build/describe-deployment.ts';
import { InvalidContentError, UserError } from '../../publication/content-problem.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { LEDGER_FILE, publishedVersion } from '../../publication/read/version-ledger.ts';
import { readContent } from '../../publication/read-content.ts';
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
  .argument('[capsule]', 'id of the capsule', readId)
  .addArgument(new Argument('[step]', 'part of the version to raise').choices(VERSION_STEPS).default('minor' as const))
  .option('--from <file-or-commit>', 'the published text: a file, or the commit that has it')
  .addHelpText(
    'after',
    examples(
      'npm run revise http-caching',
      'npm run revise http-caching patch',
      'npm run revise http-caching -- --from v1.2',
      'npm run revise http-caching -- --undo',
      'npm run revise -- --changed',
    ),
  )
  .addOption(new Option('--undo', 'make the newest frozen version the current one again').conflicts(['from', 'changed']))
  .addOption(
    new Option('--changed [step]', 'revise every text that differs from what was published, as after a large import')
      .choices(VERSION_STEPS)
      .preset('minor')
      .conflicts('from'),
  )
  .action(async (id, step, { undo = false, from, changed }) => {
    const root = process.cwd();
    if (undo) {
      if (id === undefined) throw new UserError('name the capsule whose new version is taken back');
      const { file, version, kept } = await undoRevision(root, id);
      console.log(`${file} is version ${version} again.${kept === undefined ? '' : ` Your edit is kept in ${kept}.`}`);
      return;
    }
    if ((id === undefined) !== (changed !== undefined)) throw new UserError('name one capsule, or else --changed for all that differ');
    const overrides = publisherOverrides(process.env);
    const ids = id === undefined ? await changedCapsules(root, { today: today(), ...overrides }) : [id];
    if (ids.length === 0) console.log('No text differs from what was published.');
    for (const one of ids) {
      const revision = await reviseCapsule(root, one, typeof changed === 'string' ? changed : step, today(), {
        asksSite: true,
        from,
        overrides,
      });
      const { file, frozenPath, source, to, assumed } = revision;
      const found = source === undefined ? '' : assumed === undefined ? ` as it was published (found in ${source})` : ` of ${source}`;
      console.log(
        `Froze version ${revision.from}${found} as ${frozenPath}. ${source === undefined ? `${file} is now ${to}: edit it.` : `Your edit in ${file} is now ${to}.`}`,
      );
      if (assumed !== undefined)
        console.log(
          `Nothing records what was published, so this is the text of the last commit, ${assumed}. If readers got another text, run "npm run revise ${one} -- --undo", then "npm run revise ${one} -- --from <file or commit>".`,
        );
    }
  });

/** The capsules whose text or front matter differs from what was published, and that keep its version. */
export async function changedCapsules(root: string, options: Parameters<typeof readContent>[1]): Promise<string[]> {
  const { content, problems } = await readContent(root, options);
  if (content === undefined) throw new InvalidContentError(problems);
  const ledger = await knownLedger(root);
  if (ledger.versions.size === 0)
    throw new UserError(`${LEDGER_FILE} records no published text, so none can be compared with it; name the capsule to revise`);
  const changed = await checkPublishedVersions(content, ledger);
  const files = new Set(changed.map(({ file }) => file));
  const ids = content.capsules.flatMap(({ id, file }) => (files.has(file) ? id : []));
  // Another issuer, for instance, changes every record, and no new version mends that.
  if (ids.length < files.size) throw new InvalidContentError(changed);
  return ids;
}

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

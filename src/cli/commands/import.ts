import { Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { today } from '../../build/describe-deployment.ts';
import { UserError } from '../../publication/content-problem.ts';
import { loadPublisher, publisherOverrides } from '../../publication/read-publisher.ts';
import { Language } from '../../schemas/primitives.ts';
import { ListedLicense } from '../../schemas/spdx-license.ts';
import { defineCommand, examples, readBy, readId, wholeNumber } from '../define-command.ts';
import { importContent, openSource } from '../import/import-content.ts';
import { hasLosses, nextStep, REPORT_FILE, summaryLines } from '../import/import-report.ts';
import { GENERATORS } from '../import/import-source.ts';
import { withProgress } from '../progress-line.ts';

export const command = defineCommand()
  .description(
    'Import texts from elsewhere as drafts: a site by its address, the HTML that any site generator wrote into a folder, a folder of Obsidian, Notion or plain markdown, files of Word (.docx), an llms.txt, a sitemap.xml, an openapi.json, or an export of WordPress, Ghost, Substack or Medium. Run it again to take over what changed; texts that you edited stay.',
  )
  .addArgument(new Argument('<source>', 'folder, file or https address'))
  .addOption(new Option('--generator <name>', 'what the folder was written for, if it is not recognised').choices(GENERATORS))
  .option('--to <folder>', 'folder of the new texts', 'content/capsules')
  .option('--prefix <id>', 'beginning of the ids of new capsules', readId)
  .option(
    '--site <address>',
    'address of the site of the source, such as https://docs.example.com: links to pages that are not imported lead there',
    readSite,
  )
  .option(
    '--license <id>',
    'licence of the texts, an SPDX identifier such as CC-BY-4.0; by default the one in the LICENSE file of the source',
    readBy('It', ListedLicense),
  )
  .option('--language <tag>', 'language of the texts, such as de; otherwise their folder or front matter states it', readBy('It', Language))
  .addOption(
    new Option('--split <heading>', 'split long pages at their second-level headings')
      .choices(['h2', 'none'] as const)
      .default('none' as const),
  )
  .option('--split-over <words>', 'keep pages of at most so many words whole', wholeNumber(50), 900)
  .addOption(new Option('--by <unit>', 'capsules of an OpenAPI document').choices(['tag', 'operation'] as const).default('tag' as const))
  .option('--rate <number>', 'most requests a second to a site', wholeNumber(1, 50), 4)
  .option('--limit <pages>', 'most pages to fetch from a site', wholeNumber(1), 5_000)
  .option('--copy-images', 'fetch the pictures of other sites that the texts show, and copy them beside the texts', false)
  .option('--publish', 'do not mark the texts as drafts', false)
  .option('--force', 'overwrite texts that you edited after the last import', false)
  .option('--strict', 'fail if words or code of a page are missing in what it became', false)
  .option('--dry-run', 'report what would happen, and write nothing', false)
  .addHelpText(
    'after',
    examples(
      'akg import https://docs.example.com --dry-run',
      'akg import ../docs/build',
      'akg import ../notes --site https://notes.example.com',
    ),
  )
  .action(async (given, options) => {
    const root = process.cwd();
    const publisher = await loadPublisher(root, publisherOverrides(process.env));
    const done = await withProgress(async ({ show }) => {
      const all = {
        ...options,
        root,
        today: today(),
        requestsPerSecond: options.rate,
        pagesMax: options.limit,
        copiesRemoteImages: options.copyImages,
        to: readFolderName(options.to),
        splitOver: options.split === 'h2' ? options.splitOver : undefined,
        ownLanguage: publisher.language,
        isPublished: options.publish,
        isForced: options.force,
        isDryRun: options.dryRun,
        nowMs: () => performance.now(),
        onProgress: show,
      };
      return await importContent(await openSource(given, all), all);
    });
    console.log(summaryLines(done).join('\n'));
    if (!options.dryRun) console.log(`\nThe whole report is in ${REPORT_FILE}. ${nextStep(done)}`);
    if (options.strict && hasLosses(done)) process.exitCode = 1;
  });

function readSite(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must be an address such as https://docs.example.com.');
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

function readFolderName(text: string): string {
  const folder = text
    .replaceAll('\\', '/')
    .replace(/^\.\//, '')
    .replace(/(?<!\/)\/+$/, '');
  if (folder === '' || folder.startsWith('/') || folder.split('/').includes('..'))
    throw new UserError(`--to ${text}: name a folder of this publication, such as content/capsules/handbook`);
  return folder;
}

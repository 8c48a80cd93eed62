import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Option } from '@commander-js/extra-typings';
import { fromHtml } from 'hast-util-from-html';
import { today } from '../../src/build/describe-deployment.ts';
import { writePublication } from '../../src/cli/commands/init.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { changedCode, factsOfMarkdown, joinFacts, missingWords, wordTotal } from '../../src/cli/import/conversion-losses.ts';
import { partText } from '../../src/cli/import/front-matter.ts';
import { importContent, openSource } from '../../src/cli/import/import-content.ts';
import { GENERATORS } from '../../src/cli/import/import-source.ts';
import { progressLine } from '../../src/cli/progress-line.ts';
import { formatProblem } from '../../src/publication/content-problem.ts';
import { readContent } from '../../src/publication/read-content.ts';
import { textOf } from '../../src/text/html-tree.ts';
import { SHOWN_ELEMENTS } from '../../src/text/markdown/html-elements.ts';
import { plainText, walk } from '../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../src/text/markdown/parse-text.ts';
import { median, percentile } from '../eval/statistics.ts';
import { newScript } from '../support/campaign.ts';

/**
 * `npm run import:try -- <source> …`: imports real documentation into an empty publication and counts the pages that need no hand: without
 * an error of the content checks, without a link that could not be resolved, without a trace of another format.
 */
const program = newScript('import:try', 'Import real documentation into an empty publication, and count the pages that need a hand.')
  .addArgument(new Argument('<source...>', 'folders, files or addresses, as for "akg import"'))
  .option('--site <address...>', 'addresses of their sites, in the same order')
  .addOption(new Option('--generator <name>').choices(GENERATORS))
  .addOption(new Option('--split <heading>').choices(['h2', 'none'] as const).default('none' as const))
  .option('--show <number>', 'how many problems to print of each source', wholeNumber(0), 20)
  .option('--least <percent>', 'fail if fewer pages of a source need no hand', wholeNumber(0, 100), 97)
  .option('--keep', 'keep the publications', false)
  .parse();
const options = program.opts();
const [sources] = program.processedArgs;

for (const [index, given] of sources.entries()) {
  const root = await mkdtemp(join(tmpdir(), 'akg-import-'));
  await writePublication(
    root,
    {
      name: 'Import',
      tagline: 'Texts from elsewhere',
      base_url: 'https://import.example',
      contact_email: 'desk@import.example',
      language: 'en',
    },
    '*',
  );
  // Mistakes of the import are errors, although a publisher gets warnings.
  await appendFile(join(root, 'content/publisher.yaml'), '\neditorial: { broken_links: error, unknown_fields: error }\n');
  const progress = progressLine(process.stderr);
  const startMs = performance.now();
  const all = {
    generator: options.generator,
    site: options.site?.[index],
    root,
    today: today(),
    by: 'tag',
    requestsPerSecond: 4,
    pagesMax: 5_000,
    copiesRemoteImages: false,
    to: 'content/capsules',
    splitOver: options.split === 'h2' ? 900 : undefined,
    ownLanguage: 'en',
    isPublished: true,
    isForced: false,
    isDryRun: false,
    nowMs: () => performance.now(),
    onProgress: progress.show,
  } as const;
  const source = await openSource(given, all);
  const done = await importContent(source, all);
  progress.clear();
  const seconds = (performance.now() - startMs) / 1000;
  const { problems, warnings } = await readContent(root, { today: today() });
  const files = done.plan.capsules.map(({ file }) => file);
  const ofImport = new Set(files);
  const errors = problems.filter((problem) => ofImport.has(problem.file));
  const residue = (
    await Promise.all(
      done.plan.capsules.map(async ({ file, page }) => {
        const { body } = partText(await readFile(join(root, file), 'utf8'));
        return findResidue(body, page.source).map(({ line, source: trace }) => ({ file, line, trace }));
      }),
    )
  ).flat();
  const unresolved = done.plan.notes.filter(
    ({ message }) => /stays as text|^shows (?!the picture)/.test(message) && !message.includes('expression'),
  );
  const anchors = done.plan.notes.filter(({ message }) => message.includes('which no heading of'));
  const lost = done.plan.notes.filter(({ grade }) => grade === 'lost');
  const pathOf = new Map(done.plan.capsules.map(({ file, page }) => [file, page.path]));
  const hands = new Set([
    ...errors.map(({ file }) => pathOf.get(file)),
    ...residue.map(({ file }) => pathOf.get(file)),
    ...lost.map(({ path }) => path),
  ]);
  const texts = await Promise.all(
    source.pages.map(async (page) => {
      const own = done.plan.capsules.filter((capsule) => capsule.page.path === page.path);
      const result = joinFacts(own.flatMap(({ fields, text }) => [factsOfMarkdown(String(fields['title'])), factsOfMarkdown(text)]));
      return {
        page,
        own,
        total: wordTotal(page.facts),
        missing: missingWords(page.facts, result).length,
        code: page.facts.code.length,
        changed: changedCode(page.facts, result).length,
      };
    }),
  );
  const measured = texts.filter(({ own, total }) => own.length > 0 && total > 0);
  const keptShares = measured.map(({ total, missing }) => 100 * (1 - missing / total));
  const codeTotal = measured.reduce((sum, { code }) => sum + code, 0);
  const codeChanged = measured.reduce((sum, { changed }) => sum + changed, 0);
  const withText = new Set(pathOf.values()).size;
  const clean = withText - hands.size;
  const share = (100 * clean) / withText;
  console.log(
    `${given}: ${source.generator}, ${source.pages.length} pages, ${done.plan.copies.length} of them not translated, ${source.pages.length - withText - done.plan.copies.length} without text, ${files.length} capsules, ${done.outcome.copied.length} images, ${seconds.toFixed(1)} s; ` +
      `${errors.length} errors, ${residue.length} traces, ${unresolved.length} unresolved links, ${anchors.length} unknown anchors, ${done.plan.notes.length - unresolved.length - anchors.length} other notes, ${warnings.filter(({ file }) => ofImport.has(file)).length} warnings; ` +
      `${clean} of ${withText} without a hand (${share.toFixed(1)} %)`,
  );
  console.log(
    `    words kept: median ${median(keptShares).toFixed(2)} %, worst page ${percentile(keptShares, 0).toFixed(2)} %; code blocks the same: ${codeTotal - codeChanged} of ${codeTotal}; ${lost.length} losses reported`,
  );
  for (const { path, line, message } of lost.slice(0, options.show)) console.log(`  lost ${path}:${line} ${message}`);
  for (const [message, count] of kinds(errors.map(({ message }) => message))) console.log(`    ${count} × ${message}`);
  for (const problem of errors.slice(0, options.show)) console.log(`  error ${formatProblem(problem)}`);
  for (const { file, line, trace } of residue.slice(0, options.show)) console.log(`  trace ${file}:${line} ${trace.replaceAll('\n', '⏎')}`);
  for (const { path, line, message } of unresolved.slice(0, options.show)) console.log(`  link ${path}:${line} ${message}`);
  if (options.keep) console.log(`  ${root}`);
  else await rm(root, { recursive: true });
  if (share < options.least) process.exitCode = 1;
}

/** The ten most frequent kinds of messages, without what they quote. */
function kinds(messages: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const kind = message.replace(/"[^"]*"|#\S+|\/\S+|https?:\S+|\d+/g, '…');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, 10);
}

interface Residue {
  readonly line: number;
  readonly source: string;
}

/**
 * Finds what an import should have reduced: components, modules and expressions of MDX, template tags, wiki links and containers. What a page in HTML
 * shows its readers itself is none.
 */
function findResidue(text: string, original: string): Residue[] {
  const found: Residue[] = [];
  walk(parseText(text), (node) => {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'html') {
      for (const [tag, , name = ''] of node.value.matchAll(/<(\/?)([A-Za-z][\w.:-]*)[^>]*>/g))
        if (!SHOWN_ELEMENTS.has(name.toLowerCase())) found.push({ line, source: tag });
    } else if (node.type === 'paragraph') {
      const own = plainText({ ...node, children: node.children.filter(({ type }) => type !== 'inlineCode') });
      const trace =
        /^(?:import\s[^\n]*\sfrom\s+['"]|export\s+(?:const|default)\s)[^\n]*|\{\/\*|\{%-?\s*\w+|\{\{[<%]|\[\[[^\]\n]+\]\]|^\s*:{3,}[^\n]*/m.exec(
          own,
        )?.[0];
      if (trace !== undefined) found.push({ line, source: trace.slice(0, 80) });
    }
  });
  if (found.length === 0 || !/^\s*<(?:!doctype|html)\b/i.test(original)) return found;
  const hidden = /^(?:script|style|template)$/;
  const shown = textOf(fromHtml(original), ({ tagName }) => (hidden.test(tagName) ? '' : undefined)).replace(/\s+/g, '');
  return found.filter(({ source }) => !shown.includes(source.replace(/\s+/g, '')));
}

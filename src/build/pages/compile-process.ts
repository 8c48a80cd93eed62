/** Program of the process that compiles pages: receives a task, answers how it ended, and exits. */
import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { componentError } from '../../site/component-error.ts';
import { compilePages } from '../../site/run-astro.ts';
import { type CompileOutcome, type CompileTask, compiledFromFile, compiledSite, fileDigest } from './compile-site.ts';

process.once('message', async (task: CompileTask) => {
  const outcome = await compile(task);
  process.send?.(outcome, undefined, undefined, () => process.exit());
});
// The build that asked has ended.
process.once('disconnect', () => process.exit());

async function compile({ root, templates, folder }: CompileTask): Promise<CompileOutcome> {
  try {
    const files = await compilePages(root, { templates, ...compiledSite(folder) });
    const digests = await Promise.all(files.map(async (file) => [relative(root, file), await fileDigest(file)]));
    // Written last: a folder with this file is whole.
    await writeFile(compiledFromFile(folder), JSON.stringify(Object.fromEntries(digests)));
    return {};
  } catch (error) {
    const mistake = error instanceof InvalidContentError ? error : componentError(root, error);
    if (mistake !== undefined) return { problems: mistake.problems };
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

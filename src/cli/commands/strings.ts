import { join } from 'node:path';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { replaceFile } from '../../publication/read/content-files.ts';
import { countSentences, readStringOverrides, SENTENCES, stringsFile, stringsFileText } from '../../publication/read/strings-file.ts';
import { Language } from '../../schemas/primitives.ts';
import { defineCommand, examples, readBy } from '../define-command.ts';

export const command = defineCommand()
  .description(
    'Write the file in which you translate the interface, or word its sentences in another way. Translations that it has stay, and sentences that are new are added as comments.',
  )
  .argument('<language>', 'language tag such as fr or pt-BR', readBy('A language', Language))
  .addHelpText('after', examples('npm run strings -- fr'))
  .action(async (language) => {
    const root = process.cwd();
    const { overrides, problems, isWritten } = await readStringOverrides(root, language);
    if (problems.length > 0) throw new InvalidContentError(problems);
    const file = stringsFile(language);
    await replaceFile(join(root, file), stringsFileText(language, overrides));
    console.log(
      `${isWritten ? 'Updated' : 'Wrote'} ${file}: ${countSentences(overrides)} of ${SENTENCES} sentences are in it. Translate the others there, set "language: ${language}" in content/publisher.yaml, then run: npm run content:check`,
    );
  });

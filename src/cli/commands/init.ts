import { basename, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Argument } from '@commander-js/extra-typings';
import { UserError } from '../../build/user-error.ts';
import { PLACEHOLDER } from '../../publication/find-gaps.ts';
import { builtInStrings } from '../../publication/strings/strings-file.ts';
import { describeIssue } from '../../schemas/describe-issue.ts';
import { Publisher } from '../../schemas/publisher.ts';
import { defineCommand, examples } from '../define-command.ts';
import { projectName, writePublication } from '../init/write-publication.ts';

/** A question, the option that answers it, and the field of publisher.yaml that checks the answer. */
interface Question {
  readonly option: 'name' | 'about' | 'url' | 'email';
  readonly text: string;
  readonly field: 'name' | 'tagline' | 'base_url' | 'contact_email';
}

const QUESTIONS: readonly Question[] = [
  { option: 'name', text: 'What is the publication called?', field: 'name' },
  { option: 'about', text: 'What is it about, in one sentence?', field: 'tagline' },
  { option: 'url', text: 'At which address will it be?', field: 'base_url' },
  { option: 'email', text: 'Which e-mail address may readers write to?', field: 'contact_email' },
];

export const command = defineCommand()
  .description(
    `Write a new publication into a folder: settings, pages with marked gaps, no texts and no offers. An engine that comes from a file or from its repository is packed into "engine/" of the folder, so that the folder can be moved and committed.

Asks what the options leave open. Answers can be piped, one a line; an empty line stands for the default.`,
  )
  .addArgument(new Argument('<folder>', 'a new folder, such as ../my-site'))
  .option('--name <text>', 'name of the publication')
  .option('--about <text>', 'what it is about, in one sentence')
  .option('--url <origin>', 'its address, such as https://docs.example.com')
  .option('--email <address>', 'contact address')
  .option('--language <code>', 'language of the interface and of the texts', 'en')
  .option('--engine <version>', 'version of the engine for package.json, or "file:" and its packed file; by default the engine that runs')
  .option('-y, --yes', 'ask nothing: defaults for what the options leave open')
  .addHelpText('after', examples('npm run init -- ../my-site', 'npm run init -- ../my-site --yes --language de'))
  .action(async (folder, options) => {
    const defaults = defaultAnswers(folder);
    const answers = await answerAll(options, defaults, options.yes === true);
    const problem = problemOf('language', options.language);
    if (problem !== undefined) throw new UserError(`--language ${options.language}: ${problem}`);
    const files = await writePublication(
      resolve(folder),
      { name: answers.name, tagline: answers.about, baseUrl: answers.url, contactEmail: answers.email, language: options.language },
      options.engine,
    );
    console.log(`Wrote ${files.length} files into ${folder}. Now:

  cd ${relative(process.cwd(), resolve(folder)) || '.'}
  npm install
  npm run dev      # write texts into content/capsules/; each saved file is shown at once
  npm run check    # gaps to fill in before the site goes online
  npm start        # the whole site on http://127.0.0.1:8788`);
    if (builtInStrings(options.language) === undefined)
      console.log(`
The engine has no interface in "${options.language}", so buttons, labels and the templates of the pages are in English. To translate them:

  npm run strings -- ${options.language}   # writes content/strings/${options.language}.yaml with every English sentence`);
  });

type Answers = Record<Question['option'], string>;

/** Answers that make a publication whose gaps are visible. */
function defaultAnswers(folder: string): Answers {
  const slug = projectName(basename(resolve(folder)));
  const words = slug.replaceAll('-', ' ');
  return {
    name: words.charAt(0).toUpperCase() + words.slice(1),
    about: `${PLACEHOLDER}: what this publication is about, in one sentence`,
    url: `https://${slug}.example`,
    email: `hello@${slug}.example`,
  };
}

/**
 * Takes answers from options, asks for the others, and checks all. Answers come from the terminal, or from a pipe, one a line; an empty line
 * and the end of the pipe stand for defaults.
 *
 * @throws {UserError} If an option or a piped answer is invalid.
 */
async function answerAll(given: Partial<Answers>, defaults: Answers, isSilent: boolean): Promise<Answers> {
  const answers: Answers = { ...defaults };
  const isTyped = process.stdin.isTTY === true;
  const terminal = isSilent ? undefined : createInterface({ input: process.stdin, output: process.stdout, terminal: isTyped });
  terminal?.on('SIGINT', () => process.exit(130));
  // Lines of a pipe come at once, also while nothing is asked.
  const lines = terminal?.[Symbol.asyncIterator]();
  let hasEnded = false;
  const ask = async (question: string): Promise<string> => {
    if (hasEnded || terminal === undefined) return '';
    terminal.setPrompt(question);
    terminal.prompt();
    const line = await lines?.next();
    hasEnded = line === undefined || line.done === true;
    const answer = typeof line?.value === 'string' ? line.value.trim() : '';
    if (!isTyped) console.log(answer);
    return answer;
  };
  try {
    for (const { option, text, field } of QUESTIONS) {
      let answer = given[option];
      const problem = answer === undefined ? undefined : problemOf(field, answer);
      if (problem !== undefined) throw new UserError(`--${option} ${answer}: ${problem}`);
      while (answer === undefined && terminal !== undefined) {
        const typed = (await ask(`${text} (${defaults[option]}) `)) || defaults[option];
        const fault = problemOf(field, typed);
        if (fault === undefined) answer = typed;
        else if (isTyped) console.error(`  ${fault}`);
        else throw new UserError(`the answer "${typed}" to "${text}": ${fault}`);
      }
      answers[option] = answer ?? defaults[option];
    }
  } finally {
    terminal?.close();
  }
  return answers;
}

function problemOf(field: Question['field'] | 'language', value: string): string | undefined {
  const { error } = Publisher.shape[field].safeParse(value);
  return error?.issues[0] && describeIssue(error.issues[0]);
}

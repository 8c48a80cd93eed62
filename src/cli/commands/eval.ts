import { join } from 'node:path';
import * as z from 'zod';
import { buildEnvironment } from '../../build/describe-deployment.ts';
import { LivePublication, type LiveState } from '../../build/dev/live-publication.ts';
import { queryAllKinds } from '../../gateway/knowledge/query-knowledge.ts';
import { type ContentProblem, formatProblem, InvalidContentError, isWarning, UserError } from '../../publication/content-problem.ts';
import { readWritten } from '../../publication/resolve/sections-subjects-incidents.ts';
import { queryOfSearch, SearchResponse } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { Id } from '../../schemas/primitives.ts';
import { terminalLine } from '../../text/terminal-safe-text.ts';
import { writeNewFile, yamlText } from '../capsules/capsule-file.ts';
import { defineCommand, examples, readAddress, wholeNumber } from '../define-command.ts';

export const QUESTIONS_FILE = 'content/questions.yaml';

/** Results whose quotes may hold the answer. */
const RESULTS_MAX = 3;

const Question = z
  .strictObject({
    question: z.string().min(1).max(LIMITS.queryMaxLength),
    /** Text that a quote must contain; of a list, any one. */
    answer: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    capsule: Id.optional(),
  })
  .refine(({ answer, capsule }) => answer !== undefined || capsule !== undefined, 'needs "answer", "capsule" or both');
type Question = z.infer<typeof Question>;

const WrittenQuestions = z.strictObject({ questions: z.array(Question).min(1) });

export const command = defineCommand()
  .description(
    `Ask the questions of ${QUESTIONS_FILE}, and tell which are not answered: each names words that one of the first three quotes must have ("answer"), the capsule that one of them must come from ("capsule"), or both. It asks the files of this folder, drafts included, or a site.

Exit codes: 0 all are answered, 1 more than --allow are not.`,
  )
  .argument('[address]', 'ask the site at this address instead, such as http://127.0.0.1:8788', readAddress)
  .option('--allow <questions>', 'questions that may stay without an answer', wholeNumber(0), 0)
  .option('--json', 'print the outcome of each question as JSON')
  .option('--draft', `write ${QUESTIONS_FILE}, with the title of each capsule as a question`)
  .addHelpText('after', examples('akg eval', 'akg eval https://docs.example.com --json', 'akg eval --allow 3'))
  .action(async (address, { allow, json, draft }) => {
    const root = process.cwd();
    if (draft) return console.log(await writeDraft(root, await stateOf(root)));
    const problems: ContentProblem[] = [];
    const written = await readWritten(root, QUESTIONS_FILE, WrittenQuestions, problems);
    if (problems.length > 0) throw new InvalidContentError(problems);
    if (written === undefined) throw new UserError(`there is no ${QUESTIONS_FILE}; "akg eval --draft" writes one to correct`);
    const ask = address === undefined ? asksFolder(await stateOf(root)) : asksSite(address);
    const outcomes = await Array.fromAsync(written.data.questions, async (question) => outcomeOf(question, await ask(question.question)));
    if (json) console.log(JSON.stringify(outcomes, null, 2));
    else {
      for (const [at, outcome] of outcomes.entries())
        if (!outcome.isAnswered) written.report(['questions', at, 'question'], describeFailure(outcome));
      for (const problem of problems) console.log(formatProblem(problem));
      console.log(describeOutcomes(outcomes));
    }
    if (outcomes.filter(({ isAnswered }) => !isAnswered).length > allow) process.exitCode = 1;
  });

interface Answer {
  /** Id of the capsule, or kind and id of another text. */
  readonly from: string;
  readonly quote: string;
}

export interface Outcome extends Question {
  /** Place of the first result from the capsule, and of the first quote with the answer, from 1; 0 for none among the first three. */
  readonly capsuleAt?: number;
  readonly answerAt?: number;
  readonly isAnswered: boolean;
  readonly found: readonly Answer[];
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}

export function outcomeOf(question: Question, found: readonly Answer[]): Outcome {
  const { answer, capsule } = question;
  const wanted = [answer ?? []].flat().map(comparable);
  const answerAt = found.findIndex(({ quote }) => wanted.some((text) => comparable(quote).includes(text))) + 1;
  const capsuleAt = found.findIndex(({ from }) => from === capsule) + 1;
  return {
    ...question,
    ...(capsule === undefined ? {} : { capsuleAt }),
    ...(answer === undefined ? {} : { answerAt }),
    isAnswered: (capsule === undefined || capsuleAt > 0) && (answer === undefined || answerAt > 0),
    found,
  };
}

function describeFailure({ question, capsule, capsuleAt, answer, answerAt, found: [first] }: Outcome): string {
  const missing = [
    ...(capsuleAt === 0 ? [`no result is from ${capsule}`] : []),
    ...(answerAt === 0 ? [`no quote has "${[answer ?? []].flat().map(terminalLine).join('" or "')}"`] : []),
  ];
  const instead =
    first === undefined
      ? 'nothing was found'
      : `the first result is ${first.from}: "${terminalLine(first.quote.replace(/\s+/g, ' ').slice(0, 200))}"`;
  return `"${terminalLine(question)}": ${missing.join(', and ')}; ${instead}`;
}

function describeOutcomes(outcomes: readonly Outcome[]): string {
  const share = (places: readonly (number | undefined)[]): string => {
    const asked = places.filter((place) => place !== undefined);
    return `${asked.filter((place) => place === 1).length} first, ${asked.filter((place) => place > 0).length} among three, of ${asked.length}`;
  };
  return [
    `${outcomes.filter(({ isAnswered }) => isAnswered).length} of ${outcomes.length} questions are answered`,
    `the capsule: ${share(outcomes.map(({ capsuleAt }) => capsuleAt))}`,
    `the answer in a quote: ${share(outcomes.map(({ answerAt }) => answerAt))}`,
  ].join('; ');
}

/** @throws {InvalidContentError} If the content has mistakes. */
async function stateOf(root: string): Promise<LiveState> {
  const publication = new LivePublication(root, buildEnvironment(process.env));
  await publication.refresh([]);
  const errors = publication.problems.filter((problem) => !isWarning(problem));
  if (publication.state === undefined || errors.length > 0) throw new InvalidContentError(errors);
  return publication.state;
}

type Ask = (question: string) => Promise<readonly Answer[]>;

function answersIn({ results }: Pick<SearchResponse, 'results'>): Answer[] {
  return results.map((result) => ({
    from: 'capsule_id' in result ? result.capsule_id : `${result.kind} ${result.id}`,
    quote: result.quote.text,
  }));
}

function asksFolder({ corpus, made }: LiveState): Ask {
  return async (question) => {
    const found = await queryAllKinds(queryOfSearch({ q: question, max_results: RESULTS_MAX }), corpus, made.deployment);
    if (!found.ok) throw new UserError(`"${terminalLine(question)}" cannot be asked: ${found.refusal.detail}`);
    return answersIn(found.value);
  };
}

function asksSite(address: URL): Ask {
  return async (question) => {
    const url = new URL(`${PATHS.gateway}/search?${new URLSearchParams({ q: question, max_results: String(RESULTS_MAX) })}`, address);
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    const answer = SearchResponse.pick({ results: true }).safeParse(await response.json().catch(() => undefined));
    if (!answer.success) throw new UserError(`${url.origin} does not answer a search (status ${response.status})`);
    return answersIn(answer.data);
  };
}

/** Writes a question for each capsule that people can read. @throws {UserError} If the file is there. */
async function writeDraft(root: string, { made }: LiveState): Promise<string> {
  const questions = made.capsules.map(({ id, metadata }) => `  - question: ${yamlText(metadata.title)}\n    capsule: ${id}\n`);
  const text = `# Questions that this publication answers: "akg eval" asks them. "answer" has words that one of the first three quotes must have.\nquestions:\n${questions.join('')}`;
  await writeNewFile(join(root, QUESTIONS_FILE), text, `${QUESTIONS_FILE} exists`);
  return `Wrote ${QUESTIONS_FILE} with ${questions.length} questions. Put them as readers would, and add answers.`;
}

import type { InstructionRule } from './rules.ts';
import { LEADS, TELLS, wordsOf } from './vocabulary.ts';
import type { TextWord } from './words-of-text.ts';

/** A step of a pattern: matching words, and how many others may precede the next step. */
interface Step {
  readonly fits: (word: string) => boolean;
  readonly gap: number;
}

/** A compiled pattern of a rule. */
export interface Pattern {
  readonly rule: InstructionRule;
  /** Whether its first word must be an imperative. */
  readonly isCommand: boolean;
  readonly steps: readonly Step[];
}

/** A function name, such as `delete_all_files`. */
const FUNCTION_NAME = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;

/** A wallet address, such as `0xabc`; `wordsOfText` has replaced its digits by look-alike letters. */
const WALLET_ADDRESS = /^[o0]x[0-9a-fiost]{3,}$/;

/** Words after which instructions of retrieved text are meant. */
const RETRIEVED: ReadonlySet<string> = new Set('in inside within found embedded contained hidden from of that which'.split(' '));

/** Words that make a verb after "to" a command: "you need to", "your task is to". */
const NEEDS: ReadonlySet<string> = new Set(
  'need have sure supposed required instructed ordered expected free allowed authorized authorised you is are ought want'.split(' '),
);

const MODALS: ReadonlySet<string> = new Set(['must', 'should', 'shall', 'will', 'can']);
const STRESSES: ReadonlySet<string> = new Set(['always', 'never', 'also', 'only', 'now']);

/** Words before a verb in which a word of reporting makes it a report, not a command. */
const TOLD_BEFORE = 6;

/** Compiled patterns, by each word that they can begin with. */
export function compilePatterns(rules: readonly InstructionRule[]): ReadonlyMap<string, readonly Pattern[]> {
  const byWord = new Map<string, Pattern[]>();
  for (const rule of rules) {
    for (const text of rule.patterns) {
      const tokens = text.replace(/^@/, '').split(' ');
      const names = tokens.filter((token) => !/^\d+$/.test(token));
      const gaps = tokens.filter((token) => /^\d+$/.test(token)).map(Number);
      const steps = names.map((name, index): Step => ({ fits: fitsOf(name), gap: gaps[index] ?? 0 }));
      const pattern: Pattern = { rule, isCommand: text.startsWith('@'), steps };
      for (const word of wordsOf(names[0] ?? '')) byWord.set(word, [...(byWord.get(word) ?? []), pattern]);
    }
  }
  return byWord;
}

function fitsOf(name: string): Step['fits'] {
  if (name === 'NAME') return (word) => FUNCTION_NAME.test(word);
  if (name === 'ADDRESS') return (word) => WALLET_ADDRESS.test(word);
  const words = new Set(name.split('|').flatMap((part) => [...wordsOf(part)]));
  return (word) => words.has(word);
}

/** Whether a pattern matches from a position, within one sentence. */
export function matchesPattern({ rule, steps }: Pattern, words: readonly TextWord[], at: number): boolean {
  const end = lastWord(steps, 0, words, at);
  if (end === -1) return false;
  const after = words[end + 1];
  return !(rule.sparesRetrieved && after?.sentence === words[at]?.sentence && RETRIEVED.has(after?.word ?? ''));
}

/** Position of the last word of a match with step `step` at `position`; -1 if the sentence does not match. */
function lastWord(steps: readonly Step[], step: number, words: readonly TextWord[], position: number): number {
  const next = steps[step + 1];
  if (next === undefined) return position;
  const sentence = words[position]?.sentence;
  const furthest = position + 1 + (steps[step]?.gap ?? 0);
  for (let candidate = position + 1; candidate <= furthest; candidate += 1) {
    const word = words[candidate];
    if (word === undefined || word.sentence !== sentence) return -1;
    if (!next.fits(word.word)) continue;
    const end = lastWord(steps, step + 1, words, candidate);
    if (end !== -1) return end;
  }
  return -1;
}

/** Whether the verb at a position is a command: it begins a clause, or follows words such as "please", "you must", "your task is to". */
export function commands(words: readonly TextWord[], at: number): boolean {
  const own = words[at];
  if (own === undefined) return false;
  if (own.opens) return true;
  const before = (distance: number): string => {
    const word = words[at - distance];
    return word?.sentence === own.sentence ? word.word : '';
  };
  const [last, secondLast] = [before(1), before(2)];
  const isTo = last === 'to' && NEEDS.has(secondLast);
  const isModal = MODALS.has(last) && secondLast === 'you';
  const isStressed = STRESSES.has(last) && LEADS.has(secondLast);
  if (!LEADS.has(last) && !isTo && !isModal && !isStressed) return false;
  const around = Array.from({ length: TOLD_BEFORE }, (_, index) => before(index + 1));
  if (around.some((word) => TELLS.has(word))) return false;
  return !isTo || around.some((word) => word === 'you' || word === 'your' || word === 'sure');
}

import type { InstructionRule } from './rules.ts';
import { LEADS, TELLS, wordsOf } from './vocabulary.ts';
import type { TextWord } from './words-of-text.ts';

/** A step of a pattern: words that fit, and how many others may stand before the next one. */
interface Step {
  readonly fits: (word: string) => boolean;
  readonly gap: number;
}

/** A pattern of a rule, ready to be tried. */
export interface Pattern {
  readonly rule: InstructionRule;
  /** Whether its first word must be a verb in the position of a command. */
  readonly isCommand: boolean;
  readonly steps: readonly Step[];
}

/** Names of functions, as `delete_all_files`. */
const FUNCTION_NAME = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;

/** Addresses of wallets, as `0xabc`, whose digits `wordsOfText` has replaced by the letters that they look like. */
const WALLET_ADDRESS = /^[o0]x[0-9a-fiost]{3,}$/;

/** Words after which the instructions of retrieved text are meant. */
const RETRIEVED: ReadonlySet<string> = new Set('in inside within found embedded contained hidden from of that which'.split(' '));

/** Words that make a verb behind "to" a command: "you need to", "your task is to". */
const NEEDS: ReadonlySet<string> = new Set(
  'need have sure supposed required instructed ordered expected free allowed authorized authorised you is are ought want'.split(' '),
);

const MODALS: ReadonlySet<string> = new Set(['must', 'should', 'shall', 'will', 'can']);
const STRESSES: ReadonlySet<string> = new Set(['always', 'never', 'also', 'only', 'now']);

/** Words before a verb among which one that tells of others makes it no command. */
const TOLD_BEFORE = 6;

/** The patterns of rules by each word that they can begin with. */
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

/** Whether a pattern fits the words from a position on, within one sentence. */
export function matchesPattern({ rule, steps }: Pattern, words: readonly TextWord[], at: number): boolean {
  const end = lastWord(steps, 0, words, at);
  if (end === -1) return false;
  const after = words[end + 1];
  return !(rule.sparesRetrieved && after?.sentence === words[at]?.sentence && RETRIEVED.has(after?.word ?? ''));
}

/** Position of the last word of a pattern whose step `step` stands at `position`; -1 if the rest does not follow in the sentence. */
function lastWord(steps: readonly Step[], step: number, words: readonly TextWord[], position: number): number {
  const next = steps[step + 1];
  if (next === undefined) return position;
  const sentence = words[position]?.sentence;
  const furthest = position + 1 + (steps[step]?.gap ?? 0);
  for (let candidate = position + 1; candidate <= furthest; candidate += 1) {
    const found = words[candidate];
    if (found === undefined || found.sentence !== sentence) return -1;
    if (!next.fits(found.word)) continue;
    const end = lastWord(steps, step + 1, words, candidate);
    if (end !== -1) return end;
  }
  return -1;
}

/** Whether the verb at a position is a command: it opens a clause, or follows a word such as "please", "you must", "your task is to". */
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

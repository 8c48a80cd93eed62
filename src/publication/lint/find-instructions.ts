import { commands, compilePatterns, matchesPattern, type Pattern } from './instructions/match-pattern.ts';
import { INSTRUCTION_RULES, PHRASES, SPELLED_OUT } from './instructions/rules.ts';
import { spelledOut, wordsOfText } from './instructions/words-of-text.ts';

/** An instruction to a model in a text. */
export interface InstructionFinding {
  /** Permanent name of the rule. */
  readonly rule: string;
  /** Line of the text, from 1. */
  readonly line: number;
  readonly message: string;
}

/** Most findings of one text. */
const FINDINGS_MAX = 20;

/** Base64 long enough for a sentence, and how many runs are decoded. */
const BASE64 = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40,4000}={0,2}(?![A-Za-z0-9+/=_-])/g;
const BASE64_RUNS_MAX = 8;

const PATTERNS = compilePatterns(INSTRUCTION_RULES);

/**
 * Finds text that instructs a model or agent that reads it: to drop its instructions, take a role, send, pay, hide or recommend something.
 * It finds usual wordings, not all, and quotations of them too, in time linear in the text.
 */
export function findInstructions(text: string): InstructionFinding[] {
  const findings = [...inWords(text), ...inMarkup(text), ...inBase64(text)];
  const unique = new Map(findings.map((finding) => [`${finding.rule} ${finding.line}`, finding]));
  return [...unique.values()].sort((a, b) => a.line - b.line).slice(0, FINDINGS_MAX);
}

function inWords(text: string): InstructionFinding[] {
  const findings: InstructionFinding[] = [];
  const words = wordsOfText(text);
  for (const [at, { word, line }] of words.entries()) {
    const beginning: readonly Pattern[] = PATTERNS.get(word) ?? [];
    const isCommand = beginning.length > 0 && commands(words, at);
    for (const pattern of beginning) {
      if ((pattern.isCommand && !isCommand) || !matchesPattern(pattern, words, at)) continue;
      findings.push({ rule: pattern.rule.id, line, message: pattern.rule.message });
      break;
    }
    if (findings.length >= FINDINGS_MAX) return findings;
  }
  for (const { letters, line } of spelledOut(words)) {
    if (SPELLED_OUT.some((phrase) => letters.includes(phrase)))
      findings.push({ rule: 'override', line, message: 'spells out an instruction letter by letter' });
  }
  for (const phrase of PHRASES) {
    const match = phrase.exec(text);
    if (match)
      findings.push({
        rule: 'override',
        line: lineAt(text, match.index),
        message: 'contains text that instructs a model to ignore its instructions',
      });
  }
  return findings;
}

function inMarkup(text: string): InstructionFinding[] {
  const tricks = MARKUP_TRICKS.flatMap(({ id, message, pattern }) => {
    const match = pattern.exec(text);
    return match ? [{ rule: id, line: lineAt(text, match.index), message }] : [];
  });
  const links = misleadingLinks(text).map(({ index }) => ({
    rule: 'misleading-link',
    line: lineAt(text, index),
    message: 'shows an address of another host than its target',
  }));
  return [...tricks, ...links];
}

/** Instructions in base64. */
function inBase64(text: string): InstructionFinding[] {
  const findings: InstructionFinding[] = [];
  let runs = 0;
  for (const match of text.matchAll(BASE64)) {
    runs += 1;
    if (runs > BASE64_RUNS_MAX) break;
    const decoded = decode(match[0]);
    if (decoded !== undefined && inWords(decoded).length > 0)
      findings.push({ rule: 'encoded', line: lineAt(text, match.index), message: 'contains an instruction in base64' });
  }
  return findings;
}

function decode(base64: string): string | undefined {
  try {
    // A run may end within a group of four.
    const whole = base64.slice(0, base64.length - (base64.length % 4 === 1 ? 1 : 0));
    const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Markup that addresses a model or hides a target. All patterns are bounded and begin with a rare character. */
const MARKUP_TRICKS: readonly { readonly id: string; readonly message: string; readonly pattern: RegExp }[] = [
  {
    id: 'chat-markup',
    message: 'contains a role marker of chat templates',
    pattern:
      /<\|[a-z_ ]{2,24}\|?>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|prompt|tool_call|tool_result|function_calls?|user_query|admin)>/i,
  },
  {
    id: 'chat-markup',
    message: 'begins a line like a chat message',
    pattern: /^[ \t>#*-]{0,8}(?:system|assistant|developer)(?: (?:message|prompt|note|override))?\*{0,2}[ \t]*:/im,
  },
  {
    id: 'chat-markup',
    message: 'begins a section like a prompt',
    pattern: /^[ \t]{0,3}#{1,6}[ \t]*(?:instructions?[ \t]*:|system prompt|system message|new instructions)/im,
  },
  {
    id: 'chat-markup',
    message: 'draws a border as if the text ended there',
    pattern: /[-=*#]{3}[ \t]*(?:end|begin|start) (?:of )?(?:the )?(?:user|system|admin|context|document|input|prompt|override|message)/i,
  },
  {
    id: 'new-task',
    message: 'announces new instructions',
    pattern: /\b(?:new|updated|revised|replacement) (?:system )?(?:instructions?|directives?|orders?|task|rules)[ \t]*:/i,
  },
  { id: 'html-comment', message: 'contains an HTML comment, which readers do not see', pattern: /<!--/ },
  { id: 'script-link', message: 'links to a data or script address', pattern: /\]\([ \t]{0,4}<?(?:data|javascript|vbscript|file):/i },
];

/** A link whose text is an address: text and target. */
const LINK = /\[((?:https?:\/\/|www\.)[^\][\s]{1,200})\]\(<?(https?:\/\/[^\s)>]{1,300})/gi;

/** Links whose text is an address of another host than their target. */
function misleadingLinks(text: string): { readonly index: number }[] {
  return [...text.matchAll(LINK)].flatMap(({ 1: shown = '', 2: target = '', index }) =>
    hostOf(shown) === hostOf(target) ? [] : [{ index }],
  );
}

function hostOf(address: string): string {
  return (/^(?:https?:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '').toLowerCase().replace(/^www\./, '');
}

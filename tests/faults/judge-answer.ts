import type { ErrorCode } from '../../src/gateway/errors.ts';
import { BROKEN_OFF, type PlainAnswer, type Scenario } from './scenarios.ts';

/** What an answer was, in one word, and what is wrong with it if anything is. */
export interface Judgement {
  /** `correct`; `degraded: <what>`; `<status> <code>`; `broken off`. */
  readonly kind: string;
  readonly wrong?: string | undefined;
}

/** Answers of a scenario when nothing fails. */
export interface Expected {
  readonly scenario: Scenario;
  /** Codes that the route may refuse with. */
  readonly codes: readonly ErrorCode[];
  readonly usual: PlainAnswer;
  /** What a repetition gets a minute later. */
  readonly healed: PlainAnswer;
  /** What the generation before answers. */
  readonly fromEarlier: PlainAnswer | undefined;
  readonly degraded: PlainAnswer | undefined;
}

/** What happened under a plan of faults. */
export interface Happened {
  readonly answer: PlainAnswer;
  /** The same request again at once, where it stores something. */
  readonly repeated: PlainAnswer | undefined;
  readonly healed: PlainAnswer;
  readonly counts: readonly number[];
  /** Whether the clock jumped: then times, and all that is made of them, differ. */
  readonly jumps: boolean;
}

/** Judges what a scenario came to. */
export function judge(happened: Happened, expected: Expected): Judgement {
  const judged = judgeAnswer(happened, expected);
  if (judged.wrong !== undefined) return judged;
  const wrong = judgeRepetitions(happened, expected) ?? judgeEffects(happened, expected);
  return { ...judged, wrong };
}

/** Judges the answer that was given while something failed. */
function judgeAnswer({ answer, jumps }: Happened, { scenario, codes, usual, fromEarlier, degraded }: Expected): Judgement {
  const { status, headers, text } = answer;
  if (status === 503) return judgeRefusal(answer, codes);
  const lacking = headers.get('gateway-degraded');
  if (lacking !== null) {
    const kind = `degraded: ${lacking}`;
    if (headers.get('cache-control') !== 'no-store' || headers.has('etag')) return { kind, wrong: 'it may be cached' };
    const likes = [usual, fromEarlier, degraded].filter((like) => like !== undefined);
    const isKnown = likes.some((like) => like.status === status && isSame(text, like.text, jumps));
    return isKnown
      ? { kind }
      : { kind, wrong: `neither the usual answer nor that of the generation before: ${status} ${text.slice(0, 300)}` };
  }
  if (status !== usual.status) return { kind: `${status}`, wrong: `${status} in the place of ${usual.status}: ${text.slice(0, 300)}` };
  if (isSame(text, usual.text, jumps || scenario.repeated === 'other')) return { kind: 'correct' };
  if (['getStatus', 'getCapabilities'].includes(scenario.operation) && text.includes('"level":"unknown"'))
    return { kind: 'degraded: said in the answer' };
  if (scenario.operation === 'getIntake' && text.includes('"waiting":null')) return { kind: 'degraded: said in the answer' };
  if (scenario.operation === 'getStatus' && text.includes('"status":"degraded"')) return { kind: 'degraded: said in the answer' };
  if (text === BROKEN_OFF) return { kind: 'broken off' };
  return { kind: 'other', wrong: `another answer: ${firstDifference(text, usual.text)}` };
}

/** The code of a problem, as JSON or as markdown. */
function codeOf(text: string): ErrorCode {
  const [, written] = /^---\nstatus: \d+\ncode: (\w+)\n/.exec(text) ?? [];
  return (written ?? (JSON.parse(text) as { code: string }).code) as ErrorCode;
}

function judgeRefusal({ headers, text }: PlainAnswer, codes: readonly ErrorCode[]): Judgement {
  const code = codeOf(text);
  const kind = `503 ${code}`;
  if (!codes.includes(code)) return { kind, wrong: 'the route does not list this code' };
  if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) return { kind, wrong: 'it has no Retry-After' };
  if (headers.get('cache-control') !== 'no-store' || headers.has('etag')) return { kind, wrong: 'it may be cached' };
  return { kind };
}

/** What is wrong with the same request sent again, at once and when all has healed. */
function judgeRepetitions(happened: Happened, { scenario, usual, healed: usualInTheEnd }: Expected): string | undefined {
  const { answer, repeated, healed, jumps } = happened;
  const isAcknowledged = answer.status < 300;
  if (scenario.repeated === 'revoked') {
    if (isAcknowledged && repeated?.status !== 401) return `the repetition was answered with ${repeated?.status}`;
    return healed.status === 401 ? undefined : `in the end it was answered with ${healed.status}`;
  }
  if (repeated === undefined) {
    const isUsual = healed.status === usual.status && isSame(healed.text, usualInTheEnd.text, jumps || scenario.repeated === 'other');
    return isUsual ? undefined : `a minute later: ${healed.status} ${firstDifference(healed.text, usualInTheEnd.text)}`;
  }
  // What a location of KV holds to be missing is still missing.
  if (repeated.status !== usual.status && (repeated.status !== 503 || isAcknowledged))
    return `at once: ${repeated.status} ${repeated.text.slice(0, 300)}`;
  if (healed.status !== usual.status) return `a minute later: ${healed.status} ${healed.text.slice(0, 300)}`;
  const first = [answer, repeated, healed].find(({ status }) => status < 300);
  const other = [answer, repeated, healed].find(({ status, text }) => status < 300 && text !== first?.text);
  return first && other && `two acknowledged answers: ${firstDifference(other.text, first.text)}`;
}

function judgeEffects({ counts }: Happened, { scenario }: Expected): string | undefined {
  const wrong = counts.findIndex((count) => count !== 1);
  return wrong < 0 ? undefined : `${scenario.effects?.[wrong]} gives ${counts[wrong]}`;
}

/** Whether two bodies say the same; where times differ, whether they have the same members. */
function isSame(text: string, like: string, byShape: boolean): boolean {
  return text === like || withoutTimes(text) === withoutTimes(like) || (byShape && shapeOf(text) === shapeOf(like));
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME').replaceAll(/"request_id":"[^"]*"/g, '"request_id":""');
}

function shapeOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
      typeof value === 'string' || typeof value === 'number' ? typeof value : value,
    );
  } catch {
    return text;
  }
}

function firstDifference(text: string, like: string): string {
  let at = 0;
  while (at < text.length && text[at] === like[at]) at += 1;
  return `at ${at}: ${text.slice(at, at + 160)} | ${like.slice(at, at + 160)}`;
}

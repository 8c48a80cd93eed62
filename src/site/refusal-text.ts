import { errors, refusals } from 'virtual:strings';
import type { ErrorCode } from '../gateway/errors.ts';
import type { ShownRefusal } from '../http/on-demand-pages.ts';
import { isEnglish, text } from './strings.ts';

/** Refusals that only software can resolve: a person cannot solve a challenge in a form. */
const CHALLENGES: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

const LIMIT_REACHED: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded'];

/** Sentences of refusals in the language of the interface, one for every code. */
const REASONS: Readonly<Record<ErrorCode, string>> = errors;

/** Whether a limit is reached, which passes with time. */
export function isAtLimit({ code, retryAfterSeconds }: ShownRefusal): boolean {
  return CHALLENGES.includes(code) || (LIMIT_REACHED.includes(code) && retryAfterSeconds !== undefined);
}

/** Why a request was refused, for the person who sent it. */
export function refusalText({ code, detail, retryAfterSeconds }: ShownRefusal): string {
  if (CHALLENGES.includes(code)) return refusals.formAtItsLimit;
  const reason = isEnglish() ? detail : REASONS[code];
  return LIMIT_REACHED.includes(code) && retryAfterSeconds !== undefined
    ? text(refusals.tryAgainIn, { reason, duration: durationText(retryAfterSeconds) })
    : reason;
}

/** A waiting time, rounded up: "40 seconds", "1 minute", "3 hours". */
function durationText(seconds: number): string {
  if (seconds < 60) return text(refusals.seconds, { count: seconds });
  if (seconds < 3_600) return text(refusals.minutes, { count: Math.ceil(seconds / 60) });
  return text(refusals.hours, { count: Math.ceil(seconds / 3_600) });
}

import type { ErrorCode } from '../gateway/errors.ts';
import type { ShownRefusal } from '../http/page.ts';

/** Refusals that only software can resolve: a person cannot solve a challenge in a form. */
const CHALLENGES: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

/** Why a form was refused, for the person who sent it. */
export function reasonForPeople({ code, detail }: ShownRefusal): string {
  return CHALLENGES.includes(code)
    ? 'This form has reached its daily limit and reopens at midnight UTC. Write to the publisher, or try again tomorrow.'
    : detail;
}

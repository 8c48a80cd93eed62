export const INVARIANTS = {
  acknowledged: 'what was acknowledged is readable from every location and stays so',
  'one-effect': 'the same Idempotency-Key has one effect and one answer, byte for byte',
  'one-generation': 'an answer is that of one generation, the one that it names or that is deployed',
  'not-public': 'a proposal is public nowhere, and others are told the same bytes as of one that does not exist',
  revoked: 'a revoked key is refused at once in the same isolate and everywhere in time, and stays refused',
  declared: 'status, media type and body of every answer are among those that its route declares',
  'come-back': 'an answer that asks to come back says when, and has a code',
  expired: 'no key is accepted after its time, whatever the clocks of locations show',
  'fresh-key': 'a fresh key is accepted everywhere at once, without any store',
  quota: 'no exact quota is exceeded',
  'no-cause': 'no outage is answered unless a store failed or lacks a block, and no quota refuses before it is used up',
  answered: 'every request is answered, whatever the stores do',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export class ViolationError extends Error {
  override readonly name = 'ViolationError';
  readonly invariant: Invariant;

  constructor(invariant: Invariant, seen: string) {
    super(`${invariant}: ${INVARIANTS[invariant]}\n  seen: ${seen}`);
    this.invariant = invariant;
  }
}

export function hold(invariant: Invariant, holds: boolean, seen: () => string): void {
  if (!holds) throw new ViolationError(invariant, seen());
}

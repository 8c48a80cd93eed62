import * as fc from 'fast-check';
import { issuer } from '../../../support/proof-vectors/parties.ts';
import { JWKS, makeLineage, NOW, textsOf } from '../../../support/proof-vectors/sample.ts';
import { writeTokens } from './json-tokens.ts';
import { mutateJson } from './mutate-json.ts';
import type { Given } from './mutate-proof.ts';

/** A change of a statement before it is digested and signed. */
interface StatementMutation {
  readonly isHead: boolean;
  readonly count: number;
  readonly place: number;
  readonly choice: number;
  readonly seed: number;
}

export const mutatedStatement: fc.Arbitrary<StatementMutation> = fc.record({
  isHead: fc.boolean(),
  count: fc.constantFrom(1, 2),
  place: fc.nat(),
  choice: fc.nat(),
  seed: fc.nat(),
});

/** Puts another value in place of those that no library gives a canonical form: infinite numbers, and halves of surrogate pairs. */
const signable = (_: string, value: unknown): unknown =>
  value === Infinity || value === -Infinity ? 0 : typeof value === 'string' ? value.replace(/\p{Cs}/gu, '?') : value;

/** A lineage with a statement that was changed and then digested and signed, so that nothing but its members can fail. */
export async function signedLineage({ isHead, count, place, choice, seed }: StatementMutation): Promise<Given> {
  const change = (statement: object): void => {
    const mutated: unknown = JSON.parse(writeTokens(mutateJson(statement, place, choice, seed)), signable);
    if (typeof mutated !== 'object' || mutated === null) return;
    for (const name of Object.keys(statement)) Reflect.deleteProperty(statement, name);
    for (const [name, value] of Object.entries(mutated))
      Object.defineProperty(statement, name, { value, enumerable: true, configurable: true, writable: true });
  };
  const clean = await makeLineage({ count });
  const lineage = await makeLineage({ by: issuer, count, ...(isHead ? { changeHead: change } : { change }) });
  return { document: JSON.stringify(lineage), id: clean.id, texts: textsOf(clean), trust: JWKS, now: NOW };
}

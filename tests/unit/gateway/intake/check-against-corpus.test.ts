import { expect, test } from 'vitest';
import { examineCapsule } from '../../../../src/gateway/intake/check-proposal.ts';
import type { Generation } from '../../../../src/gateway/knowledge/generation.ts';
import { CapsuleProposal } from '../../../../src/schemas/intake/intake.ts';
import { capsuleProposal } from '../../../support/proposals.ts';

const ids = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** Faults that a proposal has in a corpus that holds every capsule but those that begin with "lost". */
async function faultsOf(links: readonly string[], derivedFrom: readonly string[] = ids(12, 'derived')): Promise<string[]> {
  const newestOf = async (wanted: readonly string[]): Promise<unknown[]> => wanted.map((id) => (id.startsWith('lost') ? undefined : {}));
  const generation = { capsule: async () => undefined, newestOf } as unknown as Generation;
  // Too short a text, so that no text of the corpus is compared.
  const markdown = links.map((id) => `[A capsule](/capsules/${id}).`).join('\n\n');
  const proposal = CapsuleProposal.parse(capsuleProposal({ markdown }, { derived_from: derivedFrom, cites: ids(20, 'cited') }));
  const examined = await examineCapsule(proposal, generation, '2026-11-22');
  return examined.ok ? examined.value.map(({ message }) => message).filter((message) => /capsules?\b/.test(message)) : [];
}

test('as many links as are allowed are looked up, whatever relations stand beside them', async () => {
  expect(await faultsOf(ids(9, 'linked'))).toEqual([]);
  expect(await faultsOf(ids(40, 'linked'))).toEqual([]);
  expect(await faultsOf([...ids(39, 'linked'), 'lost'])).toEqual(['links to a capsule that is not published']);
  expect(await faultsOf(ids(41, 'linked'))).toEqual(['links to 41 capsules; at most 40 are allowed']);
  expect(await faultsOf(ids(40, 'linked'), ['lost'])).toEqual(['names a capsule that is not published']);
});

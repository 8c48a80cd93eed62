import type { AuthoredCapsule, AuthoredContent } from '../../src/publication/authored-content.ts';
import { SOLD_CAPSULE, soldContent } from '../support/paid-site.ts';
import { buildInTurn, type InMemoryBuild } from '../support/simulated/in-memory-build.ts';

/** Capsules of the first deploy; every one that they refer to is among them. */
const FIRST = [SOLD_CAPSULE.id, 'http-freshness', 'http-cache-validators', 'stemming', 'ndcg', 'minor-units', 'robots-exclusion-protocol'];

const ADDED = ['bm25', 'bm25f'];
let built: Promise<readonly InMemoryBuild[]> | undefined;

/**
 * Deploys of a small publication, oldest first: a beginning, two capsules more, and a revision. Built once a process.
 */
export function deploys(): Promise<readonly InMemoryBuild[]> {
  built ??= build();
  return built;
}

async function build(): Promise<readonly InMemoryBuild[]> {
  const sample = await soldContent();
  const of = (wanted: readonly string[]): AuthoredContent => {
    const capsules = sample.capsules.filter(({ id }) => wanted.includes(id));
    return {
      ...sample,
      publisher: { ...sample.publisher, intake: 'open' },
      capsules: capsules.map((capsule) => withoutStrangers(capsule, wanted)),
    };
  };
  const second = of([...FIRST, ...ADDED]);
  const third = { ...second, capsules: second.capsules.map((capsule) => (capsule.id === 'stemming' ? revised(capsule) : capsule)) };
  return buildInTurn([of(FIRST), second, third]);
}

/** A capsule that refers to nothing outside of a small publication. */
function withoutStrangers(capsule: AuthoredCapsule, present: readonly string[]): AuthoredCapsule {
  const known = (ids: readonly string[]): string[] => ids.filter((id) => present.includes(id));
  const { derived_from, cites, supersedes, ...rest } = capsule.frontMatter;
  const frontMatter = {
    ...rest,
    derived_from: known(derived_from),
    cites: known(cites),
    supersedes: supersedes.filter(({ capsule: id }) => present.includes(id)),
  };
  return { ...capsule, frontMatter, frozen: [] };
}

function revised(capsule: AuthoredCapsule): AuthoredCapsule {
  const { frontMatter, markdown } = capsule;
  return {
    ...capsule,
    frontMatter: { ...frontMatter, version: '9.0.0', updated: '2026-11-20' },
    markdown: markdown.replace(/\n$/, '\n\nA sentence that a revision added about stems.\n'),
    frozen: [{ frontMatter, markdown }],
  };
}

import { beforeAll, describe, expect, it } from 'vitest';
import { makePublication } from '../../../../src/build/content/make-publication.ts';
import { dateHeads } from '../../../../src/build/content/signing.ts';
import { loggedCapsule } from '../../../../src/build/generation/generation.ts';
import { extendLog, type LoggedChange } from '../../../../src/provenance/change-log.ts';
import type { AuthoredContent } from '../../../../src/publication/authored-content.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import type { PublishedCapsule } from '../../../../src/text/publication.ts';
import { sampleContent, withCapsules } from '../../../support/signed-site.ts';

const CAPSULE = 'bm25';
let content: AuthoredContent;

beforeAll(async () => {
  content = withCapsules(await sampleContent(), [CAPSULE, 'bm25f']);
});

function retracted(from: AuthoredContent, date: string | undefined): AuthoredContent {
  const capsules = from.capsules.map((capsule) => {
    if (capsule.id !== CAPSULE || date === undefined) return capsule;
    return { ...capsule, frontMatter: { ...capsule.frontMatter, retracted: { date, reason: 'It was found to be wrong after all.' } } };
  });
  return { ...from, capsules };
}

async function publish(from: AuthoredContent, past: readonly LoggedChange[]) {
  const capsules = await publishCapsules(from);
  const log = await extendLog(past, capsules.map(loggedCapsule));
  const head = (all: readonly PublishedCapsule[], id: string) => all.find((capsule) => capsule.id === id)?.lineage.head.statement;
  const dated = dateHeads(capsules, log);
  return { log, head: head(dated, CAPSULE), other: head(dated, 'bm25f') };
}

describe('the head of a capsule', () => {
  it('is issued on the day of a change of status, also of one that undoes it', async () => {
    const first = await publish(content, []);
    const withdrawn = await publish(retracted(content, '2026-12-05'), first.log);
    const restored = await publish(content, withdrawn.log);
    expect([first, withdrawn, restored].map(({ head }) => [head?.status, head?.issued])).toEqual([
      ['current', '2026-11-21T00:00:00Z'],
      ['retracted', '2026-12-05T00:00:00Z'],
      ['current', '2026-12-05T00:00:00Z'],
    ]);
    expect(withdrawn.other).toEqual(first.other);
  });

  it('and the manifest are never issued before what they replace', async () => {
    let past: readonly LoggedChange[] = [];
    const issued: string[] = [];
    for (const state of [content, retracted(content, '2026-12-05'), content]) {
      const { publication, log } = await makePublication(state, { mode: 'static', rateLimits: undefined }, { changes: past });
      past = log;
      issued.push(publication.mirror.manifest.statement.issued);
    }
    expect(issued).toEqual(['2026-11-21T00:00:00Z', '2026-12-05T00:00:00Z', '2026-12-05T00:00:00Z']);
  });
});

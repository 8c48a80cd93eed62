import type { Content } from '../authoring/content.ts';
import { publishCapsules } from '../authoring/published-capsules.ts';
import { CAPSULE_WORDS } from '../authoring/check-capsule.ts';
import { makeOffers } from '../catalog/offer.ts';
import type { Publication } from '../documents/publication.ts';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { corpusFacts } from '../gateway/knowledge/corpus-facts.ts';
import { routeTable } from '../routes/table.ts';
import { type BuildSettings, describeDeployment } from './deployment.ts';
import { makeExamples } from './examples.ts';
import { type BuiltGeneration, buildGeneration } from './generation.ts';
import { sitePages } from './site-pages.ts';

/** Content turned into what is published, with the generation that holds it. */
export interface MadePublication {
  readonly publication: Publication;
  readonly generation: BuiltGeneration;
}

/** Turns checked content into a publication. The same content, settings and history give the same result. */
export async function makePublication(
  content: Content,
  settings: BuildSettings,
  history: readonly DeployedGeneration[],
): Promise<MadePublication> {
  const offers = makeOffers(content.offers, content.publisher);
  const deployment = describeDeployment(content.publisher, offers, settings);
  const capsules = await publishCapsules(content);
  const generation = await buildGeneration(capsules, history);
  return {
    generation,
    publication: {
      deployment,
      publisher: content.publisher,
      offers,
      capsules: capsules.map(({ id, metadata, markdown, versions, lineage }) => ({
        id,
        metadata,
        markdown,
        versions,
        lineageText: JSON.stringify(lineage),
      })),
      pages: sitePages(content, offers, routeTable(deployment), settings.mode),
      capsuleWords: CAPSULE_WORDS,
      facts: corpusFacts(generation.version, generation.manifest),
      examples: await makeExamples(generation, deployment),
    },
  };
}

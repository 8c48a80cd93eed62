import type { Content } from '../authoring/content.ts';
import { publishCapsules } from '../authoring/published-capsules.ts';
import { CAPSULE_WORDS } from '../authoring/check-capsule.ts';
import { makeOffers } from '../catalog/offer.ts';
import type { Publication } from '../documents/publication.ts';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { corpusFacts } from '../gateway/knowledge/corpus-facts.ts';
import { routeTable } from '../routes/table.ts';
import { EXACT_BUDGET, readBudget } from '../search/build/layout.ts';
import type { SearchBudget } from '../search/format/section.ts';
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
  const generation = await buildGeneration(capsules, history, chosenBudget(content.publisher.search_reads));
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
      examples: await makeExamples(
        generation,
        capsules.map(({ metadata }) => metadata),
        deployment,
      ),
    },
  };
}

/** What a query may read, if the publisher has chosen it. */
function chosenBudget(reads: number | 'exact' | undefined): SearchBudget | undefined {
  if (reads === undefined) return undefined;
  return reads === 'exact' ? EXACT_BUDGET : readBudget(reads);
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOffers, withTestCheckouts } from '../../src/publication/publish/make-offers.ts';
import { hasPrice } from '../../src/schemas/commerce/currency-and-availability.ts';
import { featuresOf } from '../../src/schemas/feature-switches.ts';
import type { GuideId } from '../../src/schemas/paths.ts';
import { type GuideSource, guideText } from '../../src/site/guides/guide-text.ts';
import { ROOT, TEST_BASE_URL } from './paths.ts';
import { readSample } from './sample-content.ts';

/** What the guides of the sample publication take their values from. */
export async function sampleGuideSource(baseUrl = TEST_BASE_URL): Promise<GuideSource> {
  const content = await readSample({ today: '2026-12-31', baseUrl });
  const [capsule] = content.capsules
    .filter(({ frontMatter }) => frontMatter.access === 'public')
    .map(({ id, frontMatter: { version, tags } }) => ({ id, metadata: { version, tags } }));
  const offers = withTestCheckouts(makeOffers(content.offers, content.publisher, content.deliveries), content.publisher).filter(hasPrice);
  return { publisher: content.publisher, features: featuresOf(content.publisher, offers), capsule, offers };
}

export const guideTemplate = (id: GuideId): Promise<string> => readFile(join(ROOT, `src/site/guides/${id}.md`), 'utf8');

export async function sampleGuide(id: GuideId): Promise<string> {
  return guideText(await guideTemplate(id), await sampleGuideSource());
}

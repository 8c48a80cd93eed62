import type { Deployment } from '../schemas/deployment.ts';
import type { Content } from './authored-content.ts';
import { freePart, payableContent } from './capsules/paid-capsules.ts';
import { publishCapsules } from './capsules/published-capsules.ts';
import { listOffers, makeOffers } from './offers/make-offers.ts';
import type { PageContent } from './publication.ts';

/** The part of checked content that its pages show. */
export async function pageContent(authored: Content, mode: Deployment['mode']): Promise<PageContent> {
  const content = payableContent(authored, mode);
  const { publisher, interfaceLanguage, offers, deliveries, pages } = content;
  return {
    publisher,
    interfaceLanguage,
    capsules: (await publishCapsules(content)).map(freePart),
    ...listOffers(makeOffers(offers, publisher, deliveries)),
    publisherPages: pages,
  };
}

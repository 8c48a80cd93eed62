import { type Deployment, LOCAL_BASE_URL } from '../schemas/deployment.ts';
import { freePart, payableContent } from './capsules/paid-capsules.ts';
import { publishCapsules } from './capsules/published-capsules.ts';
import type { AuthoredDoc, Content } from './content.ts';
import { makeOffers } from './offers/make-offers.ts';
import type { PageContent } from './publication.ts';

/** What the pages of checked content show; paid capsules are part of it only where they can be paid. */
export async function pageContent(authored: Content, mode: Deployment['mode']): Promise<PageContent> {
  const content = payableContent(authored, mode);
  const { publisher, offers, deliveries, decisions } = content;
  return {
    publisher,
    capsules: (await publishCapsules(content)).map(freePart),
    offers: makeOffers(offers, publisher, deliveries),
    docs: publishedDocs(content, mode),
    decisions,
  };
}

/** Guides that hold in a deployment; where their source names a local service, they name the address of the site. */
export function publishedDocs({ docs, publisher }: Content, mode: Deployment['mode']): AuthoredDoc[] {
  return docs
    .filter(({ frontMatter }) => mode === 'edge' || !frontMatter.edge)
    .map((doc) => ({ ...doc, markdown: doc.markdown.replaceAll(LOCAL_BASE_URL, publisher.base_url) }));
}

import type { Content } from '../publication/content.ts';
import { catalogUpdated } from '../gateway/commerce/catalog/catalog-document.ts';
import type { Offer } from '../schemas/commerce/offers.ts';
import type { DocumentPage } from '../publication/publication.ts';
import { ERRORS, type ErrorCode } from '../gateway/errors.ts';
import type { Route } from '../http/define-route.ts';
import { buyPath, decisionPath, docPath, operationPath, PATHS, problemPath } from '../schemas/paths.ts';

/** Pages of the site besides the capsules, for sitemaps and lists of pages. */
export function sitePages(content: Content, offers: readonly Offer[], table: readonly Route[], mode: 'static' | 'edge'): DocumentPage[] {
  const { publisher, docs, decisions, capsules } = content;
  const newest =
    capsules
      .map(({ frontMatter }) => frontMatter.updated)
      .sort()
      .at(-1) ?? publisher.updated;
  const catalogDay = catalogUpdated(offers, publisher);
  const page = (path: string, title: string, description: string, updated: string): DocumentPage => ({ path, title, description, updated });
  return [
    page(PATHS.home, publisher.name, publisher.tagline, newest),
    page(PATHS.capsules, 'Capsules', 'Every capsule, by subject.', newest),
    page(PATHS.buy, 'Offers', 'What can be bought here, compared.', catalogDay),
    page(PATHS.pricing, 'Prices', 'All prices on one page.', catalogDay),
    ...offers.map((offer) => page(buyPath(offer.id), offer.name, offer.summary, offer.updated)),
    page(PATHS.docs, 'Documentation', 'Guides and reference for agents and their authors.', newest),
    ...docs
      .filter(({ frontMatter }) => mode === 'edge' || !frontMatter.edge)
      .map(({ id, frontMatter }) =>
        page(frontMatter.section === 'policy' ? `/${id}` : docPath(id), frontMatter.title, frontMatter.description, frontMatter.updated),
      ),
    ...(mode === 'edge' ? operationPages(table, newest) : []),
    page(
      PATHS.decisions,
      'Decisions',
      'Why the software is as it is.',
      decisions
        .map(({ frontMatter }) => frontMatter.date)
        .sort()
        .at(-1) ?? newest,
    ),
    ...decisions.map(({ id, frontMatter }) =>
      page(decisionPath(id), frontMatter.title, `Decision of ${frontMatter.date}: ${frontMatter.title}.`, frontMatter.date),
    ),
    page(PATHS.changelog, 'Changelog', 'What changed in the software.', newest),
    page(PATHS.promises, 'Promises', 'What is promised here, and how to check it.', newest),
    page(PATHS.status, 'Status', 'What is published and whether it works.', newest),
  ];
}

function operationPages(table: readonly Route[], updated: string): DocumentPage[] {
  return [
    { path: PATHS.api, title: 'API', description: 'Every operation, with request and answer.', updated },
    ...table.map(({ id, summary, description }) => ({ path: operationPath(id), title: summary, description, updated })),
    { path: PATHS.problems, title: 'Errors', description: 'Every error code and its cure.', updated },
    ...(Object.keys(ERRORS) as ErrorCode[]).map((code) => ({
      path: problemPath(code),
      title: ERRORS[code].title,
      description: ERRORS[code].explanation,
      updated,
    })),
  ];
}

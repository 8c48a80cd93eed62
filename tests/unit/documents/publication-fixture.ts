import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { interfaceLanguage } from '../../../src/publication/read/strings-file.ts';
import { EMPTY_LEDGER } from '../../../src/publication/read/version-ledger.ts';
import { OfferFrontMatter } from '../../../src/schemas/commerce/offers.ts';
import { type Deployment, POLICY_PAGES } from '../../../src/schemas/deployment.ts';
import { CapsuleFrontMatter } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { PageFrontMatter, Publisher } from '../../../src/schemas/publisher.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { ROOT } from '../../support/paths.ts';
import { makePublication } from '../../support/sample-content.ts';
import { realContent } from '../gateway/real-generation.ts';

type Mode = Deployment['mode'];

const WRITTEN = parse(await readFile(join(ROOT, 'tests/data/small-publication.yaml'), 'utf8')) as {
  readonly publisher: object;
  readonly capsule: object;
  readonly markdown: string;
  readonly capsules: Readonly<Record<string, object>>;
  readonly offer: object;
  readonly offers: Readonly<Record<string, object>>;
};
const publisher = Publisher.parse(WRITTEN.publisher);
const frontMatter = (more: object): CapsuleFrontMatter => CapsuleFrontMatter.parse({ ...WRITTEN.capsule, ...more });
const file = (folder: string, id: string, markdown = 'Text.\n') => ({ id, bodyLine: 1, file: `content/${folder}/${id}.md`, markdown });

const smallContent: AuthoredContent = {
  publisher,
  interfaceLanguage: interfaceLanguage('en'),
  keys: [],
  capsules: Object.entries(WRITTEN.capsules).map(([id, fields]) => ({
    ...file('capsules', id, WRITTEN.markdown),
    frontMatter: frontMatter(fields),
    frozen: id === 'http-cache' ? [{ frontMatter: frontMatter({}), markdown: 'The first text.\n' }] : [],
  })),
  offers: Object.entries(WRITTEN.offers).map(([id, fields]) => ({
    ...file('offers', id),
    frontMatter: OfferFrontMatter.parse({ ...WRITTEN.offer, ...fields }),
  })),
  pages: POLICY_PAGES.map((id) => ({
    ...file('pages', id),
    frontMatter: PageFrontMatter.parse({ title: `Page ${id}`, description: `What stands at ${id}.`, updated: '2026-11-20' }),
  })),
  deliveries: new Map(),
  media: [],
  ledger: EMPTY_LEDGER,
  draftCount: 0,
};

/** Three capsules, one of each state and one with two versions, and two offers. */
export const smallPublication = (mode: Mode): Promise<Publication> => publicationOf(smallContent, mode);

export function smallPublicationWith(settings: Partial<Publisher>, mode: Mode, isSelling = true): Promise<Publication> {
  const lists = isSelling ? publisher.offers : { order: [] };
  const content = {
    ...smallContent,
    publisher: { ...publisher, offers: lists, ...settings },
    offers: isSelling ? smallContent.offers : [],
  };
  return publicationOf(content, mode);
}

/** What stands in `content/`; ask for it outside of tests, whose time is limited. */
export const realPublication = async (mode: Mode): Promise<Publication> => publicationOf(await realContent(), mode);

/** Publications of these tests by their content and settings: many tests of a file ask for the same one. */
const publications = new Map<string, Promise<Publication>>();

function publicationOf(content: AuthoredContent, mode: Mode): Promise<Publication> {
  const name = JSON.stringify([content.publisher, content.offers.length, mode]);
  const made = publications.get(name) ?? makePublication(content, { mode, rateLimits: undefined }).then(({ publication }) => publication);
  publications.set(name, made);
  return made;
}

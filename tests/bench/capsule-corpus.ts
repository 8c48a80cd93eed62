import type { AuthoredCapsule, AuthoredContent } from '../../src/publication/authored-content.ts';
import { interfaceLanguage } from '../../src/publication/read/strings-file.ts';
import { EMPTY_LEDGER } from '../../src/publication/read/version-ledger.ts';
import { CapsuleFrontMatter } from '../../src/schemas/knowledge/capsule-front-matter.ts';
import { Publisher } from '../../src/schemas/publisher.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';
import { below, oneOf, type Random, seededRandom } from '../eval/random.ts';
import { syntheticDocuments } from './synthetic-corpus.ts';

const RELATED_SHARE = 3;

const PUBLISHER = Publisher.parse({
  name: 'Synthetic',
  tagline: 'Synthetic capsules for benchmarks',
  description: 'A publication of capsules with invented words and relations among them, for benchmarks and tests.',
  base_url: 'https://synthetic.example',
  issuer: 'did:web:synthetic.example',
  checkout_host: 'https://checkout.example',
  contact_email: 'desk@synthetic.example',
  currency: 'USD',
  license: 'CC-BY-4.0',
  offers: { order: ['none'], recommended_first: 'none', recommended_quick: 'none', fast_paid_starts: ['none'] },
  updated: '2026-11-21',
});

export function contentOf(capsules: readonly AuthoredCapsule[]): AuthoredContent {
  const sorted = [...capsules].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    publisher: PUBLISHER,
    interfaceLanguage: interfaceLanguage('en'),
    keys: [],
    capsules: sorted,
    offers: [],
    deliveries: new Map(),
    media: [],
    pages: [],
    ledger: EMPTY_LEDGER,
    draftCount: 0,
  };
}

/**
 * Capsules like those of a grown publication: a third derives from one or two others or cites them, preferably frequently referenced ones.
 * The same count and seed give the same capsules.
 */
export function syntheticCapsules(count: number, seed: number): AuthoredCapsule[] {
  const random = seededRandom(seed);
  const ids: string[] = [];
  const popular: string[] = [];
  const capsules: AuthoredCapsule[] = [];
  for (const document of syntheticDocuments(count, seed)) {
    const related = ids.length > 2 && below(random, RELATED_SHARE) === 0 ? drawRelated(random, ids, popular) : [];
    popular.push(...related);
    capsules.push(syntheticCapsule(document, random, related));
    ids.push(document.id);
  }
  return capsules;
}

export function syntheticCapsule(document: SearchDocument, random: Random, related: readonly string[]): AuthoredCapsule {
  const [one, two] = related;
  const derives = below(random, 2) === 0;
  const paragraphs = document.body.match(/[^.]+\.(?:[^.]+\.)?/g) ?? [document.body];
  const frontMatter = CapsuleFrontMatter.parse({
    title: document.title.slice(0, 110).padEnd(8, '.'),
    summary: document.summary.slice(0, 280).padEnd(60, '.'),
    type: 'reference',
    tags: [...new Set([...document.tags, 'one', 'two'])].slice(0, 6),
    language: document.language,
    version: '1.0.0',
    evidence: 'documented',
    license: 'CC-BY-4.0',
    created: '2026-11-21',
    updated: '2026-11-21',
    derived_from: one !== undefined && derives ? [one] : [],
    cites: [...(one !== undefined && !derives ? [one] : []), ...(two === undefined ? [] : [two])],
    sources: [1, 2].map((number) => ({
      key: `source-${number}`,
      title: `Source ${number} of ${document.id}`,
      url: `https://source.example/${document.id}/${number}`,
      publisher: 'Example press',
      kind: 'documentation',
      retrieved: '2026-11-20',
    })),
  });
  const sections = paragraphs.map((text, at) =>
    at % 4 === 0 ? `## ${document.headings[at / 4] ?? `Part ${at}`}\n\n${text.trim()}` : text.trim(),
  );
  return {
    id: document.id,
    bodyLine: 1,
    file: `content/capsules/${document.id}.md`,
    frontMatter,
    markdown: `${sections.join('\n\n')}\n`,
    frozen: [],
  };
}

function drawRelated(random: Random, ids: readonly string[], popular: readonly string[]): string[] {
  const draw = (): string => oneOf(random, popular.length > 0 && below(random, 3) === 0 ? popular : ids);
  return [...new Set(below(random, 2) === 0 ? [draw()] : [draw(), draw()])];
}

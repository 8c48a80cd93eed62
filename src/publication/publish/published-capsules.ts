import { type Neighbourhood, pageOfNeighbourhood, type RelationEdge, RelationGraph } from '../../provenance/relation-graph.ts';
import { textPrices } from '../../schemas/commerce/capsule-price.ts';
import { isDemonstration } from '../../schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { CapsuleMetadata, CapsuleState } from '../../schemas/knowledge/capsule.ts';
import type { TextPreview } from '../../schemas/knowledge/generation-manifest.ts';
import { type Lineage, type LineageProof, lineageNode } from '../../schemas/knowledge/lineage.ts';
import { estimateTokens } from '../../schemas/knowledge/token-estimates.ts';
import { languageVersionsIn } from '../../schemas/knowledge/translations.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsulePath, PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { SectionAnchor } from '../../text/markdown/heading-anchors.ts';
import { countWords, headingsOf, isPreviewEnd } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { rewriteLinks, type TextReferences } from '../../text/markdown/resolve-links.ts';
import type { FreeCapsule, FreeVersion, PublishedCapsule, PublishedVersion } from '../../text/publication-model.ts';
import type { AuthoredCapsule, AuthoredContent, AuthoredVersion } from '../authored-content.ts';
import { capsuleResults, formerLineages, lineageProof, recordsOf } from './lineage-proof.ts';

export async function publishCapsules(content: AuthoredContent): Promise<PublishedCapsule[]> {
  const authored = new Map(content.capsules.map((capsule) => [capsule.id, capsule]));
  // A published text may name a capsule that was taken down.
  const graph = new RelationGraph(
    content.capsules.flatMap(({ id, frontMatter }) => edgesOf(id, frontMatter)).filter(({ to }) => authored.has(to)),
  );
  const { publisher } = content;
  const languages = languageVersionsIn(
    content.capsules.map(({ id, frontMatter }) => ({ ...frontMatter, id })),
    capsulePath,
  );
  const drafts = await Promise.all(
    content.capsules.map(async (capsule) => {
      const state = stateOf(capsule, authored, graph);
      const others = (languages.get(capsule.id) ?? []).filter(({ id }) => id !== capsule.id);
      const translations = others.map(({ id, language }) => ({ capsule_id: id, language }));
      const inputs = [publisher.issuer, publisher.name, ...Object.values(state), JSON.stringify(translations)];
      const { versions, proof } = await recorded(capsule, inputs, () => makeRecords(capsule, state, translations, publisher));
      return { capsule, versions, proof, former: await formerLineages(capsule, content) };
    }),
  );
  const current = new Map(drafts.map(({ capsule, versions }) => [capsule.id, versions.at(-1) as PublishedVersion]));
  return drafts.map(({ capsule: { id, frontMatter, references, sections }, versions, proof, former }) => {
    const newest = versions.at(-1) as PublishedVersion;
    const relatives = graph.around(id, LIMITS.lineageMaxDepth, LIMITS.lineageMaxRelatives);
    return {
      id,
      ...newest,
      versions,
      lineage: {
        $schema: PATHS.lineageSchema,
        ...proof,
        ...(former.length === 0 ? {} : { formerly: former }),
        graph: firstPage(relatives, current),
      },
      relatives,
      degree: graph.degree(id),
      ...(references ? { references } : {}),
      ...(sections ? { sections } : {}),
      ...(newest.metadata.access === 'paid' ? { preview: previewOf(newest, frontMatter.preview, references, sections) } : {}),
    };
  });
}

/** What is free of a text that is sold: the preview of its front matter or what stands before the line `<!-- paid -->`, and its headings. */
function previewOf(
  { markdown }: PublishedVersion,
  written: string | undefined,
  references: TextReferences | undefined,
  sections: readonly SectionAnchor[] = [],
): TextPreview {
  const { children, ...root } = parseText(markdown);
  const end = written === undefined ? children.findIndex(isPreviewEnd) : -1;
  const shown = written ?? (end === -1 ? undefined : markdown.slice(0, children[end]?.position?.start.offset));
  const headings = headingsOf({ ...root, children: children.slice(end + 1) }).map(({ text }) => text.replaceAll(/\s+/g, ' '));
  return {
    ...(shown === undefined ? {} : { markdown: rewriteLinks(shown, references) }),
    sections: sections.length,
    ...(headings.length === 0 ? {} : { headings }),
  };
}

/** The first page of a graph. Texts match their records, because the records were just made from them. */
function firstPage(relatives: Neighbourhood, current: ReadonlyMap<string, PublishedVersion>): Lineage['graph'] {
  const { nodes, edges, total, truncated } = pageOfNeighbourhood(relatives, 0, LIMITS.lineageMaxNodes);
  return {
    nodes: nodes.flatMap(({ id, distance }) => {
      const node = current.get(id)?.metadata;
      return node ? [lineageNode(node, distance, true)] : [];
    }),
    edges: [...edges],
    total,
    truncated: truncated || relatives.truncated,
    next_cursor: null,
  };
}

function edgesOf(id: string, relations: Pick<AuthoredVersion['frontMatter'], 'derived_from' | 'cites' | 'supersedes'>): RelationEdge[] {
  return [
    ...relations.derived_from.map((to): RelationEdge => ({ from: id, to, relation: 'derived_from' })),
    ...relations.supersedes.map(({ capsule }): RelationEdge => ({ from: id, to: capsule, relation: 'supersedes' })),
    ...relations.cites.map((to): RelationEdge => ({ from: id, to, relation: 'cites' })),
  ];
}

const recorded = capsuleResults<ReturnType<typeof makeRecords>>();

async function makeRecords(
  capsule: AuthoredCapsule,
  state: CapsuleState,
  translations: NonNullable<CapsuleMetadata['translations']>,
  publisher: AuthoredContent['publisher'],
): Promise<{ readonly versions: readonly PublishedVersion[]; readonly proof: LineageProof }> {
  // Like access, the current file decides it for all versions.
  const { translation_of } = capsule.frontMatter;
  const chain = await recordsOf(capsule, publisher);
  const entries = chain.map(({ record, recordDigest }) => ({
    version: record.version,
    issued: record.issued.slice(0, 'YYYY-MM-DD'.length),
    content_sha256: record.digest['sha-256'],
    record_digest: recordDigest,
  }));
  const versions = [...capsule.frozen, capsule].map(({ frontMatter, markdown, words }, index): PublishedVersion => {
    const entry = entries[index] as (typeof entries)[number];
    return {
      markdown,
      metadata: {
        capsule_id: capsule.id,
        version: entry.version,
        title: frontMatter.title,
        summary: frontMatter.summary,
        type: frontMatter.type,
        tags: frontMatter.tags,
        language: frontMatter.language,
        ...(translation_of === undefined ? {} : { translation_of }),
        license: frontMatter.license,
        evidence: frontMatter.evidence,
        ...state,
        ...priceOf(capsule),
        created: frontMatter.created,
        updated: frontMatter.updated,
        words: words ?? countWords(parseText(markdown)),
        tokens: estimateTokens(markdown),
        content_sha256: entry.content_sha256,
        sources: frontMatter.sources,
        ...(frontMatter.questions.length === 0 ? {} : { questions: frontMatter.questions }),
        derived_from: frontMatter.derived_from,
        cites: frontMatter.cites,
        supersedes: frontMatter.supersedes.map(({ capsule: capsule_id, reason }) => ({ capsule_id, reason })),
        ...(translations.length === 0 ? {} : { translations }),
        versions: entries,
      },
    };
  });
  return { versions, proof: lineageProof(chain, (versions.at(-1) as PublishedVersion).metadata, publisher) };
}

function priceOf({ frontMatter: { access, price_usd, prices } }: AuthoredCapsule): Pick<CapsuleMetadata, 'access' | 'price' | 'prices'> {
  return access === 'paid' ? { access, ...textPrices(price_usd, prices) } : { access };
}

function stateOf(capsule: AuthoredCapsule, authored: ReadonlyMap<string, AuthoredCapsule>, graph: RelationGraph): CapsuleState {
  const superseding = graph.supersededBy(capsule.id);
  const successor = superseding === undefined ? undefined : authored.get(superseding);
  const retracted = capsule.frontMatter.retracted;
  const superseded_by = successor === undefined ? {} : { superseded_by: successor.id };
  if (retracted) return { status: 'retracted', status_reason: retracted.reason, status_date: retracted.date, ...superseded_by };
  if (successor === undefined) return { status: 'current' };
  const reasonIn = ({ frontMatter }: AuthoredVersion): string | undefined =>
    frontMatter.supersedes.find((entry) => entry.capsule === capsule.id)?.reason;
  const first = [...successor.frozen, successor].find((version) => reasonIn(version) !== undefined) ?? successor;
  const reason = reasonIn(successor);
  return {
    status: 'superseded',
    ...(reason === undefined ? {} : { status_reason: reason }),
    status_date: first.frontMatter.updated,
    ...superseded_by,
  };
}

/** How paid capsules are paid in a build; `undefined` if they cannot be, without functions or without payment settings. */
export function paymentsIn({ payments }: Publisher, mode: Deployment['mode']): Publisher['payments'] {
  return mode === 'edge' ? payments : undefined;
}

/** The content that a build publishes: paid capsules only where they can be paid, and a demonstration of payments only where something is paid. */
export function payableContent(content: AuthoredContent, mode: Deployment['mode']): AuthoredContent {
  const payments = paymentsIn(content.publisher, mode);
  const open = content.capsules.filter(({ frontMatter }) => frontMatter.access === 'public');
  if (payments === undefined) return { ...content, capsules: open };
  if (!isDemonstration(payments.stripe_profile) || open.length < content.capsules.length) return content;
  const { payments: _demo, ...publisher } = content.publisher;
  return { ...content, publisher };
}

export function contentLine(content: AuthoredContent, mode: Deployment['mode']): string {
  const { capsules, offers, pages, draftCount } = content;
  const published = payableContent(content, mode).capsules.length;
  const omitted = capsules.length - published;
  const reason = mode === 'static' ? 'a frontend-only site takes no payments' : 'content/publisher.yaml has no "payments"';
  const note = omitted === 0 ? '' : `; ${omitted} paid ${omitted === 1 ? 'capsule is' : 'capsules are'} left out: ${reason}`;
  const drafts = draftCount === 0 ? '' : `; ${draftCount} ${draftCount === 1 ? 'draft is' : 'drafts are'} left out`;
  const counts = [counted(published, 'capsule'), counted(offers.length, 'offer'), counted(pages.length, 'page')];
  return `content: ${counts.join(', ')}${note}${drafts}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The part of a capsule for files and pages: everything but texts that are sold. */
export function freePart(capsule: PublishedCapsule): FreeCapsule {
  const { markdown: _text, references, sections, versions, ...rest } = capsule;
  const isFree = capsule.metadata.access === 'public';
  const ofText = { ...(isFree && references ? { references } : {}), ...(isFree && sections ? { sections } : {}) };
  return { ...rest, ...freeVersion(capsule), ...ofText, versions: versions.map(freeVersion) };
}

function freeVersion({ metadata, markdown }: PublishedVersion): FreeVersion {
  return metadata.access === 'public' ? { metadata, markdown } : { metadata };
}

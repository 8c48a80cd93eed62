import { readFile } from 'node:fs/promises';
import { guidesOf } from '../../documents/page-registry.ts';
import { describedErrors, errorPages } from '../../documents/site-pages.ts';
import type { AuthoredPage, Content, PublishedOffer } from '../../publication/authored-content.ts';
import type { PublishedCapsule } from '../../publication/capsules/published-capsules.ts';
import { textBelowTitle } from '../../publication/defaults/title-heading.ts';
import { rewriteLinks } from '../../publication/links/rewrite-links.ts';
import { pagePath } from '../../publication/site-addresses.ts';
import { hasPrice } from '../../schemas/commerce/offers.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { featuresOf } from '../../schemas/features.ts';
import { type SiteText, withoutBaseUrl } from '../../schemas/knowledge/site-texts.ts';
import { buyPath, type GuideId, PATHS, problemPath, siteTextPath } from '../../schemas/paths.ts';
import { corpusOverview } from '../../site/corpus-overview.ts';
import { type GuideSource, guideText } from '../../site/guides/guide-text.ts';

/** What the texts of a site are made from. */
interface SiteTextsSource {
  readonly content: Content;
  /** Offers that are sold. */
  readonly offers: readonly PublishedOffer[];
  readonly deployment: Deployment;
  readonly capsules: readonly PublishedCapsule[];
}

/** A text of a site before it is stored. */
type Text = Omit<SiteText, 'markdownPath'>;

/**
 * What the site says besides its capsules, for searches: guides and the publisher's pages, offers, and errors. A site without functions has
 * no search, and so none of these. Pages that nothing on the site links to stay out.
 */
export async function siteTexts(source: SiteTextsSource): Promise<SiteText[]> {
  const { content, offers, deployment } = source;
  if (deployment.mode === 'static') return [];
  const { publisher, pages } = content;
  const texts: Text[] = [
    ...(await guideTexts(source)),
    ...pages.filter(({ frontMatter }) => frontMatter.navigation !== 'none').map((page) => pageText(page, publisher.language)),
    ...offers.map((offer) => offerText(offer, content)),
    ...errorTexts(source),
  ];
  return texts.map(({ markdown, ...text }) => ({
    ...text,
    markdownPath: siteTextPath(text.kind, text.id),
    markdown: withoutBaseUrl(markdown, publisher.base_url),
  }));
}

/** The guides of the engine about what is switched on. */
async function guideTexts({ content, offers, deployment, capsules }: SiteTextsSource): Promise<Text[]> {
  const { publisher } = content;
  const features = featuresOf(publisher, offers);
  const source: GuideSource = { publisher, features, capsule: corpusOverview(capsules).firstExample, offers: offers.filter(hasPrice) };
  return Promise.all(
    guidesOf(deployment.mode, features).map(async ({ id, path, title, description }): Promise<Text> => {
      const markdown = `# ${title}\n\n${guideText(await guideTemplate(id), source)}`;
      return { kind: 'guide', id: path.slice(1), title, summary: description, language: 'en', updated: publisher.updated, path, markdown };
    }),
  );
}

function guideTemplate(id: GuideId): Promise<string> {
  return readFile(new URL(`../../site/guides/${id}.md`, import.meta.url), 'utf8');
}

function pageText({ id, frontMatter, markdown, references }: AuthoredPage, language: string): Text {
  const { title, description, updated } = frontMatter;
  const path = pagePath(id);
  const body = rewriteLinks(textBelowTitle(markdown, title).markdown, references);
  return { kind: 'guide', id, title, summary: description, language, updated, path, markdown: `# ${title}\n\n${body}` };
}

/** An offer without its price, which only the catalog states. */
function offerText(offer: PublishedOffer, { publisher, interfaceLanguage }: Content): Text {
  const { id, name, summary, features, markdown, references, delivery, refund, updated } = offer;
  const words = interfaceLanguage.strings.offers;
  const sections = [
    `# ${name}`,
    summary,
    features.map((feature) => `- ${feature}`).join('\n'),
    rewriteLinks(textBelowTitle(markdown, name).markdown, references).trim(),
    delivery === undefined ? '' : `## ${words.delivery}\n\n${delivery}`,
    refund === undefined ? '' : `## ${words.refund}\n\n${refund}`,
    `## ${words.price}\n\n${publisher.base_url}${hasPrice(offer) ? PATHS.offersJson : buyPath(id)}`,
  ];
  const text = `${sections.filter((section) => section !== '').join('\n\n')}\n`;
  return { kind: 'offer', id, title: name, summary, language: publisher.language, updated, path: buyPath(id), markdown: text };
}

function errorTexts({ content: { publisher }, offers, deployment }: SiteTextsSource): Text[] {
  const described: readonly string[] = describedErrors(deployment, featuresOf(publisher, offers));
  return errorPages()
    .filter(({ code }) => described.includes(code))
    .map(({ code, status, title, explanation, retry, nextActions }): Text => {
      const steps = nextActions.map(
        ({ description, method, path }, at) => `${at + 1}. ${description}${path === undefined ? '' : ` \`${method} ${path}\``}`,
      );
      const markdown = `# ${title}\n\nError code \`${code}\`, HTTP status ${status}.\n\n${explanation}\n\n${retry}\n\n## What to do\n\n${steps.join('\n')}\n`;
      return {
        kind: 'error',
        id: code,
        // The code is what is asked for.
        title: `${title} (${code})`,
        summary: explanation,
        language: 'en',
        updated: publisher.updated,
        path: problemPath(code),
        markdown,
      };
    });
}

import type { OfferFrontMatter, WrittenOffer } from '../schemas/commerce/offers.ts';
import { DEFAULT_EDITORIAL, draftEditorial, type Editorial } from '../schemas/editorial-rules.ts';
import type { WrittenCapsule } from '../schemas/knowledge/capsule-front-matter.ts';
import { allSections, type Section } from '../schemas/knowledge/sections.ts';
import { NO_LICENSE } from '../schemas/license.ts';
import { buyPath, capsulePath, sectionPath } from '../schemas/paths.ts';
import type { Publisher, WrittenPage } from '../schemas/publisher.ts';
import { checkFields, type FieldRules, levelOf } from '../text/check/check-text.ts';
import type { AuthoredText } from '../text/publication-model.ts';
import type { AuthoredCapsule, AuthoredContent, AuthoredVersion } from './authored-content.ts';
import { checkCapsule, checkLineage, checkTranslations, type Relations } from './check/check-capsules.ts';
import { checkSiteLinks, missingPath } from './check/check-look-and-theme.ts';
import {
  checkOfferSettings,
  checkOffers,
  checkPublishedOffers,
  missingPolicyPages,
  offerFieldRules,
  readDeliveries,
  validDeliveries,
} from './check/check-offers.ts';
import {
  type ContentProblem,
  type FieldFinding,
  type FileFinding,
  fieldProblem,
  fileProblem,
  isWarning,
  sortProblems,
} from './content-problem.ts';
import { capsuleCompletion, completeOffer, completePage, misspelledType } from './defaults/complete-front-matter.ts';
import { readFrozenVersions } from './frozen-versions.ts';
import { type FileDates, textDates } from './git-history.ts';
import { withPublishedTags } from './publish/lineage-proof.ts';
import { misplacedTexts } from './read/content-files.ts';
import { readKeys } from './read/read-keys.ts';
import { validFields } from './read/read-text-file.ts';
import { type ReadingSources, readTexts, type TextFile, type TextFolder } from './read/read-text-folder.ts';
import { readStrings } from './read/strings-file.ts';
import { type PublishedLedger, readLedger } from './read/version-ledger.ts';
import { PUBLISHER_FILE, type PublisherOverrides, readPublisher } from './read-publisher.ts';
import { checkFurtherAddresses, checkIds, presentIds } from './resolve/capsule-ids.ts';
import { checkTexts, readReferences } from './resolve/links-and-references.ts';
import { namesOfTags, readExpansions, readIncidents, readSections, readSubjects } from './resolve/sections-subjects-incidents.ts';
import {
  type CheckedText,
  checkedTexts,
  pagePath,
  RESERVED_PAGE_IDS,
  type SiteAddresses,
  siteAddresses,
} from './resolve/site-addresses.ts';

export interface ReadOptions extends PublisherOverrides, ReadingSources {
  /** Today in UTC, `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  /** Whether drafts are part of the content, for a preview; a build never publishes them. */
  readonly withDrafts?: boolean;
}

type ReadOutcome =
  | { readonly content: AuthoredContent; readonly problems: readonly []; readonly warnings: readonly ContentProblem[] }
  | { readonly content: undefined; readonly problems: readonly ContentProblem[]; readonly warnings: readonly ContentProblem[] };

export async function readContent(root: string, options: ReadOptions): Promise<ReadOutcome> {
  const problems: ContentProblem[] = [];
  const settings = await readSettings(root, options, problems);
  const texts = await readAllTexts(root, options, settings, problems);
  const shown = shownTexts(texts, options.withDrafts === true);
  const presentIdOf = presentIds(texts.capsules.texts.map(({ id, file }) => ({ id, formerly: file.data.formerly })));
  problems.push(
    ...unfilledTemplates(texts, shown),
    ...capsuleProblems(texts, settings, options.today),
    ...lineageProblems(texts, settings, presentIdOf),
    ...fieldProblems(texts, settings),
    ...pageTranslationProblems(texts, settings),
  );
  const named = knownCapsules(texts, shown, presentIdOf);
  const sections = await readSections(root, named, problems);
  const tagsOf = new Map(texts.capsules.texts.map(({ id, file }) => [id, file.data.tags]));
  const subjects = { ...namesOfTags(writtenTags(shown)), ...(await readSubjects(root, named, tagsOf, problems)) };
  const expansions = await readExpansions(root, named, problems);
  const incidents = await readIncidents(root, options.today, problems);
  const checked = checkedTexts(texts);
  const site = addressesOf(root, texts, shown, settings, checked, presentIdOf, sections);
  problems.push(
    ...findingsIn(
      texts.capsules.texts,
      checkFurtherAddresses(
        texts.capsules.texts.map(({ id, file }) => ({ id, path: file.data.path })),
        (path) => site.exists(path, true),
      ),
    ),
    ...checkTexts(root, checked, site, settings.editorial),
  );
  const deliveries = await deliveredFiles(root, texts, shown, settings);
  problems.push(
    ...siteLinkProblems(root, texts, site, settings),
    ...deliveries.problems,
    ...offerProblems(texts, shown, settings, options.today),
  );
  const references = await readReferences(
    root,
    [...texts.capsules.texts, ...texts.offers.texts, ...texts.pages.texts].map(({ path, file: { data, bodyLine, lineOf }, reading }) => ({
      path,
      parts: reading.references,
      bodyLine,
      picture: 'image' in data && data.image ? { file: data.image.file, line: lineOf(['image', 'file']) } : undefined,
    })),
    new Map([...site.open, ...site.paid]),
    levelOf(settings.editorial.broken_links),
  );
  problems.push(...references.problems);
  const warnings = sortProblems(problems.filter(isWarning));
  const errors = sortProblems(problems.filter((problem) => !isWarning(problem)));
  if (errors.length > 0 || settings.publisher === undefined) return { content: undefined, problems: errors, warnings };
  const content: AuthoredContent = {
    publisher: settings.publisher.data,
    interfaceLanguage: settings.interfaceLanguage,
    keys: settings.keys,
    ledger: settings.ledger,
    capsules: await publishedCapsules(
      authored(shown.capsules, references),
      texts.frozen.byCapsule,
      settings.publisher.data,
      settings.ledger,
    ),
    offers: authored(shown.offers, references),
    deliveries: deliveries.files,
    pages: authored(texts.pages.texts, references),
    media: references.media,
    ...(sections.length === 0 ? {} : { sections }),
    ...(Object.keys(subjects).length === 0 ? {} : { subjects }),
    ...(incidents.length === 0 ? {} : { incidents }),
    ...(expansions.size === 0 ? {} : { expansions }),
    draftCount: [...texts.capsules.texts, ...texts.offers.texts].filter(({ file }) => file.data.draft).length,
  };
  return { content, problems: [], warnings };
}

function publishedCapsules(
  capsules: readonly Omit<AuthoredCapsule, 'frozen'>[],
  frozen: ReadonlyMap<string, readonly AuthoredVersion[]>,
  publisher: Publisher,
  ledger: PublishedLedger,
): Promise<AuthoredCapsule[]> {
  return Promise.all(
    capsules.map(async (capsule) => {
      const { id, frontMatter } = capsule;
      const earlier = frozen.get(id) ?? [];
      const versions = await withPublishedTags([id, ...frontMatter.formerly], [...earlier, capsule], publisher, ledger);
      return { ...capsule, ...versions.at(-1), frozen: versions.slice(0, -1) };
    }),
  );
}

function writtenTags({ capsules }: ShownTexts): string[] {
  return capsules.flatMap(({ reading }) => (reading.frontMatter?.data as WrittenCapsule | undefined)?.tags ?? []);
}

async function readSettings(root: string, options: ReadOptions, problems: ContentProblem[]) {
  const publisher = await readPublisher(root, options, problems);
  const editorial = publisher?.data.editorial ?? DEFAULT_EDITORIAL;
  const interfaceLanguage = await readStrings(root, publisher?.data.language ?? 'en', problems);
  const keys = await readKeys(root, options.today, problems);
  const { ledger, problems: ofLedger } = await readLedger(root);
  problems.push(...ofLedger);
  return { publisher, editorial, ofDrafts: draftEditorial(editorial), interfaceLanguage, keys, ledger };
}

/** `publisher` is undefined if publisher.yaml cannot be used; `editorial` are the house rules for texts that are published. */
type Settings = Awaited<ReturnType<typeof readSettings>>;

async function readAllTexts(root: string, options: ReadOptions, { publisher, editorial, ledger }: Settings, problems: ContentProblem[]) {
  const { today, memory, cache, onProgress } = options;
  const defaults = publisher?.data ?? { language: 'en', license: NO_LICENSE };
  const dates = textDates(root, ledger, memory);
  // The file of a text that states its last change is not looked at.
  const fileDates = async (path: string, { updated }: { readonly updated?: string | undefined }): Promise<FileDates> =>
    updated === undefined ? dates.ofFile(path) : { created: updated, updated };
  const settings = JSON.stringify([editorial, defaults, publisher?.data.offers, ledger.versions.size, today]);
  const complete = capsuleCompletion(dates, defaults, today);
  const form = { ...options, editorial, settings };
  const capsules = await readTexts(root, 'content/capsules', { ...form, kind: 'capsule', skip: ['versions'], complete });
  const offers = await readTexts(root, 'content/offers', {
    ...form,
    kind: 'offer',
    complete: async (written: WrittenOffer, path, _id, text) => ({
      data: completeOffer(written, { path, text, dates: await fileDates(path, written), today }, publisher?.data.offers ?? {}),
      findings: [],
    }),
  });
  const pages = await readTexts(root, 'content/pages', {
    ...form,
    kind: 'page',
    complete: async (written: WrittenPage, path, _id, text) =>
      completePage(written, { path, text, dates: await fileDates(path, written), today }),
  });
  const frozen = await readFrozenVersions(root, complete, editorial, { memory, cache, onProgress });
  for (const folder of [capsules, offers, pages, frozen]) problems.push(...folder.problems);
  problems.push(...(await misplacedTexts(root)));
  return { capsules, offers, pages, frozen };
}

type Texts = Awaited<ReturnType<typeof readAllTexts>>;

type ShownTexts = ReturnType<typeof shownTexts>;

function shownTexts({ capsules, offers }: Texts, withDrafts: boolean) {
  const isShown = ({ file }: TextFile<{ readonly draft: boolean }>): boolean => withDrafts || !file.data.draft;
  return { capsules: capsules.texts.filter(isShown), offers: offers.texts.filter(isShown) };
}

function textProblem({ path, file }: Pick<TextFile<unknown>, 'path' | 'file'>, finding: FieldFinding): ContentProblem {
  return fieldProblem(path, file.lineOf, finding);
}

function publisherProblems({ lineOf }: NonNullable<Settings['publisher']>, findings: readonly FieldFinding[]): ContentProblem[] {
  return findings.map((finding) => fieldProblem(PUBLISHER_FILE, lineOf, finding));
}

function unfilledTemplates({ capsules, pages }: Texts, shown: ShownTexts): ContentProblem[] {
  return [
    ...[...shown.capsules, ...shown.offers].filter(({ file }) => !file.data.draft),
    ...capsules.invalid.filter(({ file }) => validFields(file.data).draft === false),
    ...pages.texts,
    ...pages.invalid,
  ].flatMap(({ reading }) => reading.unfilled);
}

function capsuleProblems({ capsules, frozen }: Texts, { editorial, ofDrafts }: Settings, today: string): ContentProblem[] {
  const check = ({ id, path, written }: TextFile<unknown>, file: Parameters<typeof checkCapsule>[1]): ContentProblem[] => {
    const versions = frozen.byCapsule.get(id)?.map(({ frontMatter }) => frontMatter) ?? [];
    return checkCapsule(path, file, {
      today,
      newestFrozen: versions.at(-1)?.version,
      freeVersion: versions.find(({ access }) => access === 'public')?.version,
      editorial: file.data.draft === true ? ofDrafts : editorial,
      written,
    });
  };
  const known = new Set([...capsules.texts.map(({ id }) => id), ...capsules.unread]);
  return [
    ...capsules.texts.flatMap((text) => check(text, text.file)),
    ...capsules.invalid.flatMap((text) =>
      // A field is reported once.
      [
        ...check(text, { ...text.file, data: validFields(text.file.data) }),
        ...misspelledType(text.file.data).map((finding) => textProblem(text, finding)),
      ].filter(({ field }) => !text.problems.some((problem) => problem.field === field)),
    ),
    ...[...frozen.byCapsule.keys()]
      .filter((id) => !known.has(id))
      .map((id) =>
        fileProblem(
          `content/capsules/versions/${id}`,
          `has frozen versions of "${id}", but content/capsules/${id}.md is missing; restore it, and retract the capsule instead of deleting it`,
        ),
      ),
  ];
}

function lineageProblems({ capsules }: Texts, { publisher, ledger }: Settings, presentIdOf: ReadonlyMap<string, string>): ContentProblem[] {
  const relations = [
    ...capsules.texts.map(({ id, file }): [string, Relations] => [id, file.data]),
    ...capsules.invalid.map(({ id, file }): [string, Relations] => [
      id,
      { derived_from: [], cites: [], supersedes: [], ...validFields(file.data) },
    ]),
  ];
  const named = capsules.texts.map(({ id, file }) => ({ id, formerly: file.data.formerly }));
  return findingsIn(
    [...capsules.texts, ...capsules.invalid],
    [
      ...checkIds(named, ledger),
      ...checkLineage({
        capsules: new Map(relations),
        unread: [...capsules.unread, ...ledger.takenDown.keys()],
        presentIdOf,
        wasPublished: (id) => ledger.versions.has(id),
      }),
      ...(isFaulty(publisher, 'language') ? [] : checkTranslations(capsules.texts.map(({ id, file }) => ({ ...file.data, id })))),
    ],
  );
}

function pageTranslationProblems({ pages }: Texts, { publisher }: Settings): ContentProblem[] {
  const ofPublication = publisher?.data.language ?? 'en';
  const texts = pages.texts.map(({ id, file: { data } }) => ({ ...data, id, language: data.language ?? ofPublication }));
  const known = new Set([...idsOf(pages), ...pages.invalid.map(({ id }) => id)]);
  const unknown = texts.flatMap(({ id, translation_of }): FileFinding[] => {
    if (translation_of === undefined || (translation_of !== id && known.has(translation_of))) return [];
    const message =
      translation_of === id
        ? 'names the page itself; delete it'
        : `names the page "${translation_of}", which does not exist; write the name of a file in content/pages without ".md"`;
    return [{ id, path: ['translation_of'], message }];
  });
  return findingsIn(pages.texts, [...unknown, ...(isFaulty(publisher, 'language') ? [] : checkTranslations(texts))]);
}

function findingsIn(texts: readonly TextFile<unknown>[], findings: readonly FileFinding[]): ContentProblem[] {
  const byId = new Map(texts.map((text) => [text.id, text]));
  return findings.flatMap((finding) => {
    const text = byId.get(finding.id);
    return text === undefined ? [] : [textProblem(text, finding)];
  });
}

function fieldProblems({ offers, pages }: Texts, { editorial, ofDrafts }: Settings): ContentProblem[] {
  const check = (text: TextFile<unknown>, rules: FieldRules, levels: Editorial): ContentProblem[] =>
    checkFields(rules, text.written, levels).map((finding) => textProblem(text, finding));
  return [
    ...[...pages.texts, ...pages.invalid]
      .filter(({ id }) => RESERVED_PAGE_IDS.includes(id))
      .map(({ id, path }) => fileProblem(path, `has the id "${id}", and ${pagePath(id)} is the address of another page; rename the file`)),
    ...pages.texts.flatMap((page) => {
      const size = page.file.data.description.length;
      return check(page, { complete: [], sizes: [{ field: 'description', rule: editorial.description_length, size }] }, editorial);
    }),
    ...offers.texts.flatMap((offer) => {
      const levels = offer.file.data.draft ? ofDrafts : editorial;
      return check(offer, offerFieldRules(offer.file.data, levels), levels);
    }),
  ];
}

function knownCapsules({ capsules }: Texts, shown: ShownTexts, presentIdOf: ReadonlyMap<string, string>) {
  const ids = [...capsules.texts, ...capsules.invalid].map(({ id }) => id);
  return { known: new Set([...ids, ...capsules.unread]), shown: shown.capsules.map(({ id }) => id), presentIdOf };
}

function addressesOf(
  root: string,
  { capsules, offers, pages }: Texts,
  shown: ShownTexts,
  { ledger, publisher }: Settings,
  checked: readonly CheckedText[],
  presentIdOf: ReadonlyMap<string, string>,
  sections: readonly Section[],
): SiteAddresses {
  const withPage = [...shown.capsules, ...shown.offers, ...pages.texts, ...capsules.invalid, ...offers.invalid, ...pages.invalid];
  return siteAddresses(root, checked, {
    shown: new Set(withPage.map(({ path }) => path)),
    paid: new Set(shown.capsules.filter(({ file }) => file.data.access === 'paid').map(({ path }) => path)),
    others: [
      ...shown.offers.flatMap(({ file }) => file.data.aliases.map(buyPath)),
      ...[...presentIdOf.keys(), ...ledger.takenDown.keys(), ...capsules.unread].map(capsulePath),
      ...allSections(sections).map(({ section }) => sectionPath(section.id)),
      ...offers.unread.map(buyPath),
      ...pages.unread.map(pagePath),
    ],
    baseUrl: publisher?.data.base_url,
  });
}

function siteLinkProblems(root: string, { pages, offers }: Texts, site: SiteAddresses, { publisher }: Settings): ContentProblem[] {
  const exists = (path: string): boolean => site.exists(path, false);
  const samples = offers.texts.flatMap((offer): ContentProblem[] => {
    const message = missingPath(root, offer.file.data.sample ?? '', exists);
    return message === undefined ? [] : [textProblem(offer, { path: ['sample'], message })];
  });
  if (publisher === undefined) return samples;
  return [...samples, ...publisherProblems(publisher, checkSiteLinks(root, publisher.data, { pages: idsOf(pages), exists }))];
}

function idsOf({ texts, unread }: TextFolder<unknown>): string[] {
  return [...texts.map(({ id }) => id), ...unread];
}

async function deliveredFiles(root: string, { capsules, offers }: Texts, shown: ShownTexts, { publisher }: Settings) {
  const { files, findings } = await readDeliveries(
    root,
    new Map([
      ...offers.texts.map(({ id, file }) => [id, file.data.delivers] as const),
      ...offers.invalid.map(({ id, file }) => [id, validDeliveries(file.data)] as const),
    ]),
    {
      access: new Map(shown.capsules.map(({ id, file }) => [id, file.data.access])),
      paidTags: shown.capsules.flatMap(({ file: { data } }) => (data.access === 'paid' ? [data.tags] : [])),
      unread: new Set(capsules.unread),
      isPaymentOn: isFaulty(publisher, 'payments') || publisher?.data.payments !== undefined,
      isProtocolOn: isFaulty(publisher, 'commerce') || publisher?.data.commerce.acp === true || publisher?.data.commerce.ucp === true,
    },
  );
  return { files, problems: findingsIn([...offers.texts, ...offers.invalid], findings) };
}

function isFaulty(publisher: Settings['publisher'], field: string): boolean {
  return publisher?.invalid.has(field) ?? true;
}

function offerProblems({ offers, pages }: Texts, shown: ShownTexts, { publisher, ledger }: Settings, today: string): ContentProblem[] {
  const { texts, unread } = offers;
  const onSale = texts.filter(({ file }) => !file.data.draft).map(({ id, file }) => ({ id, aliases: file.data.aliases }));
  const idsWhere = (isOne: (offer: OfferFrontMatter) => boolean): Set<string> =>
    new Set(texts.filter(({ file }) => isOne(file.data)).map(({ id }) => id));
  const named = {
    ids: new Set(idsOf(offers)),
    drafts: idsWhere(({ draft }) => draft),
    quoteOnly: idsWhere(({ price }) => price !== undefined),
    discontinued: idsWhere(({ discontinued }) => discontinued !== undefined),
  };
  const plain = texts.map(({ id, file }) => ({ id, frontMatter: file.data }));
  const findings = publisher === undefined ? [] : checkOffers(plain, publisher.data, today);
  const shownOnSale = shown.offers.filter(({ file }) => !file.data.draft).map(({ path }) => path);
  return [
    ...checkPublishedOffers([...onSale, ...unread.map((id) => ({ id, aliases: [] }))], ledger),
    ...missingPolicyPages(shownOnSale, new Set(idsOf(pages))),
    ...(publisher === undefined ? [] : publisherProblems(publisher, checkOfferSettings(publisher.data, named, today))),
    ...findingsIn(
      texts,
      findings.filter(({ path: [field] }) => field !== 'checkout' || !isFaulty(publisher, 'checkout_host')),
    ),
  ];
}

function authored<T>(texts: readonly TextFile<T>[], { byFile }: Awaited<ReturnType<typeof readReferences>>): AuthoredText<T>[] {
  return texts
    .map(({ id, path, file, reading }): AuthoredText<T> => {
      const references = byFile.get(path);
      return {
        id,
        file: path,
        bodyLine: file.bodyLine,
        frontMatter: file.data,
        markdown: file.body,
        words: reading.words,
        ...(references ? { references } : {}),
        ...(reading.sections ? { sections: reading.sections } : {}),
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

import type { WrittenOffer } from '../schemas/commerce/offers.ts';
import { DEFAULT_EDITORIAL, draftEditorial } from '../schemas/editorial.ts';
import { NO_LICENSE } from '../schemas/no-license.ts';
import { buyPath, capsulePath } from '../schemas/paths.ts';
import type { WrittenPage } from '../schemas/publisher.ts';
import { checkSiteLinks } from './appearance/check-look.ts';
import type { AuthoredText, Content } from './authored-content.ts';
import { checkCapsule, checkLineage, validFields } from './capsules/check-capsules.ts';
import { checkIds, presentIds } from './capsules/former-ids.ts';
import { readFrozenVersions } from './capsules/frozen-versions.ts';
import { checkTexts } from './check-texts.ts';
import { strayTexts } from './content-files.ts';
import { type ContentProblem, fileProblem, isWarning, sortProblems } from './content-problem.ts';
import { capsuleCompletion, completePage } from './defaults/complete-front-matter.ts';
import { type FileDates, TextDates } from './defaults/text-dates.ts';
import { checkFields, type FieldRules, levelOf } from './lint/check-text.ts';
import { readReferences } from './media/read-references.ts';
import {
  checkOfferSettings,
  checkOffers,
  checkPublishedOffers,
  completeOffer,
  missingPolicyPages,
  offerFieldRules,
  readDeliveries,
  validDeliveries,
} from './offers/check-offers.ts';
import { readLedger } from './published-ledger.ts';
import { readKeys } from './read-keys.ts';
import { PUBLISHER_FILE, type PublisherOverrides, readPublisher } from './read-publisher.ts';
import type { ReadingSources } from './read-texts.ts';
import { readTexts, type TextFile } from './read-texts.ts';
import { checkedTexts, pagePath, RESERVED_PAGE_IDS, siteAddresses } from './site-addresses.ts';
import { readStrings } from './strings/strings-file.ts';

/** How `content/` is read. */
export interface ReadOptions extends PublisherOverrides, ReadingSources {
  /** Today in UTC, `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  /** Skips the checks of texts, because the caller has just made them. */
  readonly areTextsChecked?: boolean;
  /** Whether drafts are part of the content, for a preview; a build never publishes them. */
  readonly withDrafts?: boolean;
}

/** Content, or every mistake in it, and warnings in any case; both in a fixed order. */
type ReadOutcome =
  | { readonly content: Content; readonly problems: readonly []; readonly warnings: readonly ContentProblem[] }
  | { readonly content: undefined; readonly problems: readonly ContentProblem[]; readonly warnings: readonly ContentProblem[] };

/**
 * Reads and checks everything in `content/`.
 *
 * @param root Folder of the publication.
 */
export async function readContent(root: string, options: ReadOptions): Promise<ReadOutcome> {
  const problems: ContentProblem[] = [];
  const { today } = options;
  const publisher = await readPublisher(root, options, problems);
  const editorial = publisher?.data.editorial ?? DEFAULT_EDITORIAL;
  const ofDrafts = draftEditorial(editorial);
  const defaults = publisher?.data ?? { language: 'en', license: NO_LICENSE };
  const interfaceLanguage = await readStrings(root, publisher?.data.language ?? 'en', problems);
  const keys = await readKeys(root, today, problems);
  const { ledger, problems: ledgerProblems } = await readLedger(root);
  problems.push(...ledgerProblems);
  const { memo, kept } = options;
  const dates = new TextDates(root, ledger, memo);
  // The file of a text that states its last change is not looked at.
  const fileDates = async (path: string, { updated }: { readonly updated?: string | undefined }): Promise<FileDates> =>
    updated === undefined ? dates.ofFile(path) : { created: updated, updated };
  const settings = JSON.stringify([editorial, defaults, publisher?.data.offers, ledger.versions.size, today]);
  const completeOne = capsuleCompletion(dates, defaults, today);
  const form = { ...options, editorial, settings, isChecked: options.areTextsChecked !== true };
  const capsules = await readTexts(root, 'content/capsules', {
    ...form,
    kind: 'capsule',
    skip: ['versions'],
    complete: completeOne,
  });
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
  const frozen = await readFrozenVersions(root, completeOne, editorial, { memo, kept, onProgress: options.onProgress });
  for (const folder of [capsules, offers, pages, frozen]) problems.push(...folder.problems);
  problems.push(...(await strayTexts(root)));
  const named = capsules.texts.map(({ id, file }) => ({ id, formerly: file.data.formerly }));
  const presentIdOf = presentIds(named);

  const isShown = ({ file }: TextFile<{ readonly draft: boolean }>): boolean => options.withDrafts === true || !file.data.draft;
  const published = capsules.texts.filter(isShown);
  const offered = offers.texts.filter(isShown);
  const onSale = offers.texts.filter(({ file }) => !file.data.draft).map(({ id, file }) => ({ id, aliases: file.data.aliases }));
  problems.push(...checkPublishedOffers([...onSale, ...offers.unread.map((id) => ({ id, aliases: [] }))], ledger));
  for (const { file, reading } of [...published, ...offered]) if (!file.data.draft) problems.push(...reading.unfilled);
  for (const { reading } of [...pages.texts, ...pages.faulty]) problems.push(...reading.unfilled);

  const checkOneCapsule = ({ id, path, written }: TextFile<unknown>, file: Parameters<typeof checkCapsule>[1]): ContentProblem[] => {
    const versions = frozen.byCapsule.get(id)?.map(({ frontMatter }) => frontMatter) ?? [];
    return checkCapsule(path, file, {
      today,
      newestFrozen: versions.at(-1)?.version,
      freeVersion: versions.find(({ access }) => access === 'public')?.version,
      editorial: file.data.draft === true ? ofDrafts : editorial,
      written,
    });
  };
  for (const text of capsules.texts) problems.push(...checkOneCapsule(text, text.file));
  for (const text of capsules.faulty) {
    const data = validFields(text.file.data);
    const found = checkOneCapsule(text, { ...text.file, data });
    // A field is reported once.
    problems.push(...found.filter(({ field }) => !text.problems.some((problem) => problem.field === field)));
    if (data.draft === false) problems.push(...text.reading.unfilled);
  }
  const byCapsuleId = new Map(capsules.texts.map((text) => [text.id, text]));
  for (const id of frozen.byCapsule.keys()) {
    if (!byCapsuleId.has(id) && !capsules.unread.includes(id))
      problems.push(
        fileProblem(
          `content/capsules/versions/${id}`,
          `has frozen versions of "${id}", but content/capsules/${id}.md is missing; restore it, and retract the capsule instead of deleting it`,
        ),
      );
  }
  const lineage = [
    ...checkIds(named, ledger),
    ...checkLineage(
      new Map(capsules.texts.map(({ id, file }) => [id, file.data])),
      [...capsules.unread, ...ledger.takenDown.keys()],
      presentIdOf,
      (id) => ledger.versions.has(id),
    ),
  ];
  for (const { id, path, message } of lineage) {
    const capsule = byCapsuleId.get(id);
    if (capsule)
      problems.push({
        file: capsule.path,
        line: capsule.file.lineOf(path),
        field: path.filter((part) => typeof part === 'string').join('.'),
        message,
      });
  }
  const checkFieldsOf = ({ path, file, written }: TextFile<unknown>, rules: FieldRules, levels = editorial): void => {
    for (const { path: field, message, level } of checkFields(rules, written, levels))
      problems.push({ file: path, line: file.lineOf(field), field: field.join('.'), message, level });
  };
  for (const { id, path } of [...pages.texts, ...pages.faulty].filter(({ id }) => RESERVED_PAGE_IDS.includes(id)))
    problems.push(fileProblem(path, `has the id "${id}", and ${pagePath(id)} is the address of another page; rename the file`));
  for (const page of pages.texts)
    checkFieldsOf(page, {
      complete: [],
      sizes: [{ field: 'description', rule: editorial.description_length, size: page.file.data.description.length }],
    });
  for (const offer of offers.texts) {
    const levels = offer.file.data.draft ? ofDrafts : editorial;
    checkFieldsOf(offer, offerFieldRules(offer.file.data, levels), levels);
  }

  const texts = checkedTexts({ capsules, pages, offers });
  const shownPaths = [...published, ...offered, ...pages.texts, ...capsules.faulty, ...offers.faulty, ...pages.faulty].map(
    ({ path }) => path,
  );
  const site = siteAddresses(root, texts, {
    shown: new Set(shownPaths),
    paid: new Set(published.filter(({ file }) => file.data.access === 'paid').map(({ path }) => path)),
    others: [
      ...offered.flatMap(({ file }) => file.data.aliases.map(buyPath)),
      ...[...presentIdOf.keys(), ...ledger.takenDown.keys(), ...capsules.unread].map(capsulePath),
      ...offers.unread.map(buyPath),
      ...pages.unread.map(pagePath),
    ],
  });
  if (options.areTextsChecked !== true) problems.push(...checkTexts(root, texts, site, editorial));
  if (publisher) {
    const targets = { pages: [...pages.texts.map(({ id }) => id), ...pages.unread], exists: (path: string) => site.exists(path, false) };
    for (const { path, message } of checkSiteLinks(root, publisher.data, targets))
      problems.push({ file: PUBLISHER_FILE, line: publisher.lineOf(path), field: path.join('.'), message });
  }
  const plainOffers = offers.texts.map(({ id, file }) => ({ id, frontMatter: file.data }));
  const isFaulty = (field: string): boolean => publisher?.faulty.has(field) ?? true;
  const deliveries = await readDeliveries(
    root,
    [...offers.texts.map(({ file }) => file.data.delivers), ...offers.faulty.map(({ file }) => validDeliveries(file.data))],
    { access: new Map(published.map(({ id, file }) => [id, file.data.access])), unread: new Set(capsules.unread) },
    isFaulty('payments') || publisher?.data.payments !== undefined,
  );
  for (const { index, path, message } of deliveries.findings) {
    const text = [...offers.texts, ...offers.faulty][index];
    if (text) problems.push({ file: text.path, line: text.file.lineOf(path), field: path.join('.'), message });
  }
  if (publisher) {
    for (const { index, path, message } of checkOffers(plainOffers, publisher.data, today)) {
      if (path[0] === 'checkout' && isFaulty('checkout_host')) continue;
      const offer = offers.texts[index];
      if (offer) problems.push({ file: offer.path, line: offer.file.lineOf(path), field: path.join('.'), message });
    }
    const idsOf = (list: typeof offers.texts): Set<string> => new Set(list.map(({ id }) => id));
    const named = {
      ids: new Set([...idsOf(offers.texts), ...offers.unread]),
      drafts: idsOf(offers.texts.filter(({ file }) => file.data.draft)),
      quoteOnly: idsOf(offers.texts.filter(({ file }) => file.data.price !== undefined)),
      discontinued: idsOf(offers.texts.filter(({ file }) => file.data.discontinued !== undefined)),
    };
    for (const { path, message } of checkOfferSettings(publisher.data, named, today)) {
      problems.push({ file: PUBLISHER_FILE, line: publisher.lineOf(path), field: path.join('.'), message });
    }
  }
  const policyPages = new Set([...pages.texts.map(({ id }) => id), ...pages.unread]);
  problems.push(
    ...missingPolicyPages(
      offered.filter(({ file }) => !file.data.draft).map(({ path }) => path),
      policyPages,
    ),
  );
  const referring = [...capsules.texts, ...offers.texts, ...pages.texts].map(({ path, file, reading }) => ({
    path,
    parts: reading.references,
    bodyLine: file.bodyLine,
  }));
  const references = await readReferences(root, referring, new Map([...site.open, ...site.paid]), levelOf(editorial.broken_links));
  problems.push(...references.problems);
  const warnings = sortProblems(problems.filter(isWarning));
  const errors = sortProblems(problems.filter((problem) => !isWarning(problem)));
  if (errors.length > 0 || publisher === undefined) return { content: undefined, problems: errors, warnings };
  const byId = <T extends { id: string }>(list: T[]): T[] => list.sort((a, b) => (a.id < b.id ? -1 : 1));
  const plain = <T>(list: readonly TextFile<T>[]): AuthoredText<T>[] =>
    byId(
      list.map(({ id, path, file, reading }) => {
        const found = references.byFile.get(path);
        return {
          id,
          file: path,
          bodyLine: file.bodyLine,
          frontMatter: file.data,
          markdown: file.body,
          words: reading.words,
          ...(found ? { references: found } : {}),
          ...(reading.sections ? { sections: reading.sections } : {}),
        };
      }),
    );
  return {
    content: {
      publisher: publisher.data,
      interfaceLanguage,
      keys,
      ledger,
      capsules: plain(published).map((capsule) => ({ ...capsule, frozen: frozen.byCapsule.get(capsule.id) ?? [] })),
      offers: plain(offered),
      deliveries: deliveries.files,
      pages: plain(pages.texts),
      media: references.media,
      draftCount: [...capsules.texts, ...offers.texts].filter(({ file }) => file.data.draft).length,
    },
    problems: [],
    warnings,
  };
}

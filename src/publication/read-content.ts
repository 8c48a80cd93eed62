import type * as z from 'zod';
import { OfferFrontMatter } from '../schemas/commerce/offers.ts';
import { CapsuleFrontMatter } from '../schemas/knowledge/capsule-front-matter.ts';
import { buyPath, capsulePath, docPath, GUIDE_IDS, PATHS } from '../schemas/paths.ts';
import { ID_PATTERN } from '../schemas/primitives.ts';
import { PageFrontMatter } from '../schemas/publisher.ts';
import type { Content } from './authored-content.ts';
import { checkCapsule, checkLineage, validFields } from './capsules/check-capsules.ts';
import { checkIds, presentIds } from './capsules/former-ids.ts';
import { readFrozenVersions } from './capsules/frozen-versions.ts';
import { readContentFolder } from './content-files.ts';
import { type ContentProblem, fileProblem, sortProblems } from './content-problem.ts';
import { type ParsedFile, parseContentFile } from './front-matter.ts';
import { PLACEHOLDER } from './lint/check-authored.ts';
import { checkText } from './lint/check-text.ts';
import { parseText } from './markdown/parse-text.ts';
import { checkOfferOrder, checkOffers } from './offers/check-offers.ts';
import { readDeliveries } from './offers/read-deliveries.ts';
import { readLedger } from './published-ledger.ts';
import { readKeys } from './read-keys.ts';
import { PUBLISHER_FILE, type PublisherOverrides, readPublisher } from './read-publisher.ts';
import { readStrings } from './strings/read-strings.ts';

/** How `content/` is read. */
export interface ReadOptions extends PublisherOverrides {
  /** Today in UTC, `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  /** Skips the checks of texts, which take most of the time, because the caller has just made them. */
  readonly areTextsChecked?: boolean;
  /** Whether drafts are part of the content, for a preview; a build never publishes them. */
  readonly withDrafts?: boolean;
}

/** Content, or every mistake in it. */
type ReadOutcome =
  | { readonly content: Content; readonly problems: readonly [] }
  | { readonly content: undefined; readonly problems: readonly ContentProblem[] };

interface Parsed<T> {
  readonly id: string;
  readonly path: string;
  readonly raw: string;
  readonly file: ParsedFile<T>;
}

interface FaultyFile extends Parsed<unknown> {
  readonly folder: string;
  readonly problems: readonly ContentProblem[];
}

/** Prefixes of addresses that are not pages themselves. */
const NOT_PAGES: readonly string[] = [PATHS.gateway, PATHS.capsulesApi, PATHS.publicCapsules, PATHS.acp, PATHS.data, PATHS.mirror];

/**
 * Reads and checks everything in `content/`, and reports all mistakes in a fixed order.
 *
 * @param root Folder of the project.
 */
export async function readContent(root: string, options: ReadOptions): Promise<ReadOutcome> {
  const problems: ContentProblem[] = [];
  /** Ids of files that could not be parsed, by folder: references to them are not mistakes. */
  const unread = new Map<string, string[]>();
  /** Files whose front matter has mistakes: their texts are checked nevertheless. */
  const faulty: FaultyFile[] = [];
  const markUnread = (folder: string, id: string): void => void unread.set(folder, [...(unread.get(folder) ?? []), id]);
  const collect = async <T>(folder: string, ending: string, schema: z.ZodType<T>, skip: string[] = []): Promise<Parsed<T>[]> => {
    const read = await readContentFolder(root, folder, [ending], skip);
    problems.push(...read.problems);
    for (const id of read.unreadable) markUnread(folder, id);
    return read.files.flatMap(({ path, id, raw }) => {
      if (!new RegExp(ID_PATTERN).test(id) || id.length > 64) {
        problems.push(
          fileProblem(
            path,
            'must be renamed: at most 64 lower-case letters and digits, in groups joined by single hyphens, such as http-caching.md',
          ),
        );
        return [];
      }
      const outcome = parseContentFile(path, raw, schema);
      if ('file' in outcome) return [{ id, path, raw, file: outcome.file }];
      problems.push(...outcome.problems);
      markUnread(folder, id);
      if (outcome.unchecked) faulty.push({ folder, id, path, raw, file: outcome.unchecked, problems: outcome.problems });
      return [];
    });
  };
  const unreadIn = (name: string): readonly string[] => unread.get(`content/${name}`) ?? [];

  const publisher = await readPublisher(root, options, problems);
  const interfaceLanguage = await readStrings(root, publisher?.data.language ?? 'en', problems);
  const keys = await readKeys(root, options.today, problems);
  const capsules = await collect('content/capsules', '.md', CapsuleFrontMatter, ['versions']);
  const offers = await collect('content/offers', '.md', OfferFrontMatter);
  const pages = await collect('content/pages', '.md', PageFrontMatter);
  const frozen = await readFrozenVersions(root);
  problems.push(...frozen.problems);
  const { ledger, problems: ledgerProblems } = await readLedger(root);
  problems.push(...ledgerProblems);
  const named = capsules.map(({ id, file }) => ({ id, formerly: file.data.formerly }));
  const presentIdOf = presentIds(named);
  for (const list of [capsules, offers, pages]) problems.push(...repeatedIds(list));
  const isShown = ({ file }: Parsed<{ readonly draft: boolean }>): boolean => options.withDrafts === true || !file.data.draft;
  const published = capsules.filter(isShown);
  const offered = offers.filter(isShown);
  for (const { path, raw, file } of [...published, ...offered]) if (!file.data.draft) problems.push(...placeholders(path, raw));
  const addresses = new Set<string>([
    ...Object.values(PATHS).filter((path) => !NOT_PAGES.includes(path)),
    ...published.filter(({ file }) => file.data.access === 'public').map(({ id }) => capsulePath(id)),
    ...offered.flatMap(({ id, file }) => [id, ...file.data.aliases].map(buyPath)),
    ...GUIDE_IDS.map(docPath),
    ...pages.map(({ id }) => `/${id}`),
    ...[...presentIdOf.keys(), ...ledger.takenDown.keys()].map(capsulePath),
    ...unreadIn('capsules').map(capsulePath),
    ...unreadIn('offers').map(buyPath),
    ...unreadIn('pages').map((id) => `/${id}`),
  ]);
  const linkExists = (path: string): boolean =>
    addresses.has(path) || path.startsWith(`${PATHS.api}/`) || path.startsWith(`${PATHS.problems}/`);
  // Without payments, paid capsules have no page, so only paid capsules may link to them.
  const paidPages = new Set(published.filter(({ file }) => file.data.access === 'paid').map(({ id }) => capsulePath(id)));
  const linkExistsOfPaid = (path: string): boolean => linkExists(path) || paidPages.has(path);

  const checkOneCapsule = (
    id: string,
    path: string,
    file: Parameters<typeof checkCapsule>[1],
    linkTest: (link: string) => boolean,
  ): ContentProblem[] => {
    const versions = frozen.byCapsule.get(id)?.map(({ frontMatter }) => frontMatter) ?? [];
    return checkCapsule(path, file, {
      linkExists: linkTest,
      today: options.today,
      newestFrozen: versions.at(-1)?.version,
      freeVersion: versions.find(({ access }) => access === 'public')?.version,
      isTextChecked: options.areTextsChecked === true,
    });
  };
  for (const { id, path, file } of capsules)
    problems.push(...checkOneCapsule(id, path, file, file.data.access === 'paid' ? linkExistsOfPaid : linkExists));
  for (const { id, path, raw, file, problems: known } of faulty.filter(({ folder }) => folder === 'content/capsules')) {
    const data = validFields(file.data);
    const found = checkOneCapsule(id, path, { ...file, data }, data.access === 'public' ? linkExists : linkExistsOfPaid);
    // A field is reported once.
    problems.push(...found.filter(({ field }) => !known.some((problem) => problem.field === field)));
    if (data.draft === false) problems.push(...placeholders(path, raw));
  }
  for (const id of frozen.byCapsule.keys()) {
    if (!capsules.some((capsule) => capsule.id === id) && !unreadIn('capsules').includes(id))
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
      new Map(capsules.map(({ id, file }) => [id, file.data])),
      [...unreadIn('capsules'), ...ledger.takenDown.keys()],
      presentIdOf,
    ),
  ];
  for (const { id, path, message } of lineage) {
    const capsule = capsules.find((candidate) => candidate.id === id);
    if (capsule)
      problems.push({
        file: capsule.path,
        line: capsule.file.lineOf(path),
        field: path.filter((part) => typeof part === 'string').join('.'),
        message,
      });
  }
  const ofFolder = (name: string, valid: readonly Parsed<unknown>[], minWords: number): (Parsed<unknown> & { minWords: number })[] =>
    [...valid, ...faulty.filter(({ folder }) => folder === name)].map((parsed) => ({ ...parsed, minWords }));
  const unchecked = options.areTextsChecked ? [] : [...ofFolder('content/pages', pages, 30), ...ofFolder('content/offers', offers, 40)];
  for (const { path, file, minWords } of unchecked) {
    const rules = { minWords, maxWords: 4_000, sourceKeys: [], linkExists, parse: parseText, isSubmitted: false };
    for (const finding of checkText(file.body, rules))
      problems.push({ file: path, line: file.bodyLine + finding.line - 1, field: 'text', message: finding.message });
  }
  const plainOffers = offers.map(({ id, file }) => ({ id, frontMatter: file.data }));
  const deliveries = await readDeliveries(
    root,
    plainOffers,
    new Map(published.map(({ id, file }) => [id, file.data.access])),
    publisher?.data.payments !== undefined,
  );
  if (publisher) {
    for (const { index, path, message } of [...checkOffers(plainOffers, publisher.data, options.today), ...deliveries.findings]) {
      const offer = offers[index];
      if (offer) problems.push({ file: offer.path, line: offer.file.lineOf(path), field: path.join('.'), message });
    }
    const idsOf = (list: typeof offers): Set<string> => new Set(list.map(({ id }) => id));
    const named = {
      ids: new Set([...idsOf(offers), ...unreadIn('offers')]),
      drafts: idsOf(offers.filter(({ file }) => file.data.draft)),
      quoteOnly: idsOf(offers.filter(({ file }) => file.data.price !== undefined)),
    };
    for (const { path, message } of checkOfferOrder(publisher.data, named)) {
      problems.push({ file: PUBLISHER_FILE, line: publisher.lineOf(path), field: path.join('.'), message });
    }
  }
  if (problems.length > 0 || publisher === undefined) return { content: undefined, problems: sortProblems(problems) };
  const byId = <T extends { id: string }>(list: T[]): T[] => list.sort((a, b) => (a.id < b.id ? -1 : 1));
  const plain = <T>(list: Parsed<T>[]): { id: string; file: string; frontMatter: T; markdown: string }[] =>
    byId(list.map(({ id, path, file }) => ({ id, file: path, frontMatter: file.data, markdown: file.body })));
  return {
    content: {
      publisher: publisher.data,
      interfaceLanguage,
      keys,
      ledger,
      capsules: plain(published).map((capsule) => ({ ...capsule, frozen: frozen.byCapsule.get(capsule.id) ?? [] })),
      offers: plain(offered),
      deliveries: deliveries.files,
      pages: plain(pages),
      draftCount: [...capsules, ...offers].filter(({ file }) => file.data.draft).length,
    },
    problems: [],
  };
}

/** A mistake for every file with the id of an earlier file in another subfolder. */
function repeatedIds(list: readonly { id: string; path: string }[]): ContentProblem[] {
  const first = new Map<string, string>();
  return list.flatMap(({ id, path }) => {
    const other = first.get(id);
    if (other === undefined) {
      first.set(id, path);
      return [];
    }
    return [fileProblem(path, `has the same id "${id}" as ${other}; rename one of them`)];
  });
}

/** A mistake for every line that still has a placeholder of the template. */
function placeholders(path: string, raw: string): ContentProblem[] {
  return raw.split('\n').flatMap((text, index) =>
    text.includes(PLACEHOLDER)
      ? [
          {
            file: path,
            line: index + 1,
            field: '',
            message: `still has a placeholder that begins with "${PLACEHOLDER}"; fill it in, or set draft: true`,
          },
        ]
      : [],
  );
}

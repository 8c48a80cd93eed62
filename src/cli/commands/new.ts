import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import { isNode, isSeq, parseDocument } from 'yaml';
import * as z from 'zod';
import { UserError } from '../../build/user-error.ts';
import { isReservedHost } from '../../publication/check/check-offers.ts';
import { readContentFolder } from '../../publication/read/content-files.ts';
import { parseContentFile } from '../../publication/read/front-matter.ts';
import { DRAFT_INSTRUCTIONS } from '../../publication/read/page-templates.ts';
import { readLedger } from '../../publication/read/version-ledger.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import { RESERVED_BUY_IDS, RESERVED_CAPSULE_IDS } from '../../schemas/paths.ts';
import { PLACEHOLDER, PLACEHOLDER_DE } from '../../text/check/check-text.ts';
import { titleOfId, yamlText } from '../capsules/capsule-file.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

const CONTENT_KINDS = ['capsule', 'offer'] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];

export const command = defineCommand()
  .description('Write a capsule or an offer to content/, as a short draft to fill in.')
  .addArgument(new Argument('<kind>').choices(CONTENT_KINDS))
  .addArgument(new Argument('<id>', 'such as http-caching').argParser(readId))
  .option('--paid', 'of a capsule: whose text is sold')
  .addHelpText(
    'after',
    examples('npm run new capsule http-caching', 'npm run new capsule winter-report -- --paid', 'npm run new offer link-audit'),
  )
  .action(async (kind, id, { paid: isPaid = false }) => {
    if (isPaid && kind === 'offer') throw new UserError('--paid is for a capsule; an offer has a price already');
    const paths = await createContent(process.cwd(), kind, id, isPaid);
    console.log(`Wrote ${paths.join(' and ')}. Fill it in, then run: npm run content:check`);
  });

/** Ids that a kind cannot have, and the field with further names of a text. */
const NAMES = {
  capsule: { reserved: RESERVED_CAPSULE_IDS, field: 'formerly' },
  offer: { reserved: RESERVED_BUY_IDS, field: 'aliases' },
} as const;

/**
 * Writes a short draft, whatever mistakes other files have. A new offer becomes the last in the order of publisher.yaml, if that lists one.
 *
 * @returns Paths of the written files, from the publication's root.
 */
export async function createContent(root: string, kind: ContentKind, id: string, isPaid = false): Promise<string[]> {
  await checkIsFree(root, kind, id);
  const path = `content/${kind}s/${id}.md`;
  const values = { id, isPaid, ...(await readDraftSettings(root)) };
  await mkdir(join(root, `content/${kind}s`), { recursive: true });
  await writeFile(join(root, path), kind === 'capsule' ? capsuleDraft(values) : offerDraft(values), { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new UserError(`${path} exists; choose another id`) : error;
    },
  );
  const listed = kind === 'offer' && (await listOffer(root, id));
  return listed ? [path, PUBLISHER_FILE] : [path];
}

/** @throws {UserError} If the id is reserved, or names a text of the kind, now or formerly. */
async function checkIsFree(root: string, kind: ContentKind, id: string): Promise<void> {
  const { reserved, field } = NAMES[kind];
  if (reserved.includes(id)) throw new UserError(`"${id}" is a reserved name; choose another id`);
  const { files } = await readContentFolder(root, `content/${kind}s`, { skip: ['versions'], hiddenCharacters: undefined });
  for (const { path, id: other, raw } of files) {
    if (other === id) throw new UserError(`${path} exists; choose another id`);
    if (!raw.includes(id) || !raw.includes(field)) continue;
    const parsed = parseContentFile(path, raw, z.looseObject({ [field]: z.array(z.unknown()).catch([]) }), { unknownFields: 'off' });
    const names = 'file' in parsed ? parsed.file.data[field] : [];
    if (Array.isArray(names) && names.includes(id)) throw new UserError(`"${id}" is in ${path} under "${field}"; choose another id`);
  }
  if (kind === 'capsule' && (await readLedger(root)).ledger.takenDown.has(id))
    throw new UserError(`"${id}" is the id of a capsule that was taken down; choose another id`);
}

const Settings = z.object({ language: z.string().catch('en'), checkout_host: z.string().optional().catch(undefined) });

async function readDraftSettings(root: string): Promise<Omit<DraftValues, 'id'>> {
  const text = await readFile(join(root, PUBLISHER_FILE), 'utf8').catch(() => '');
  const { language, checkout_host } = Settings.catch({ language: 'en' }).parse(parseDocument(text).toJS());
  return { language, checkoutHost: checkout_host };
}

/**
 * Adds an offer to the end of the order in publisher.yaml, without changing any other byte of the file.
 *
 * @returns Whether publisher.yaml lists an order; without one, new offers come last anyway.
 */
async function listOffer(root: string, id: string): Promise<boolean> {
  const file = join(root, PUBLISHER_FILE);
  const text = await readFile(file, 'utf8').catch(() => '');
  const order = parseDocument(text).getIn(['offers', 'order'], true);
  const last = isSeq(order) ? order.items.at(-1) : undefined;
  if (!isSeq(order) || !isNode(last) || !last.range) return false;
  const [start, end] = last.range;
  const lineEnd = text.indexOf('\n', end);
  const at = order.flow || lineEnd === -1 ? end : lineEnd;
  const before = order.flow ? ', ' : `\n${text.slice(text.lastIndexOf('\n', start) + 1, start)}`;
  await writeFile(file, text.slice(0, at) + before + yamlText(id) + text.slice(at));
  return true;
}

export interface DraftValues {
  readonly id: string;
  /** Whether the text of a capsule is sold. */
  readonly isPaid?: boolean;
  /** Language of the interface; the comments of a draft are in German or English. */
  readonly language: string;
  /** Where its payment link would be; without one, the price of an offer is on request. */
  readonly checkoutHost?: string | undefined;
}

interface DraftWords {
  readonly publish: string;
  readonly questions: string;
  readonly moreFields: (page: string) => string;
  readonly capsuleText: string;
  readonly price: string;
  readonly soldText: string;
  readonly offerText: string;
  readonly checkout: string;
  readonly fixedPrice: string;
}

const DOCS = 'node_modules/agent-knowledge-gateway/docs';

const ENGLISH: DraftWords = {
  publish: 'delete this line to publish the text',
  questions: 'questions: ["What do people ask?"] # questions that the text answers',
  moreFields: (page) => `Every other field has a default: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.capsule}`,
  price: 'US dollars',
  soldText: `${PLACEHOLDER}: what buyers get. What stands above the line is the preview, which is free.`,
  offerText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.offer}`,
  checkout: 'your payment link, which charges this price',
  fixedPrice: 'For a fixed price: "price_usd: 90" and "checkout: https://…", your payment link, in place of the next line',
};

const GERMAN: DraftWords = {
  publish: 'diese Zeile löschen, um den Text zu veröffentlichen',
  questions: 'questions: ["Was fragen Leser?"] # Fragen, die der Text beantwortet',
  moreFields: (page) => `Alle anderen Felder haben Vorgaben: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.capsule}`,
  price: 'US-Dollar',
  soldText: `${PLACEHOLDER_DE}: was Käufer erhalten. Was über der Zeile steht, ist die Vorschau und frei.`,
  offerText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.offer}`,
  checkout: 'Ihr Zahlungslink, der diesen Preis abbucht',
  fixedPrice: 'Für einen festen Preis statt der nächsten Zeile: „price_usd: 90“ und „checkout: https://…“, Ihr Zahlungslink',
};

export function capsuleDraft({ id, language, isPaid = false }: DraftValues): string {
  const words = wordsOf(language);
  return `---
title: ${yamlText(titleOfId(id))}
${isPaid ? `access: paid\nprice_usd: 1 # ${words.price}\n` : ''}draft: true # ${words.publish}
# ${words.questions}
# ${words.moreFields('writing-capsules.md')}
---

${words.capsuleText}
${isPaid ? `\n<!-- paid -->\n\n${words.soldText}\n` : ''}`;
}

export function offerDraft({ id, language, checkoutHost }: DraftValues): string {
  const words = wordsOf(language);
  const isDemo = checkoutHost !== undefined && isReservedHost(checkoutHost);
  const price =
    checkoutHost === undefined
      ? `# ${words.fixedPrice}\nprice: on request`
      : `price_usd: 90\ncheckout: /${id} # ${words.checkout}${isDemo ? '\ndemo: true' : ''}`;
  return `---
name: ${yamlText(titleOfId(id))}
${price}
draft: true # ${words.publish}
# ${words.moreFields('selling.md')}
---

${words.offerText}
`;
}

function wordsOf(language: string): DraftWords {
  return /^de\b/i.test(language) ? GERMAN : ENGLISH;
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import { isSeq, parseDocument } from 'yaml';
import * as z from 'zod';
import { isReservedHost } from '../../publication/check/check-offers.ts';
import { UserError } from '../../publication/content-problem.ts';
import { readContentFolder } from '../../publication/read/content-files.ts';
import { idOf } from '../../publication/read/content-ids.ts';
import { parseContentFile } from '../../publication/read/front-matter.ts';
import { DRAFT_INSTRUCTIONS } from '../../publication/read/page-templates.ts';
import { readLedger } from '../../publication/read/version-ledger.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import { RESERVED_BUY_IDS, RESERVED_CAPSULE_IDS } from '../../schemas/paths.ts';
import { Id } from '../../schemas/primitives.ts';
import { PLACEHOLDER, PLACEHOLDER_DE } from '../../text/check/check-text.ts';
import { appendToYaml, titleOfId, writeNewFile, yamlText } from '../capsules/capsule-file.ts';
import { defineCommand, examples } from '../define-command.ts';

const CONTENT_KINDS = ['capsule', 'offer'] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];

export const command = defineCommand()
  .description('Write a capsule or an offer to content/, as a short draft to fill in.')
  .addArgument(new Argument('<kind>').choices(CONTENT_KINDS))
  .argument('<id>', 'such as http-caching, or a title')
  .option('--paid', 'of a capsule: whose text is sold')
  .addHelpText(
    'after',
    examples('npm run new capsule http-caching', 'npm run new capsule winter-report -- --paid', 'npm run new offer link-audit'),
  )
  .action(async (kind, name, { paid: isPaid = false }) => {
    if (isPaid && kind === 'offer') throw new UserError('--paid is for a capsule; an offer has a price already');
    const paths = await createContent(process.cwd(), kind, name, isPaid);
    console.log(`Wrote ${paths.join(' and ')}. Fill it in, then run: npm run content:check`);
  });

const NAMES = {
  capsule: { reserved: RESERVED_CAPSULE_IDS, field: 'formerly' },
  offer: { reserved: RESERVED_BUY_IDS, field: 'aliases' },
} as const;

/**
 * Writes a short draft, whatever mistakes other files have.
 *
 * @param name Its id, or its title, from which the id is made as from a file name.
 * @returns Paths of the written files, from the publication's root.
 */
export async function createContent(root: string, kind: ContentKind, name: string, isPaid = false): Promise<string[]> {
  const isId = Id.safeParse(name).success;
  const id = isId ? name : idOf([name]);
  await checkIsFree(root, kind, id);
  const path = `content/${kind}s/${id}.md`;
  const settings = parseDocument(await readFile(join(root, PUBLISHER_FILE), 'utf8').catch(() => '')).toJS();
  const values = { id, title: isId ? titleOfId(id) : name.trim(), isPaid, ...Settings.catch({ language: 'en' }).parse(settings) };
  await mkdir(join(root, `content/${kind}s`), { recursive: true });
  const text = kind === 'capsule' ? capsuleDraft(values) : offerDraft(values);
  await writeNewFile(join(root, path), text, `${path} exists; choose another id`);
  return kind === 'offer' && (await listOffer(root, id)) ? [path, PUBLISHER_FILE] : [path];
}

/** @throws {UserError} If the id is reserved, or names a text of the kind, now or formerly. */
async function checkIsFree(root: string, kind: ContentKind, id: string): Promise<void> {
  const { reserved, field } = NAMES[kind];
  if (reserved.includes(id)) throw new UserError(`"${id}" is a reserved name; choose another id`);
  for (const { path, id: other, raw } of await readContentFolder(root, `content/${kind}s`, ['versions'])) {
    if (other === id) throw new UserError(`${path} exists; choose another id`);
    if (!raw.includes(id) || !raw.includes(field)) continue;
    const parsed = parseContentFile(path, raw, z.looseObject({ [field]: z.array(z.unknown()).catch([]) }), { unknownFields: 'off' });
    const names = 'file' in parsed ? parsed.file.data[field] : [];
    if (Array.isArray(names) && names.includes(id)) throw new UserError(`"${id}" is in ${path} under "${field}"; choose another id`);
  }
  if (kind === 'capsule' && (await readLedger(root)).ledger.takenDown.has(id))
    throw new UserError(`"${id}" is the id of a capsule that was taken down; choose another id`);
}

/** Settings that a draft depends on; the comments of a draft are in German or English. */
const Settings = z.object({ language: z.string().catch('en'), checkout_host: z.string().optional().catch(undefined) });

interface DraftValues extends z.infer<typeof Settings> {
  readonly id: string;
  readonly title: string;
  readonly isPaid: boolean;
}

/** Adds an offer to the end of the order in publisher.yaml. @returns Whether that lists an order; without one, new offers come last anyway. */
async function listOffer(root: string, id: string): Promise<boolean> {
  const file = join(root, PUBLISHER_FILE);
  const text = await readFile(file, 'utf8').catch(() => '');
  const order = parseDocument(text).getIn(['offers', 'order'], true);
  if (!isSeq(order) || order.items.length === 0) return false;
  await writeFile(file, appendToYaml(text, order, [yamlText(id)], yamlText(id)));
  return true;
}

const DOCS = 'node_modules/agent-knowledge-gateway/docs';

const ENGLISH = {
  publish: 'delete this line to publish the text',
  questions: 'questions: ["What do people ask?"] # questions that the text answers',
  moreFields: (page: string) => `Every other field has a default: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.capsule}`,
  price: 'US dollars',
  soldText: `${PLACEHOLDER}: what buyers get. What stands above the line is the preview, which is free.`,
  offerText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.offer}`,
  checkout: 'your payment link, which charges this price',
  fixedPrice: 'For a fixed price: "price_usd: 90" and "checkout: https://…", your payment link, in place of the next line',
};

const GERMAN: typeof ENGLISH = {
  publish: 'diese Zeile löschen, um den Text zu veröffentlichen',
  questions: 'questions: ["Was fragen Leser?"] # Fragen, die der Text beantwortet',
  moreFields: (page: string) => `Alle anderen Felder haben Vorgaben: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.capsule}`,
  price: 'US-Dollar',
  soldText: `${PLACEHOLDER_DE}: was Käufer erhalten. Was über der Zeile steht, ist die Vorschau und frei.`,
  offerText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.offer}`,
  checkout: 'Ihr Zahlungslink, der diesen Preis abbucht',
  fixedPrice: 'Für einen festen Preis statt der nächsten Zeile: „price_usd: 90“ und „checkout: https://…“, Ihr Zahlungslink',
};

function capsuleDraft({ title, language, isPaid }: DraftValues): string {
  const words = wordsOf(language);
  return `---
title: ${yamlText(title)}
${isPaid ? `access: paid\nprice_usd: 1 # ${words.price}\n` : ''}draft: true # ${words.publish}
# ${words.questions}
# ${words.moreFields('writing-capsules.md')}
---

${words.capsuleText}
${isPaid ? `\n<!-- paid -->\n\n${words.soldText}\n` : ''}`;
}

function offerDraft({ id, title, language, checkout_host: checkoutHost }: DraftValues): string {
  const words = wordsOf(language);
  const isDemo = checkoutHost !== undefined && isReservedHost(checkoutHost);
  const price =
    checkoutHost === undefined
      ? `# ${words.fixedPrice}\nprice: on request`
      : `price_usd: 90\ncheckout: /${id} # ${words.checkout}${isDemo ? '\ndemo: true' : ''}`;
  return `---
name: ${yamlText(title)}
${price}
draft: true # ${words.publish}
# ${words.moreFields('selling.md')}
---

${words.offerText}
`;
}

function wordsOf(language: string): typeof ENGLISH {
  return /^de\b/i.test(language) ? GERMAN : ENGLISH;
}

import { stringify } from 'yaml';
import { PLACEHOLDER, PLACEHOLDER_DE } from '../../publication/find-gaps.ts';
import { isReservedHost } from '../../publication/offers/check-offers.ts';
import { DRAFT_INSTRUCTIONS } from '../../publication/page-templates.ts';

/** What a draft is made from. */
export interface DraftValues {
  readonly id: string;
  /** Language of the interface; the comments of a draft are in German or English. */
  readonly language: string;
  /** Where its payment link would be; without one, the price of an offer is on request. */
  readonly checkoutHost?: string | undefined;
}

interface DraftWords {
  readonly publish: string;
  readonly moreFields: (page: string) => string;
  readonly capsuleText: string;
  readonly offerText: string;
  readonly checkout: string;
  readonly fixedPrice: string;
}

/** Where the documentation is, from the folder of a publication. */
const DOCS = 'node_modules/agent-knowledge-gateway/docs';

const ENGLISH: DraftWords = {
  publish: 'delete this line to publish the text',
  moreFields: (page) => `Every other field has a default: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.capsule}`,
  offerText: `${PLACEHOLDER}: ${DRAFT_INSTRUCTIONS.en.offer}`,
  checkout: 'your payment link, which charges this price',
  fixedPrice: 'For a fixed price: "price_usd: 90" and "checkout: https://…", your payment link, in place of the next line',
};

const GERMAN: DraftWords = {
  publish: 'diese Zeile löschen, um den Text zu veröffentlichen',
  moreFields: (page) => `Alle anderen Felder haben Vorgaben: ${DOCS}/${page}`,
  capsuleText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.capsule}`,
  offerText: `${PLACEHOLDER_DE}: ${DRAFT_INSTRUCTIONS.de.offer}`,
  checkout: 'Ihr Zahlungslink, der diesen Preis abbucht',
  fixedPrice: 'Für einen festen Preis statt der nächsten Zeile: „price_usd: 90“ und „checkout: https://…“, Ihr Zahlungslink',
};

/** The text of a new capsule: a title, and a sentence to replace. */
export function capsuleDraft({ id, language }: DraftValues): string {
  const words = wordsOf(language);
  return `---
title: ${yamlText(titleOf(id))}
draft: true # ${words.publish}
# ${words.moreFields('writing-capsules.md')}
---

${words.capsuleText}
`;
}

/** The text of a new offer: a name, a price, and a sentence to replace. */
export function offerDraft({ id, language, checkoutHost }: DraftValues): string {
  const words = wordsOf(language);
  const isDemo = checkoutHost !== undefined && isReservedHost(checkoutHost);
  const price =
    checkoutHost === undefined
      ? `# ${words.fixedPrice}\nprice: on request`
      : `price_usd: 90\ncheckout: /${id} # ${words.checkout}${isDemo ? '\ndemo: true' : ''}`;
  return `---
name: ${yamlText(titleOf(id))}
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

/** The words of an id as a title. */
function titleOf(id: string): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text as YAML, quoted if it would parse as another type. */
function yamlText(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

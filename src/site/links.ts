import { site } from 'virtual:site';
import { buyPath, PATHS } from '../schemas/paths.ts';
import type { OfferEntry } from './site-content.ts';

/** Where a button to the checkout leads: through this site where a function passes visitors on, else straight to the checkout. */
export function checkoutHref({ id, checkoutUrl }: OfferEntry): string {
  return site.mode === 'edge' ? `${buyPath(id)}?go` : checkoutUrl;
}

/** Id of a subject in the index of the list of capsules. */
export const subjectAnchor = (subject: string): string => `subject-${subject}`;

/** Address of a subject in that index. */
export const subjectPath = (subject: string): string => `${PATHS.capsules}#${subjectAnchor(subject)}`;

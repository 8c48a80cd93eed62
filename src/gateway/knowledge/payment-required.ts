import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import { refuse } from '../result.ts';

/** What is said of a text that is sold. */
export function paymentDetail({ capsule_id, version, price }: CapsuleSummary): string {
  return `The text of "${capsule_id}" ${version} costs ${price?.amount} ${price?.currency}.`;
}

/** Refusal of the text of a paid capsule to who has not paid. */
export function paymentRequired(capsule: CapsuleSummary) {
  return refuse('payment_required', paymentDetail(capsule));
}

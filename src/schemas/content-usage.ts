import * as z from 'zod';
import { Id } from './primitives.ts';

export const Usage = z.object({
  /** Search results that lead to a text. */
  reading: z.boolean(),
  /** Passages in answers of language models, with the source. */
  quoting: z.boolean(),
  training: z.boolean(),
  trainingOffer: Id.optional(),
});
export type Usage = z.infer<typeof Usage>;

const TRAINING_FORM = 'must be true, false, or { offer: training-licence } with the id of an offer that sells it';

export const UsageSettings = z.strictObject({
  reading: z.boolean().default(true),
  quoting: z.boolean().default(true),
  training: z.union([z.boolean(), z.strictObject({ offer: Id })], TRAINING_FORM).default(false),
});

/** `content_signals` in publisher.yaml, the earlier form of `usage`. */
export const ContentSignals = z.strictObject({ search: z.boolean(), ai_input: z.boolean(), ai_train: z.boolean() });

interface StatedUsage {
  readonly usage?: z.infer<typeof UsageSettings> | undefined;
  readonly content_signals?: z.infer<typeof ContentSignals> | undefined;
}

export function usageOf({ usage, content_signals: signals }: StatedUsage): Usage {
  if (usage === undefined && signals !== undefined)
    return { reading: signals.search, quoting: signals.ai_input, training: signals.ai_train };
  const { reading, quoting, training } = usage ?? UsageSettings.parse({});
  if (typeof training === 'boolean') return { reading, quoting, training };
  return { reading, quoting, training: false, trainingOffer: training.offer };
}

/** Value of `Content-Signal` (contentsignals.org, draft-romm-aipref-contentsignals). */
export function contentSignal({ reading, quoting, training }: Usage): string {
  const word = (allowed: boolean): string => (allowed ? 'yes' : 'no');
  return `search=${word(reading)}, ai-input=${word(quoting)}, ai-train=${word(training)}`;
}

/** Value of `Content-Usage` (draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab-07), which has no word for input of language models. */
export function contentUsage({ reading, training }: Usage): string {
  const letter = (allowed: boolean): string => (allowed ? 'y' : 'n');
  return `train-ai=${letter(training)}, search=${letter(reading)}`;
}

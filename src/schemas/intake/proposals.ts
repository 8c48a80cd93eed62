import * as z from 'zod';
import { AgentId } from '../agents.ts';
import { CapsuleSource, line } from '../knowledge/capsule-fields.ts';
import { CapsuleFrontMatter } from '../knowledge/capsule-front-matter.ts';
import { LIMITS } from '../limits.ts';
import { Id, IsoDateTime, Sha256Hex, Uri, Version } from '../primitives.ts';
import { ListedLicense } from '../spdx-license.ts';

/** Bounds of a proposed capsule, which hold whatever the publisher demands of its own texts. */
export const PROPOSAL_BOUNDS = { words: { min: 200, max: 900 }, sources: { min: 1, max: 8 } } as const;

const { sources } = PROPOSAL_BOUNDS;

/** Front matter of a proposal, without what only the publisher decides. */
const ProposedMetadata = CapsuleFrontMatter.pick({
  title: true,
  summary: true,
  type: true,
  tags: true,
  language: true,
  evidence: true,
  license: true,
  written_by: true,
  derived_from: true,
  cites: true,
  sources: true,
}).extend({
  title: line(8, 110).describe('A claim or a name.'),
  summary: line(60, 280).describe('The claim in one sentence that stands alone.'),
  tags: z.array(Id).min(2, 'must name at least 2 tags').max(6, 'must name at most 6 tags').describe('Tags: the subjects.'),
  license: ListedLicense.describe('SPDX licence identifier of the text.'),
  derived_from: z.array(Id).max(12).default([]).describe('Ids of published capsules that it is derived from.'),
  cites: z.array(Id).max(20).default([]).describe('Ids of published capsules that it cites.'),
  sources: z
    .array(CapsuleSource)
    .min(sources.min, 'must name at least one source')
    .max(sources.max, `must name at most ${sources.max} sources`)
    .describe('Sources of the text, which cites each of them.'),
});

const text = (max: number): z.ZodString => z.string().min(1).max(max);
const Note = text(1_000).optional().describe('A note to the publisher, which is not published.');

export const CapsuleProposal = z
  .strictObject({
    kind: z.literal('capsule').describe('Marks a new capsule.'),
    capsule_id: Id.describe('Proposed id of the capsule.'),
    metadata: ProposedMetadata.describe('Metadata of the capsule.'),
    markdown: text(LIMITS.proposalTextMaxLength).describe('Text in markdown; cites every source as [^key].'),
    note: Note,
  })
  .meta({ title: 'A new capsule', description: 'A complete unpublished capsule: text and metadata.' });
export type CapsuleProposal = z.infer<typeof CapsuleProposal>;

export const CorrectionProposal = z
  .strictObject({
    kind: z.literal('correction').describe('Marks a correction.'),
    capsule_id: Id.describe('The capsule to correct.'),
    version: Version.describe('The version that was read.'),
    quote: text(2_000).describe('The passage to correct, copied exactly; it must occur once in the text.'),
    replacement: z.string().max(4_000).describe('Replacement in markdown; empty to delete the passage.'),
    reason: text(1_000).describe('Why, in a sentence or two.'),
    sources: z.array(CapsuleSource).max(4).default([]).describe('New sources that the replacement cites.'),
    note: Note,
  })
  .meta({ title: 'A correction', description: 'One passage of a published capsule, and its replacement.' });
export type CorrectionProposal = z.infer<typeof CorrectionProposal>;

export const IntakeRequest = z.discriminatedUnion('kind', [CapsuleProposal, CorrectionProposal]);
export type IntakeRequest = z.infer<typeof IntakeRequest>;

/** A receipt: an id that proves its origin without storage. */
export const Receipt = z.string().regex(/^rcp_[0-9A-Za-z]{20,80}$/);

const ProposalKind = z.enum(['capsule', 'correction']);

export const SubmissionState = z.enum(['pending', 'accepted', 'rejected']);
export type SubmissionState = z.infer<typeof SubmissionState>;

export const IntakeReceipt = z.object({
  receipt: Receipt.describe(
    'The receipt. It proves that this service stored the proposal, and reads its state with a key of the same agent.',
  ),
  kind: ProposalKind.describe('Kind of the proposal.'),
  proposal_sha256: Sha256Hex.describe('Digest of the proposal without its note and with all defaults, in canonical JSON (RFC 8785).'),
  state: SubmissionState.describe('pending until a person decides, unless the same proposal of another agent was already decided.'),
  agent_id: AgentId.describe('Agent that sent the proposal.'),
  received_at: IsoDateTime.describe('When it was stored.'),
  status_url: Uri.describe('URL of the state.'),
});
export type IntakeReceipt = z.infer<typeof IntakeReceipt>;

export const SubmissionStatus = z.object({
  receipt: Receipt.describe('The receipt.'),
  kind: ProposalKind.describe('Kind of the proposal.'),
  capsule_id: Id.describe('Proposed or corrected capsule; once accepted, the id that the publisher gave it.'),
  proposal_sha256: Sha256Hex.describe('Digest of the proposal.'),
  state: SubmissionState.describe('State of the proposal.'),
  received_at: IsoDateTime.describe('When it was stored.'),
  decided_at: IsoDateTime.optional().describe('When it was accepted or rejected.'),
  reason: z.string().min(1).optional().describe('Why it was rejected, in the words of the publisher.'),
});
export type SubmissionStatus = z.infer<typeof SubmissionStatus>;

export const IntakeResponse = z.object({
  open: z.boolean().describe('Whether the API accepts proposals.'),
  reason: z.string().min(1).describe('Why, in a sentence.'),
  accepts: z.array(ProposalKind).max(ProposalKind.options.length).describe('Kinds of proposals that the API accepts.'),
  contact: z.string().min(1).describe('Other contact for proposals and corrections.'),
  rules: z.array(z.string().min(1)).min(1).describe('Rules for proposals.'),
  limits: z
    .object({
      words_min: z.int().min(1).describe('Fewest words of the text.'),
      words_max: z.int().min(1).describe('Most words of the text.'),
      sources_min: z.int().min(1).describe('Fewest sources.'),
    })
    .describe('Limits of a proposed capsule.'),
  submit: z
    .object({
      operation: Uri.describe('URL for proposals.'),
      scope: z.literal('submit').describe('Scope that the key must have.'),
      how_to_get_the_scope: z.string().min(1).describe('How an agent gets the scope.'),
    })
    .nullable()
    .describe('How to propose by the API; null if it accepts no proposals.'),
  queue: z
    .object({
      waiting: z.int().min(0).nullable().describe('Proposals awaiting a decision; null if the database cannot be reached.'),
      waiting_max: z.int().min(0).describe('Capacity of the queue.'),
      median_wait_hours: z
        .number()
        .min(0)
        .nullable()
        .describe(
          'Median time from receipt to decision of the last fifty decisions; null if there are none or the database cannot be reached.',
        ),
    })
    .describe('The queue.'),
  policy_url: Uri.describe('Page about the rules for capsules.'),
});
export type IntakeResponse = z.infer<typeof IntakeResponse>;

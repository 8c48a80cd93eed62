import * as z from 'zod';
import { AgentId } from '../agents/registration.ts';
import { CapsuleFrontMatter, CapsuleSource } from '../knowledge/capsule-front-matter.ts';
import { LIMITS } from '../limits.ts';
import { Id, IsoDateTime, Sha256Hex, Uri, Version } from '../primitives.ts';

/** What a proposal may say above its text: front matter, without what only the publisher decides. */
const ProposedMetadata = CapsuleFrontMatter.omit({
  version: true,
  created: true,
  updated: true,
  access: true,
  price_usd: true,
  draft: true,
  supersedes: true,
  proposed: true,
  retracted: true,
});

const text = (max: number): z.ZodString => z.string().min(1).max(max);
const Note = text(1_000).optional().describe('A word to the publisher, which is not published.');

/** A new capsule. */
export const CapsuleProposal = z
  .strictObject({
    kind: z.literal('capsule').describe('Says that this is a new capsule.'),
    capsule_id: Id.describe('Id that the capsule should have.'),
    metadata: ProposedMetadata.describe('What stands above the text.'),
    markdown: text(LIMITS.proposalTextMaxLength).describe('The text, in markdown; it refers to every source as [^key].'),
    note: Note,
  })
  .meta({ title: 'A new capsule', description: 'The whole of a capsule that is not published yet: its text and what stands above it.' });
export type CapsuleProposal = z.infer<typeof CapsuleProposal>;

/** A correction of a published capsule: one passage, and what should stand in its place. */
export const CorrectionProposal = z
  .strictObject({
    kind: z.literal('correction').describe('Says that this is a correction.'),
    capsule_id: Id.describe('The capsule to correct.'),
    version: Version.describe('Its version that was read.'),
    quote: text(2_000).describe('The passage to correct, exactly as it stands in the text, where it occurs once.'),
    replacement: z.string().max(4_000).describe('What should stand in its place, in markdown; empty if nothing should.'),
    reason: text(1_000).describe('Why, in a sentence or two.'),
    sources: z
      .array(CapsuleSource)
      .max(4)
      .default([])
      .describe('Sources that the replacement refers to and the capsule does not have yet.'),
    note: Note,
  })
  .meta({ title: 'A correction', description: 'One passage of a published capsule, and what should stand in its place.' });
export type CorrectionProposal = z.infer<typeof CorrectionProposal>;

/** Body of `POST …/intake`. */
export const IntakeRequest = z.discriminatedUnion('kind', [CapsuleProposal, CorrectionProposal]);
export type IntakeRequest = z.infer<typeof IntakeRequest>;

/** Text form of a receipt: an id and its proof of origin, checked without any storage. */
export const Receipt = z.string().regex(/^rcp_[0-9A-Za-z]{20,80}$/);

/** Where a proposal stands. */
export const SubmissionState = z.enum(['pending', 'accepted', 'rejected']);
export type SubmissionState = z.infer<typeof SubmissionState>;

/** Answer of `POST …/intake`: proof that the proposal was taken, which is in the database by then. */
export const IntakeReceipt = z.object({
  receipt: Receipt.describe('The receipt. It proves that this service took the proposal; with the same agent’s key it tells the state.'),
  kind: z.enum(['capsule', 'correction']).describe('Kind of the proposal.'),
  proposal_sha256: Sha256Hex.describe(
    'Digest of the proposal without its note and with every default written out, in canonical JSON (RFC 8785).',
  ),
  state: SubmissionState.describe(
    'Where it stands: pending until a person has decided, unless the same proposal of another agent was decided already.',
  ),
  agent_id: AgentId.describe('Agent that proposed.'),
  received_at: IsoDateTime.describe('When it was stored.'),
  status_url: Uri.describe('Where the state is told.'),
});
export type IntakeReceipt = z.infer<typeof IntakeReceipt>;

/** Answer of `GET …/intake/{receipt}`. */
export const SubmissionStatus = z.object({
  receipt: Receipt.describe('The receipt.'),
  kind: z.enum(['capsule', 'correction']).describe('Kind of the proposal.'),
  capsule_id: Id.describe('Capsule that is proposed or corrected; once accepted, the id under which the publisher took it.'),
  proposal_sha256: Sha256Hex.describe('Digest of the proposal.'),
  state: SubmissionState.describe('Where it stands.'),
  received_at: IsoDateTime.describe('When it was stored.'),
  decided_at: IsoDateTime.optional().describe('When it was accepted or rejected.'),
  reason: z.string().optional().describe('Why it was rejected, in the words of the publisher.'),
});
export type SubmissionStatus = z.infer<typeof SubmissionStatus>;

/** Answer of `GET …/intake`. */
export const IntakeResponse = z.object({
  open: z.boolean().describe('Whether proposals are taken by the API.'),
  reason: z.string().describe('Why, in a sentence.'),
  accepts: z.array(z.enum(['capsule', 'correction'])).describe('Kinds of proposals taken by the API.'),
  contact: z.string().describe('Where proposals and corrections go otherwise.'),
  rules: z.array(z.string()).describe('What a proposal must meet.'),
  limits: z.object({ words_min: z.int(), words_max: z.int(), sources_min: z.int() }).describe('Bounds of a proposed capsule.'),
  submit: z
    .object({
      operation: Uri.describe('Where proposals are sent.'),
      scope: z.literal('submit').describe('Scope that the key must have.'),
      how_to_get_the_scope: z.string().describe('How an agent comes by the scope.'),
    })
    .nullable()
    .describe('How to propose by the API; null where it takes nothing.'),
  queue: z
    .object({
      waiting: z.int().min(0).nullable().describe('Proposals that wait for a decision; null if the database cannot be asked.'),
      waiting_max: z.int().min(0).describe('Proposals that may wait at a time.'),
      median_wait_hours: z
        .number()
        .min(0)
        .nullable()
        .describe(
          'Median time from receipt to decision of the last fifty decisions; null if there are none or the database cannot be asked.',
        ),
    })
    .describe('The queue.'),
  policy_url: Uri.describe('Page that says how capsules are written.'),
});
export type IntakeResponse = z.infer<typeof IntakeResponse>;

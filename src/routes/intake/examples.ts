import type * as z from 'zod';
import { mintReceipt } from '../../gateway/intake/receipt.ts';
import { proposalReceipt } from '../../gateway/intake/submit-proposal.ts';
import { canonicalDigest } from '../../provenance/digest.ts';
import type { OperationExample } from '../../publication/publication.ts';
import { type CapsuleProposal, IntakeRequest, type SubmissionStatus } from '../../schemas/intake/intake.ts';
import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import { EXAMPLE_TIME_MS, exampleSecrets } from '../agents/examples.ts';

const EXAMPLE_AGENT_ID = '1122334455667788';
const DAY_MS = 86_400_000;

/** Examples of the operations of intake: a correction of a capsule, its receipt, and its status. */
export async function proposalExamples(capsule: CapsuleSummary, baseUrl: string): Promise<[string, OperationExample][]> {
  const request = {
    kind: 'correction',
    capsule_id: capsule.capsule_id,
    version: capsule.version,
    quote: 'a passage, exactly as it stands in the text, where it occurs once',
    replacement: 'what should stand in its place',
    reason: 'The source says so in its newest edition.',
  };
  const newCapsule = {
    kind: 'capsule',
    capsule_id: 'conditional-requests',
    metadata: {
      title: 'A conditional request saves sending what has not changed',
      summary: 'A client that sends the entity tag it holds in If-None-Match gets 304 without a body while the representation is the same.',
      type: 'protocol',
      tags: ['http', 'caching'],
      evidence: 'specified',
      license: capsule.license,
      sources: [
        {
          key: 'rfc9110',
          title: 'RFC 9110: HTTP Semantics',
          url: 'https://www.rfc-editor.org/rfc/rfc9110',
          publisher: 'IETF',
          kind: 'standard',
        },
      ],
    },
    markdown: 'The whole text stands here, and refers to its source.[^rfc9110]',
  } satisfies z.input<typeof CapsuleProposal>;
  const sha256 = (await canonicalDigest(IntakeRequest.parse(request))).slice('sha256:'.length);
  const [secret] = await exampleSecrets();
  const receipt = await mintReceipt({ agent: EXAMPLE_AGENT_ID, sha256, receivedAtMs: EXAMPLE_TIME_MS }, secret);
  const taken = proposalReceipt(
    receipt,
    { sha256, state: 'pending', nowMs: EXAMPLE_TIME_MS, kind: 'correction' },
    EXAMPLE_AGENT_ID,
    baseUrl,
  );
  const status: SubmissionStatus = {
    receipt,
    kind: taken.kind,
    capsule_id: capsule.capsule_id,
    proposal_sha256: sha256,
    state: 'accepted',
    received_at: taken.received_at,
    decided_at: new Date(EXAMPLE_TIME_MS + DAY_MS).toISOString(),
  };
  return [
    ['submitProposal', { request, otherRequests: { capsule: newCapsule }, answer: taken }],
    ['getProposal', { parameters: { receipt }, answer: status }],
  ];
}

import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { mintReceipt } from '../../src/gateway/intake/submit-proposal.ts';
import { readSigningSecrets } from '../../src/platform/environment.ts';
import { canonicalDigest } from '../../src/provenance/canonical-json.ts';
import { IntakeRequest } from '../../src/schemas/intake/proposals.ts';
import { PATHS, submissionApiPath } from '../../src/schemas/paths.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { NOW_HEADER, TEST_SIGNING_SECRETS } from './edge-gateway.ts';

export const INTAKE = `${PATHS.publicCapsules}/intake`;

/** A capsule as an agent may propose it: about 230 words, one source, no fault. */
export const PROPOSED_TEXT = `A queue that refuses work early keeps the latency of the work that it takes. The waiting time of a request grows with the number of requests before it, so a queue without a bound turns a short burst into minutes of delay.[^srebook]

## How it works

The server counts what waits. While the count is below the bound, a request is taken; at the bound it is answered at once with a status that tells the client to come back. The refusal costs a small fraction of the work itself, so the server stays able to finish what it has begun.[^srebook]

A bound follows from two measured numbers: the rate at which the server finishes requests, and the longest delay that a client still finds useful. With fifty requests finished in a second and a useful delay of two seconds, a hundred requests may wait.

## What it costs

Some clients are refused although the server would have been free a moment later. Retries with a random delay spread them out, and a header with the number of seconds tells how long to wait. The [Retry-After](/capsules/retry-after) field carries that number.

## What goes wrong

A bound that is larger than the memory of the server is no bound. A queue in front of another queue hides the delay from the first one: each of them has to know how old a request is, and to drop what nobody waits for any more. Measurements of the mean hide all of this, because the delay is in the slowest percent.
`;

export function capsuleProposal(changes: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: 'capsule',
    capsule_id: 'bounded-queues',
    metadata: {
      title: 'A bounded queue keeps latency by refusing early',
      summary:
        'A queue with a bound answers the requests beyond it at once with a refusal, and so keeps the waiting time of those that it takes within a known limit.',
      type: 'practice',
      tags: ['reliability', 'performance'],
      evidence: 'documented',
      license: 'CC-BY-4.0',
      cites: ['retry-after'],
      sources: [
        {
          key: 'srebook',
          title: 'Site Reliability Engineering: Handling Overload',
          url: 'https://sre.google/sre-book/handling-overload/',
          publisher: 'Google',
          kind: 'article',
          retrieved: '2026-11-20',
        },
      ],
      ...metadata,
    },
    markdown: PROPOSED_TEXT,
    ...changes,
  };
}

export function correctionProposal(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: 'correction',
    capsule_id: 'retry-after',
    version: '1.0.0',
    quote: 'for example 1, 2, 4 and 8 seconds',
    replacement: 'for example 1, 2, 4, 8 and 16 seconds',
    reason: 'The sequence is usually given with one more step.',
    ...changes,
  };
}

export async function proposalDigest(proposal: unknown): Promise<string> {
  const { note: _note, ...rest } = IntakeRequest.parse(proposal);
  return (await canonicalDigest(rest)).slice('sha256:'.length);
}

let agents = 0;

/** An agent that no other request comes from, so that no test uses up the limit of another. */
function nextAgent(): string {
  agents += 1;
  return `00000000aa${agents.toString(16).padStart(6, '0')}`;
}

export async function proposerHeaders({
  agent = nextAgent(),
  idempotencyKey = crypto.randomUUID() as string,
  nowMs,
}: {
  agent?: string;
  idempotencyKey?: string;
  nowMs?: number;
} = {}): Promise<Record<string, string>> {
  const issued = nowMs === undefined ? {} : { issuedMinute: minuteOf(nowMs) };
  return {
    'Content-Type': 'application/json',
    'Idempotency-Key': idempotencyKey,
    ...bearer(await makeKey({ agent, scopes: ['read', 'submit'], ...issued })),
    ...(nowMs === undefined ? {} : { [NOW_HEADER]: String(nowMs) }),
  };
}

/** The request that proposes the sample at a fixed time, and the address at which its state is told afterwards. */
export async function probeProposal(): Promise<{ readonly init: RequestInit; readonly statusPath: string }> {
  const nowMs = Date.now();
  const agent = '00000000000000ab';
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if ('missing' in secrets) throw new Error(secrets.missing);
  const proposal = capsuleProposal();
  const receipt = await mintReceipt({ agent, sha256: await proposalDigest(proposal), receivedAtMs: nowMs }, secrets[0]);
  return {
    init: {
      method: 'POST',
      headers: await proposerHeaders({ agent, idempotencyKey: 'the-probe-of-every-route', nowMs }),
      body: JSON.stringify(proposal),
    },
    statusPath: submissionApiPath(receipt),
  };
}

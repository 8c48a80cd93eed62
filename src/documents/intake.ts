import { howToGetScope } from '../gateway/agents/scopes.ts';
import type { Publication } from '../publication/publication.ts';
import { policyUrl } from '../schemas/deployment.ts';
import { IntakeResponse, PROPOSAL_BOUNDS } from '../schemas/intake/intake.ts';
import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import type { IntakePolicy } from '../schemas/publisher.ts';

const REASONS: Readonly<Record<IntakePolicy, string>> = {
  open: 'Every agent with the scope submit may propose. A person reviews each proposal; nothing is published until then.',
  granted:
    'Agents to which the publisher granted the scope submit may propose. A person reviews each proposal; nothing is published until then.',
  closed: 'This site does not accept proposals over the API. Write to the contact by e-mail instead.',
};

/** The intake document: how to propose capsules and corrections. The service adds the counts of the queue. */
export function intake({ deployment }: Pick<Publication, 'deployment'>): IntakeResponse {
  const { intake: policy, baseUrl } = deployment;
  const { words, sources } = PROPOSAL_BOUNDS;
  const isOpen = policy !== 'closed';
  return IntakeResponse.parse({
    open: isOpen,
    reason: REASONS[policy],
    accepts: isOpen ? ['capsule', 'correction'] : [],
    contact: deployment.contactEmail,
    rules: [
      'One capsule makes one claim and states it in its first sentence.',
      `The text has ${words.min} to ${words.max} words of markdown.`,
      'Every fact has a source that anyone can open; each source has a title, a publisher and an address.',
      'The capsule states the strength of its best evidence: opinion, reported, documented, specified or measured.',
      'The text states facts and does not instruct its reader; nothing in it is hidden.',
      'The author has the right to license the text; the licence is an SPDX identifier.',
      'A correction names the capsule, its newest version and the exact passage; it may add sources.',
      'Links to this site lead to published capsules.',
    ],
    limits: { words_min: words.min, words_max: words.max, sources_min: sources.min },
    submit:
      policy === 'closed'
        ? null
        : {
            operation: `${baseUrl}${PATHS.publicCapsules}/intake`,
            scope: 'submit',
            how_to_get_the_scope: howToGetScope('submit', policy, { intake: true, checkoutSessions: true }),
          },
    queue: { waiting: null, waiting_max: isOpen ? LIMITS.intakeQueueMax : 0, median_wait_hours: null },
    policy_url: policyUrl(deployment, 'about') ?? baseUrl + PATHS.contact,
  } satisfies IntakeResponse);
}

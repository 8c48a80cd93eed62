import { CAPSULE_SOURCES } from '../schemas/knowledge/capsule-front-matter.ts';
import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { IntakeResponse } from '../schemas/knowledge/public-capsules.ts';
import type { IntakePolicy } from '../schemas/publisher.ts';
import type { Publication } from '../publication/publication.ts';

/** Why proposals are taken or not. */
const REASONS: Readonly<Record<IntakePolicy, string>> = {
  open: 'Every agent with the scope submit may propose. A person decides about each proposal; nothing is published before.',
  granted: 'Agents to whom the publisher gave the scope submit may propose. A person decides about each proposal.',
  closed: 'Proposals are not taken by the API of this deployment. Send them to the contact by e-mail; a person reads every one.',
};

/** How an agent comes by the scope. */
const WAYS_TO_THE_SCOPE: Readonly<Record<Exclude<IntakePolicy, 'closed'>, string>> = {
  open: `Register with "scopes": ["read", "submit"] and a solved challenge from ${PATHS.gateway}/challenge.`,
  granted: 'Write to the contact and name the id of your agent; the publisher gives the scope to agents by name.',
};

/** How knowledge can be proposed, and what a proposal must meet. What is counted of the queue is added when the document is answered. */
export function intake({ deployment, capsuleWords }: Publication): IntakeResponse {
  const { intake: policy, baseUrl } = deployment;
  const isOpen = policy !== 'closed';
  return IntakeResponse.parse({
    open: isOpen,
    reason: REASONS[policy],
    accepts: isOpen ? ['capsule', 'correction'] : [],
    contact: deployment.contactEmail,
    rules: [
      'One capsule makes one claim and says it in its first sentence.',
      `The text has ${capsuleWords.min} to ${capsuleWords.max} words of markdown.`,
      'Every fact names a source that anyone can open; each source has a title, a publisher and an address.',
      'The strength of the best evidence is named: opinion, reported, documented, specified or measured.',
      'The text states facts and does not tell its reader what to do on its behalf; nothing in it is hidden.',
      'The author may license the text, and the licence is named by its SPDX identifier.',
      'A correction names the capsule, its newest version and the passage, exactly as it stands there; it may add sources for what is right.',
      'Links to pages of this site lead to published capsules.',
    ],
    limits: { words_min: capsuleWords.min, words_max: capsuleWords.max, sources_min: CAPSULE_SOURCES.min },
    submit:
      policy === 'closed'
        ? null
        : { operation: `${baseUrl}${PATHS.publicCapsules}/intake`, scope: 'submit', how_to_get_the_scope: WAYS_TO_THE_SCOPE[policy] },
    queue: { waiting: null, waiting_max: isOpen ? LIMITS.intakeQueueMax : 0, median_wait_hours: null },
    policy_url: `${baseUrl}${PATHS.about}`,
  } satisfies IntakeResponse);
}

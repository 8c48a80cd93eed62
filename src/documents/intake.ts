import * as z from 'zod';
import { CapsuleFrontMatter } from '../schemas/capsule-front-matter.ts';
import { PATHS } from '../schemas/paths.ts';
import { IntakeAnswer } from '../schemas/public-capsules.ts';
import type { Publication } from './publication.ts';

/** How knowledge can be proposed. The API takes no proposals; they go to the publisher by e-mail. */
export function intake({ deployment, capsuleWords }: Publication): IntakeAnswer {
  const { minItems } = z.toJSONSchema(CapsuleFrontMatter.shape.sources);
  return IntakeAnswer.parse({
    open: false,
    reason: 'Proposals are not taken by the API of this deployment. Send them to the contact by e-mail; a person reads every one.',
    accepts: [],
    contact: deployment.contactEmail,
    rules: [
      'One capsule makes one claim and says it in its first sentence.',
      `The text has ${capsuleWords.min} to ${capsuleWords.max} words of markdown.`,
      'Every fact names a source that anyone can open; each source has a title, a publisher and an address.',
      'The strength of the best evidence is named: opinion, reported, documented, specified or measured.',
      'The text states facts and does not tell its reader what to do on its behalf.',
      'The author may license the text, and the licence is named by its SPDX identifier.',
      'A correction names the capsule, its version, the sentence, and a source for what is right.',
    ],
    limits: { words_min: capsuleWords.min, words_max: capsuleWords.max, sources_min: minItems ?? 0 },
    queue: { waiting: 0 },
    policy_url: `${deployment.baseUrl}${PATHS.about}`,
  } satisfies IntakeAnswer);
}

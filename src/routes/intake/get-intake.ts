import { entityTag } from '../../gateway/digests.ts';
import type { IntakeQueue } from '../../gateway/intake/intake-queue.ts';
import { documentRoute } from '../../http/document-route.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';
import { IntakeResponse } from '../../schemas/intake/intake.ts';
import { PATHS } from '../../schemas/paths.ts';

export const getIntakeRoute = documentRoute('intake', {
  id: 'getIntake',
  feature: 'intake',
  path: `${PATHS.publicCapsules}/intake`,
  staticPath: `${PATHS.data}/intake.json`,
  summary: 'Get the rules for proposals',
  description:
    'Whether proposals can be submitted, their requirements, how an agent gets the scope, how many are pending and for how long, and where else to send them.',
  capability: 'capsules',
  schema: IntakeResponse,
  cache: 60,
  atRunTime: async (built, { intakeQueue }) => intakeInForce(built, intakeQueue),
});

/** The intake document with the current queue, which the build cannot know. A closed intake has no queue. */
async function intakeInForce(built: PublishedDocument, queue: IntakeQueue): Promise<PublishedDocument> {
  const document = JSON.parse(built.body) as IntakeResponse;
  if (!document.open) return built;
  const body = JSON.stringify({ ...document, queue: { ...document.queue, ...(await queue.read()) } } satisfies IntakeResponse);
  return { contentType: built.contentType, body, etag: await entityTag(body) };
}

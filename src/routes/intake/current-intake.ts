import { entityTag } from '../../gateway/digests.ts';
import type { IntakeQueue } from '../../gateway/intake/intake-queue.ts';
import type { IntakeResponse } from '../../schemas/intake/intake.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';

/** The document about intake with the queue as it is at present, which the build cannot know. Nothing waits where nothing is taken. */
export async function intakeInForce(built: PublishedDocument, queue: IntakeQueue): Promise<PublishedDocument> {
  const document = JSON.parse(built.body) as IntakeResponse;
  if (!document.open) return built;
  const body = JSON.stringify({ ...document, queue: { ...document.queue, ...(await queue.read()) } } satisfies IntakeResponse);
  return { contentType: built.contentType, body, etag: await entityTag(body) };
}

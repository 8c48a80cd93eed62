import * as z from 'zod';
import { line } from './knowledge/capsule-fields.ts';
import { ContentDate, IsoDate } from './primitives.ts';

/** What a publisher knows of an incident; all but `resolved` are open. */
const IncidentState = z.enum(['investigating', 'identified', 'monitoring', 'resolved']);

const INCIDENT_TITLE_MAX = 120;
const INCIDENT_TEXT_MAX = 2_000;

export const Incident = z.object({
  date: IsoDate.describe('Day on which it began, in UTC.'),
  title: z.string().min(1).max(INCIDENT_TITLE_MAX).describe('What did not work.'),
  state: IncidentState.describe('What is known of it; all but resolved are open.'),
  text: z.string().min(1).max(INCIDENT_TEXT_MAX).describe('What happened and what was done, as plain text.'),
});
export type Incident = z.infer<typeof Incident>;

const INCIDENTS_MAX = 200;

/** `content/incidents.yaml`. */
export const WrittenIncidents = z.strictObject({
  incidents: z
    .array(
      z.strictObject({
        date: ContentDate,
        title: line(1, INCIDENT_TITLE_MAX),
        state: IncidentState,
        text: z
          .string()
          .trim()
          .min(1, 'has no value; write what happened')
          .max(INCIDENT_TEXT_MAX, `must have at most ${INCIDENT_TEXT_MAX} characters`),
      }),
    )
    .max(INCIDENTS_MAX, `must list at most ${INCIDENTS_MAX} incidents; delete the oldest`),
});

export function isOpen({ state }: Incident): boolean {
  return state !== 'resolved';
}

import type { Deployment } from '../../schemas/deployment.ts';
import { lineageFilePath } from '../../schemas/paths.ts';
import { get } from '../next-steps.ts';
import { refuse } from '../result.ts';

/** Former ids and take-downs of a deployment. */
export type FormerCapsules = Pick<Deployment, 'formerIds' | 'takenDown'>;

type TakeDown = NonNullable<Deployment['takenDown']>[string];

/** The refusal of a capsule that was taken down: 410, or 451 where the law demanded it. */
export function takenDownRefusal(id: string, takeDown: TakeDown) {
  return refuse(takeDown.legal ? 'capsule_blocked' : 'capsule_taken_down', takeDownDetail(id, takeDown), {
    nextActions: [get('Read its tombstone: id, digests of its versions, day and reason, signed if the site signs.', lineageFilePath(id))],
  });
}

/** When and why a capsule was taken down, in a sentence. */
export function takeDownDetail(id: string, { date, reason }: TakeDown): string {
  return `The capsule "${id}" was taken down on ${date}: ${reason}`;
}

/** Whether a capsule had this id, under which nothing else can be published. */
export function isFormerId(id: string, { formerIds = {}, takenDown = {} }: FormerCapsules): boolean {
  return Object.hasOwn(formerIds, id) || Object.hasOwn(takenDown, id);
}

/** The id that a capsule has now; the same id if it was never renamed. */
export function presentId(id: string, { formerIds = {} }: FormerCapsules): string {
  return (Object.hasOwn(formerIds, id) ? formerIds[id] : undefined) ?? id;
}

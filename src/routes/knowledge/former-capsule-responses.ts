import type { FormerCapsules } from '../../gateway/knowledge/former-capsule.ts';
import type { Route } from '../../http/define-route.ts';

/** A route for one capsule, with the redirect from ids that capsules had before, where there are any. */
export function withFormerIds(route: Route, { formerIds }: FormerCapsules): Route {
  if (formerIds === undefined) return route;
  return {
    ...route,
    responses: [...route.responses, { status: 308, description: 'The same address with the id that the capsule has now.' }],
  };
}

/** {@link withFormerIds}, with the errors of capsules that were taken down, where there are any. */
export function withFormerCapsules(route: Route, former: FormerCapsules): Route {
  const redirected = withFormerIds(route, former);
  if (former.takenDown === undefined) return redirected;
  const isLegal = Object.values(former.takenDown).map(({ legal }) => legal);
  return {
    ...redirected,
    errors: [
      ...redirected.errors,
      ...(isLegal.includes(false) ? (['capsule_taken_down'] as const) : []),
      ...(isLegal.includes(true) ? (['capsule_blocked'] as const) : []),
    ],
  };
}

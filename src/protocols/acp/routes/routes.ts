import type { Route } from '../../../http/define-route.ts';
import { cancelAcpSessionRoute } from './cancel-session.ts';
import { completeAcpSessionRoute } from './complete-session.ts';
import { createAcpSessionRoute } from './create-session.ts';
import { getOrderWebhookRoute } from './get-order-webhook.ts';
import { getAcpSessionRoute } from './get-session.ts';
import { updateAcpSessionRoute } from './update-session.ts';

/** Operations of the Agentic Commerce Protocol, in the order of the documentation. */
export const ACP_ROUTES: readonly Route[] = [
  createAcpSessionRoute,
  getAcpSessionRoute,
  updateAcpSessionRoute,
  completeAcpSessionRoute,
  cancelAcpSessionRoute,
  getOrderWebhookRoute,
];

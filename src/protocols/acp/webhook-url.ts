import type { AcpUpdateRequest } from './schemas/requests.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';

/** Place of the address in the request. */
const POINTER = '/metadata/order_webhook_url';

/**
 * The address that an agent wants events of its order at, if it names one: https on a host that the publisher allows, or http where the
 * deployment itself is on a loopback address.
 */
export function acpNotifyUrl(
  { metadata }: Pick<AcpUpdateRequest, 'metadata'>,
  { baseUrl, commerce }: Pick<Deployment, 'baseUrl' | 'commerce'>,
): Result<string | undefined> {
  const text = metadata?.order_webhook_url;
  if (text === undefined) return ok(undefined);
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return faulty('must be an https address in ASCII');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !baseUrl.startsWith('http://')) return faulty('must begin with https://');
  if (url.username !== '' || url.password !== '' || url.hash !== '') return faulty('must have no user, password or fragment');
  if (!commerce.webhookHosts.includes(url.host))
    return faulty(`must be on a host that the publisher allows; GET ${PATHS.acp}/order_webhook lists them`);
  return ok(url.href);
}

function faulty(message: string): Result<never> {
  return refuse('invalid_request', `The address for events ${message}.`, { errors: [{ pointer: POINTER, message }] });
}

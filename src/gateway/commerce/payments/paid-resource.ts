import { capsuleApiPath } from '../../../schemas/paths.ts';

/** What is sold at one address: the text of one version of a capsule. */
export interface PaidResource {
  /** Address that is paid for, as the buyer asked for it; a payment for one address buys nothing at another. */
  readonly url: string;
  readonly capsuleId: string;
  /** Version whose text is sent. */
  readonly version: string;
  /** Price in millionths of a US dollar. */
  readonly priceMicros: number;
  readonly title: string;
  readonly tags: readonly string[];
}

/** What of a capsule its sale has to know. */
interface SoldCapsule {
  readonly capsule_id: string;
  readonly version: string;
  readonly title: string;
  readonly tags: readonly string[];
}

/**
 * The resource that a request for a paid capsule buys.
 *
 * @param capsule The version that is sent.
 * @param namedVersion Version that the request names; another address than that of the newest one.
 */
export function paidResource(
  { capsule_id, version, title, tags }: SoldCapsule,
  priceMicros: number,
  namedVersion: string | undefined,
  baseUrl: string,
): PaidResource {
  const query = namedVersion === undefined ? '' : `?version=${encodeURIComponent(namedVersion)}`;
  return { url: baseUrl + capsuleApiPath(capsule_id) + query, capsuleId: capsule_id, version, priceMicros, title, tags };
}

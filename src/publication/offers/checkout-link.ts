/**
 * Whole address of an offer's hosted checkout.
 *
 * @param checkout A path, or an https address, as the author wrote it.
 * @param checkoutHost Origin that every checkout link must be on.
 * @returns The address, or `undefined` if it is not on that origin.
 */
export function resolveCheckoutUrl(checkout: string, checkoutHost: string): string | undefined {
  let url: URL;
  try {
    url = new URL(checkout, `${checkoutHost}/`);
  } catch {
    return undefined;
  }
  const isClean =
    url.href.startsWith(`${checkoutHost}/`) &&
    url.username === '' &&
    url.password === '' &&
    !checkout.startsWith('//') &&
    !checkout.includes('\\');
  return isClean ? url.href : undefined;
}

/** Whether a host belongs to nobody (RFC 2606 and RFC 6761), so that a link to it can only be a demonstration. */
export function isReservedHost(origin: string): boolean {
  return /[./]((example|test|invalid|localhost)|example\.(com|org|net))(:\d+)?$/.test(origin);
}

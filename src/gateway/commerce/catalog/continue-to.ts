/**
 * Address of this site that a permalink asks to go on at, or `undefined` if what it asks for is not safe. The five steps of UCP
 * 2026-08-25, docs/specification/permalink.md, "Destination Preference": decode once, look at it, resolve it, compare the origin, and
 * write the path anew. Anything that is still percent-encoded after the first step was encoded twice and is refused, and so is a path
 * that would begin with two slashes; a query or fragment in it is left out.
 *
 * @param sent Value as it stands in the address, percent-encoded.
 */
export function continueTo(sent: string, baseUrl: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(sent);
  } catch {
    return undefined;
  }
  if (!/^\/(?!\/)/.test(path) || /[\\%\s\p{Cc}\p{Cf}]/u.test(path) || /^\/[a-z][a-z0-9+.-]*:/i.test(path) || path.includes('://'))
    return undefined;
  if (!URL.canParse(path, baseUrl)) return undefined;
  const { origin, pathname } = new URL(path, baseUrl);
  return origin === new URL(baseUrl).origin && !pathname.startsWith('//') ? origin + pathname : undefined;
}

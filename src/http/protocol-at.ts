import type { Protocol, Route } from './define-route.ts';

/**
 * The protocol in whose shape a path answers what is refused, with an operation there or without one: of those that the operations of
 * the table belong to, the one with the longest prefix that the path begins with.
 */
export function protocolAt(pathname: string, routes: readonly Route[]): Protocol | undefined {
  const path = decodedOnce(pathname);
  const isBelow = ({ prefix }: Protocol): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return routes
    .flatMap(({ protocol }) => (protocol && isBelow(protocol) ? [protocol] : []))
    .reduce<Protocol | undefined>((best, each) => (best && best.prefix.length >= each.prefix.length ? best : each), undefined);
}

/** A path as the router finds operations by it: decoded once, but for escapes that are no UTF-8. */
function decodedOnce(pathname: string): string {
  return pathname.replaceAll('%25', '%2525').replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURI(escapes);
    } catch {
      return escapes;
    }
  });
}

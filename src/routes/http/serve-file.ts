import { outage } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../define-route.ts';
import type { Exchange } from './exchange.ts';
import { problemResponse } from './render-problem.ts';

/** Control characters of ASCII, percent-encoded. */
const CONTROL = /%(?:[01][0-9a-f]|7f)/gi;

/**
 * What the host of the files is asked for. No file has a control character in its name, and a host may fail at one; the replacement
 * character stands in its place, so that the host says that there is no such file.
 */
function askable(request: Request, url: URL): Request {
  const path = url.pathname.replace(CONTROL, '%EF%BF%BD');
  return path === url.pathname ? request : new Request(url.origin + path, request);
}

/**
 * The static file at the address of a request, or the problem that the host of the files has. Headers of the answer can be changed.
 *
 * @param isBuilt Whether the build has made the file, so that it cannot be that there is none.
 */
export async function serveFile({ request, requestId, url }: Exchange, deps: GatewayDependencies, isBuilt = false): Promise<Response> {
  const response = await deps.serveFile(askable(request, url)).catch(() => undefined);
  const isFault = response === undefined || response.status >= 500 || response.status === 429 || (isBuilt && response.status === 404);
  // A copy, because headers of what was fetched cannot be changed.
  if (!isFault) return new Response(response.body, response);
  await response?.body?.cancel();
  const { refusal } = outage('file_unavailable', 'The page could not be read.');
  return problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId, path: url.pathname });
}

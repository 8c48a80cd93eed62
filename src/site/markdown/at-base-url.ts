import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';

/** The text of a guide as it is served: its commands name this site where the source names a local service. */
export function atBaseUrl(markdown: string, baseUrl: string): string {
  return markdown.replaceAll(LOCAL_BASE_URL, baseUrl);
}

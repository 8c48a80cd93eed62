import type { DocumentFile, Publication } from '../publication/publication.ts';
import { PATHS } from '../schemas/paths.ts';

/** How long the document holds, in days after the publisher's newest change. RFC 9116 section 2.5.5: less than a year ahead. */
const VALID_DAYS = 360;

/**
 * `/.well-known/security.txt`: where weaknesses are reported.
 *
 * @see RFC 9116 section 2.5: Contact and Expires are required.
 */
export function securityTxt({ deployment, publisher }: Publication): DocumentFile {
  const { baseUrl, contactEmail } = deployment;
  const expires = new Date(Date.parse(`${publisher.updated}T00:00:00Z`) + VALID_DAYS * 86_400_000).toISOString().slice(0, 10);
  const body = [
    `Contact: mailto:${contactEmail}`,
    `Contact: ${baseUrl}${PATHS.contact}`,
    `Expires: ${expires}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.securityTxt}`,
  ].join('\n');
  return { path: PATHS.securityTxt, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

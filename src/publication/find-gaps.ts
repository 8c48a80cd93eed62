import type { ContentProblem } from './content-problem.ts';
import { isReservedHost } from './offers/check-offers.ts';

/** Begins every sentence of a template that its author must replace. */
export const PLACEHOLDER = 'FILL IN';

/** The same in the German templates. */
export const PLACEHOLDER_DE = 'AUSFÜLLEN';

/** Every line that still has a placeholder, as a gap or as a mistake. */
export function findPlaceholders(file: string, raw: string, level: 'gap' | 'error'): ContentProblem[] {
  return raw.split('\n').flatMap((text, index) => {
    const placeholder = [PLACEHOLDER, PLACEHOLDER_DE].find((marker) => text.includes(marker));
    if (placeholder === undefined) return [];
    const remedy = level === 'gap' ? 'fill it in' : 'fill it in, or set draft: true';
    return [{ file, line: index + 1, field: '', message: `still has a placeholder that begins with "${placeholder}"; ${remedy}`, level }];
  });
}

/** Addresses of publisher.yaml that lead nowhere, unless it is a sample. */
export function findReservedAddresses(
  file: string,
  publisher: { readonly base_url: string; readonly contact_email: string; readonly sample: boolean },
  lineOf: (path: readonly string[]) => number,
): ContentProblem[] {
  if (publisher.sample) return [];
  const addresses = [
    ['base_url', publisher.base_url],
    ['contact_email', publisher.contact_email.replace(/^.*@/, 'https://')],
  ] as const;
  return addresses.flatMap(([field, address]) =>
    /\.example$/.test(address) && isReservedHost(address)
      ? [{ file, line: lineOf([field]), field, message: 'is a name that is reserved for examples; write your own', level: 'gap' as const }]
      : [],
  );
}

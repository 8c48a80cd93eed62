import type { ContentProblem } from './content-problem.ts';

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

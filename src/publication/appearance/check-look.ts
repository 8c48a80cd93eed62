import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Look } from '../../schemas/appearance.ts';
import type { ContentLevel } from '../content-problem.ts';
import { MIN_TEXT_CONTRAST } from './contrast.ts';
import { contrastFindings } from './palette.ts';

/** A mistake in `look` of publisher.yaml. */
export interface LookFinding {
  /** Members of `look` that lead to it. */
  readonly path: readonly string[];
  readonly message: string;
  readonly level: ContentLevel;
}

/** Folder of a publication whose files are served as they are. */
export const PUBLIC_FOLDER = 'public';

/** Lowest contrast of large text (WCAG 2.2, 1.4.3): below, nothing can be read. */
const MIN_LARGE_CONTRAST = 3;

/** Colours that are hard to read, and files that are missing. */
export function checkLook(root: string, look: Look): LookFinding[] {
  return [
    ...contrastFindings(look).map(({ color, scheme, value, ratio, suggestion }) => {
      const written = look.colors[color];
      const isDerived = written === undefined;
      return {
        path: ['colors', ...(isDerived ? ['background'] : typeof written === 'object' ? [color, scheme] : [color])],
        message: `${value} on the ${scheme} background has a contrast of ${ratio.toFixed(2)}:1, and text needs ${MIN_TEXT_CONTRAST}:1 (WCAG 2.2, 1.4.3); the nearest colour that passes is "${suggestion}"`,
        level: ratio < MIN_LARGE_CONTRAST ? ('error' as const) : ('warning' as const),
      };
    }),
    ...namedFiles(look).flatMap(({ path, file }) =>
      existsSync(join(root, PUBLIC_FOLDER, file))
        ? []
        : [{ path, message: `${file} is missing: put the file at ${PUBLIC_FOLDER}${file}`, level: 'error' as const }],
    ),
  ];
}

function namedFiles({ logo, favicon, social_image: image }: Look): { readonly path: readonly string[]; readonly file: string }[] {
  const logos = typeof logo === 'object' ? Object.entries(logo).map(([scheme, file]) => ({ path: ['logo', scheme], file })) : [];
  return [
    ...logos,
    ...(typeof logo === 'string' ? [{ path: ['logo'], file: logo }] : []),
    ...(favicon === undefined ? [] : [{ path: ['favicon'], file: favicon }]),
    ...(image === undefined ? [] : [{ path: ['social_image', 'file'], file: image.file }]),
  ];
}

import { compareVersions } from '../../schemas/primitives.ts';

/** The part of a changelog that is about one version. */
export interface ChangelogSection {
  readonly version: string;
  readonly text: string;
}

/**
 * Sections of a changelog whose headings are `## 1.2.3 - date` or `## Unreleased`, for versions after `from` and until `to`, newest first.
 *
 * @param withFrom Whether the section of `from` itself, and what is not released, count too.
 */
export function changesBetween(changelog: string, from: string, to: string, withFrom = false): ChangelogSection[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { version: /^\[?(\d+\.\d+\.\d+[^\s\]]*|Unreleased)/.exec(heading)?.[1] ?? '', text: lines.join('\n').trim() };
    })
    .filter(({ version }) => {
      if (version === '' || version === 'Unreleased') return version !== '' && withFrom;
      const isAfter = compareVersions(version, from);
      return (isAfter > 0 || (withFrom && isAfter === 0)) && compareVersions(version, to) <= 0;
    });
}

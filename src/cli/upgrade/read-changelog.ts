import { compareVersions } from '../../schemas/primitives.ts';

/** The part of a changelog that is about one version. */
export interface ChangelogSection {
  readonly version: string;
  readonly text: string;
}

/** Sections of a changelog whose headings are `## 1.2.3 - date`, for versions after `from` and until `to`, newest first. */
export function changesBetween(changelog: string, from: string, to: string): ChangelogSection[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { version: /^\[?(\d+\.\d+\.\d+[^\s\]]*)/.exec(heading)?.[1] ?? '', text: lines.join('\n').trim() };
    })
    .filter(({ version }) => version !== '' && compareVersions(version, from) > 0 && compareVersions(version, to) <= 0);
}

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ListedLicense } from '../../../schemas/license.ts';
import { type FoundLicense, TEXT_MAX_BYTES } from '../source-page.ts';
import { isWithin, openWithin } from './open-within.ts';

/** Beginnings and marks of the texts of usual licences, the more special ones first. */
const TEXTS: readonly { readonly id: string; readonly pattern: RegExp }[] = [
  { id: 'CC-BY-NC-SA-4.0', pattern: /Attribution-NonCommercial-ShareAlike 4\.0/i },
  { id: 'CC-BY-NC-ND-4.0', pattern: /Attribution-NonCommercial-NoDerivatives 4\.0/i },
  { id: 'CC-BY-NC-4.0', pattern: /Attribution-NonCommercial 4\.0/i },
  { id: 'CC-BY-ND-4.0', pattern: /Attribution-NoDerivatives 4\.0/i },
  { id: 'CC-BY-SA-4.0', pattern: /Attribution-ShareAlike 4\.0/i },
  { id: 'CC-BY-4.0', pattern: /Attribution 4\.0 International|creativecommons\.org\/licenses\/by\/4\.0/i },
  { id: 'CC-BY-3.0', pattern: /Attribution 3\.0/i },
  { id: 'CC0-1.0', pattern: /CC0 1\.0 Universal/i },
  { id: 'AGPL-3.0-only', pattern: /GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/i },
  { id: 'LGPL-3.0-only', pattern: /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/i },
  { id: 'GPL-3.0-only', pattern: /GNU GENERAL PUBLIC LICENSE\s+Version 3/i },
  { id: 'GPL-2.0-only', pattern: /GNU GENERAL PUBLIC LICENSE\s+Version 2/i },
  { id: 'GFDL-1.3-only', pattern: /GNU Free Documentation License\s+Version 1\.3/i },
  { id: 'MPL-2.0', pattern: /Mozilla Public License,? (?:Version|v\.?) ?2\.0/i },
  { id: 'Apache-2.0', pattern: /Apache License\s+Version 2\.0/i },
  { id: 'BSD-3-Clause', pattern: /Neither the name of[\s\S]{0,200}?nor the names of its\s+contributors/i },
  { id: 'BSD-2-Clause', pattern: /Redistributions of source code must retain/i },
  { id: 'ISC', pattern: /Permission to use, copy, modify, and\/or distribute this software for any\s+purpose/i },
  { id: 'MIT', pattern: /Permission is hereby granted, free of charge, to any person obtaining a copy/i },
  { id: 'Unlicense', pattern: /This is free and unencumbered software released into the public domain/i },
];

/** Names of licence files, those for documentation first. */
const NAMES: readonly RegExp[] = [
  /^LICEN[CS]E[-_.](?:docs?|documentation|content)(?:\.\w+)?$/i,
  /^LICEN[CS]E(?:\.(?:md|txt))?$/i,
  /^COPYING(?:\.(?:md|txt))?$/i,
];

/**
 * The licence of an imported folder: of a licence file in it, or above it up to the root of its git repository. What belongs to the
 * publication says nothing about texts from elsewhere, so that the folder of the publication and those above it are never looked at.
 *
 * @param siteRoot Folder of the site that the imported folder is a part of, or that is a part of it.
 * @param publication Folder of the publication.
 */
export function detectLicense(folder: string, siteRoot: string, publication: string): FoundLicense | undefined {
  const start = isWithin(siteRoot, folder) ? siteRoot : folder;
  const top = repositoryOf(folder) ?? (isWithin(folder, siteRoot) ? siteRoot : folder);
  for (let at = start; isWithin(at, top) && !isWithin(realpathSync(publication), realpathSync(at)); at = dirname(at)) {
    const names = readdirSync(at);
    for (const pattern of NAMES) {
      const name = names.find((candidate) => pattern.test(candidate));
      const opened = name === undefined ? undefined : openWithin(top, relative(top, join(at, name)), TEXT_MAX_BYTES);
      const id = opened && 'bytes' in opened ? licenseOf(opened.bytes.toString('utf8')) : undefined;
      if (name !== undefined && id !== undefined) return { id, file: relative(folder, join(at, name)).split(sep).join('/') };
    }
    if (at === top) return undefined;
  }
  return undefined;
}

/** Root of the git repository that a folder is in. */
function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The SPDX identifier of a licence text; `undefined` if it is not a usual one. */
function licenseOf(text: string): string | undefined {
  const stated = /SPDX-License-Identifier:\s*([\w.+-]+)/.exec(text)?.[1];
  if (stated !== undefined && ListedLicense.safeParse(stated).success) return stated;
  return TEXTS.find(({ pattern }) => pattern.test(text.slice(0, 20_000)))?.id;
}

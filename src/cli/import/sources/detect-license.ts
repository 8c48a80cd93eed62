import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ListedLicense } from '../../../schemas/license.ts';
import type { Source } from '../source-page.ts';
import { isWithin, textWithin } from './open-within.ts';

const TEXTS: readonly (readonly [id: string, pattern: RegExp])[] = [
  ['CC-BY-NC-SA-4.0', /Attribution-NonCommercial-ShareAlike 4\.0/i],
  ['CC-BY-NC-ND-4.0', /Attribution-NonCommercial-NoDerivatives 4\.0/i],
  ['CC-BY-NC-4.0', /Attribution-NonCommercial 4\.0/i],
  ['CC-BY-ND-4.0', /Attribution-NoDerivatives 4\.0/i],
  ['CC-BY-SA-4.0', /Attribution-ShareAlike 4\.0/i],
  ['CC-BY-4.0', /Attribution 4\.0 International|creativecommons\.org\/licenses\/by\/4\.0/i],
  ['CC-BY-3.0', /Attribution 3\.0/i],
  ['CC0-1.0', /CC0 1\.0 Universal/i],
  ['AGPL-3.0-only', /GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['LGPL-3.0-only', /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['GPL-3.0-only', /GNU GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['GPL-2.0-only', /GNU GENERAL PUBLIC LICENSE\s+Version 2/i],
  ['GFDL-1.3-only', /GNU Free Documentation License\s+Version 1\.3/i],
  ['MPL-2.0', /Mozilla Public License,? (?:Version|v\.?) ?2\.0/i],
  ['Apache-2.0', /Apache License\s+Version 2\.0/i],
  ['BSD-3-Clause', /Neither the name of[\s\S]{0,200}?nor the names of its\s+contributors/i],
  ['BSD-2-Clause', /Redistributions of source code must retain/i],
  ['ISC', /Permission to use, copy, modify, and\/or distribute this software for any\s+purpose/i],
  ['MIT', /Permission is hereby granted, free of charge, to any person obtaining a copy/i],
  ['Unlicense', /This is free and unencumbered software released into the public domain/i],
];

const NAMES: readonly RegExp[] = [
  /^LICEN[CS]E[-_.](?:docs?|documentation|content)(?:\.\w+)?$/i,
  /^LICEN[CS]E(?:\.(?:md|txt))?$/i,
  /^COPYING(?:\.(?:md|txt))?$/i,
];

/**
 * The licence of an imported folder: of a licence file in it, or above it up to the root of its git repository or of its site. What belongs to the
 * publication says nothing about texts from elsewhere, so that the folder of the publication and those above it are never looked at.
 */
export function detectLicense(folder: string, siteRoot: string, publication: string): Source['license'] {
  const start = isWithin(siteRoot, folder) ? siteRoot : folder;
  const top = repositoryOf(folder) ?? (isWithin(folder, siteRoot) ? siteRoot : folder);
  for (let at = start; isWithin(at, top) && !isWithin(realpathSync(publication), realpathSync(at)); at = dirname(at)) {
    const names = readdirSync(at);
    for (const pattern of NAMES) {
      const name = names.find((candidate) => pattern.test(candidate));
      const id = name === undefined ? undefined : licenseOf(textWithin(top, relative(top, join(at, name))));
      if (name !== undefined && id !== undefined) return { id, file: relative(folder, join(at, name)).split(sep).join('/') };
    }
    if (at === top) return undefined;
  }
  return undefined;
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function licenseOf(text: string): string | undefined {
  const stated = /SPDX-License-Identifier:\s*([\w.+-]+)/.exec(text)?.[1];
  if (stated !== undefined && ListedLicense.safeParse(stated).success) return stated;
  return TEXTS.find(([, pattern]) => pattern.test(text.slice(0, 20_000)))?.[0];
}

/** The licence of texts whose publisher states none: SPDX's word for it. All rights are reserved then. */
export const NO_LICENSE = 'NOASSERTION';

export function licenseUrl(license: string): string | undefined {
  return license === NO_LICENSE ? undefined : `https://spdx.org/licenses/${license}`;
}

export function licenseWords(license: string): string {
  return license === NO_LICENSE ? 'none stated (all rights reserved)' : license;
}

/** SPDX's value for texts whose publisher states no licence: all rights are reserved. */
export const NO_LICENSE = 'NOASSERTION';

export function licenseUrl(license: string): string | undefined {
  return license === NO_LICENSE ? undefined : `https://spdx.org/licenses/${license}`;
}

export function licenseWords(license: string): string {
  return license === NO_LICENSE ? 'none stated (all rights reserved)' : license;
}

import { issuer } from './parties.ts';
import { JWKS, makeLineage, type SampleRecord } from './sample.ts';
import { lineageGiven, type Vector, vector } from './vector.ts';

/** Records with times that are none. */
export async function timeVectors(): Promise<Vector[]> {
  const issuedAt = async (name: string, about: string, issued: string): Promise<Vector> =>
    vector(
      name,
      about,
      lineageGiven(await makeLineage({ by: issuer, change: (record: SampleRecord) => Object.assign(record, { issued }) }), { trust: JWKS }),
      'form',
    );
  return [
    await issuedAt('record-issued-without-zone', 'A time without its zone.', '2026-11-19T00:00:00'),
    await issuedAt('record-issued-with-offset', 'A time in another zone.', '2026-11-19T00:00:00+00:00'),
    await issuedAt('record-issued-with-fraction', 'A time with a fraction of a second.', '2026-11-19T00:00:00.000Z'),
    await issuedAt('record-issued-no-date', 'A 30th of February.', '2026-02-30T00:00:00Z'),
    await issuedAt('record-issued-hour-24', 'An hour 24.', '2026-11-19T24:00:00Z'),
    await issuedAt('record-issued-lower-case', 'A time in small letters.', '2026-11-19t00:00:00z'),
    await issuedAt('record-issued-year-of-six-digits', 'A year of six digits with its sign.', '+012026-11-19T00:00:00Z'),
  ];
}

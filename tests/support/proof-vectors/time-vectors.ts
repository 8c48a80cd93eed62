import { issuer } from './parties.ts';
import { didDocument, JWKS, makeLineage, NOW, type SampleRecord } from './sample.ts';
import { failing, lineageGiven, type Vector, vector } from './vector.ts';

/** Times that are none, and those at the bounds. */
export async function timeVectors(): Promise<Vector[]> {
  const issuedAt = async (title: string, issued: string): Promise<Vector> =>
    vector(failing('form', title), lineageGiven(await makeLineage({ by: issuer, change: { issued } }), { trust: JWKS }));
  return [
    await issuedAt('record-issued-without-zone: A time without its zone.', '2026-11-19T00:00:00'),
    await issuedAt('record-issued-with-offset: A time in another zone.', '2026-11-19T00:00:00+00:00'),
    await issuedAt('record-issued-with-fraction: A time with a fraction of a second.', '2026-11-19T00:00:00.000Z'),
    await issuedAt('record-issued-no-date: A 30th of February.', '2026-02-30T00:00:00Z'),
    await issuedAt('record-issued-hour-24: An hour 24.', '2026-11-19T24:00:00Z'),
    await issuedAt('record-issued-lower-case: A time in small letters.', '2026-11-19t00:00:00z'),
    await issuedAt('record-issued-year-0000: A year 0000, which the calendar of dates has not.', '0000-02-29T00:00:00Z'),
    await issuedAt('record-issued-leap-second: A second 60.', '2016-12-31T23:59:60Z'),
    await issuedAt('record-issued-with-blank: A blank in place of the T.', '2026-11-19 00:00:00Z'),
    await issuedAt('record-issued-after-white-space: A time after a blank.', ' 2026-11-19T00:00:00Z'),
    await issuedAt('record-issued-in-other-digits: A time in Arabic digits.', '٢٠٢٦-11-19T00:00:00Z'),
    vector(
      'record-issued-at-the-bounds: The first and the last second of all timestamps, under keys that were not retired.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          count: 2,
          change: (record: SampleRecord) =>
            Object.assign(record, { issued: record.sequence === 0 ? '0001-01-01T00:00:00Z' : '9999-12-31T23:59:59Z' }),
          changeHead: { issued: NOW },
        }),
        { trust: didDocument([{ party: issuer }]) },
      ),
    ),
    vector(
      'now-is-no-timestamp [fresh]: Nothing is fresh at a time that is none.',
      lineageGiven(await makeLineage({ by: issuer }), { trust: JWKS, now: '2026-11-22' }),
    ),
    await issuedAt('record-issued-year-of-six-digits: A year of six digits with its sign.', '+012026-11-19T00:00:00Z'),
  ];
}

import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import { CHANGE_KINDS, type Change, type LogEnd, type LoggedChange } from '../../../src/provenance/change-log.ts';
import type { ChainLink, LineageHead, VersionRecord } from '../../../src/provenance/lineage-records.ts';
import { ChangeEvent, type LogPosition } from '../../../src/schemas/knowledge/corpus-responses.ts';
import type { CapsuleVersionRecord, LineageHeadStatement, LineageProof } from '../../../src/schemas/knowledge/lineage.ts';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

// Provenance imports nothing of ours, so its types stand beside the schemas of what is published; the compiler compares them here.
test('records, heads and changes have one form in provenance and in the published schemas', () => {
  expectTypeOf<DeepReadonly<CapsuleVersionRecord>>().toExtend<VersionRecord>();
  expectTypeOf<keyof CapsuleVersionRecord>().toEqualTypeOf<keyof VersionRecord>();
  expectTypeOf<DeepReadonly<LineageHeadStatement>>().toExtend<LineageHead>();
  expectTypeOf<keyof LineageHeadStatement>().toEqualTypeOf<keyof LineageHead>();
  expectTypeOf<DeepReadonly<LineageProof['versions'][number]>>().toExtend<ChainLink>();
  expectTypeOf<keyof ChangeEvent>().toEqualTypeOf<keyof LoggedChange>();
  expectTypeOf<ChangeEvent['event']>().toEqualTypeOf<Change['event']>();
  expectTypeOf<z.infer<typeof LogPosition>>().toExtend<LogEnd>();
});

test('the published form of an event knows every kind that the change log writes, and no other', () => {
  expect(ChangeEvent.shape.event.options).toEqual([...CHANGE_KINDS]);
});

/**
 * Whether an offer can be bought, in the words that catalogs for agents share: members and values of `types/availability.json` of
 * UCP 2026-08-25, and of `Availability` in `schema.feed.json` of ACP 2026-04-17.
 */
export type Availability = {
  readonly available: boolean;
  readonly status: 'in_stock' | 'out_of_stock';
};

/** Whether an offer can be bought: a demonstration cannot. Every document and page that says so takes it from here. */
export function availabilityOf({ demo }: { readonly demo: boolean }): Availability {
  return demo ? { available: false, status: 'out_of_stock' } : { available: true, status: 'in_stock' };
}

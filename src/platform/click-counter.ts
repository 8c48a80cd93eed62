import { type ClickCounter, PendingClicks } from '../gateway/commerce/catalog/click-counts.ts';

/** Where clicks are counted, and those that a step of the order engine is to store. */
export interface BoundClickCounter {
  readonly clicks: ClickCounter;
  /** `undefined` where nothing waits to be stored. */
  readonly pending: PendingClicks | undefined;
}

/**
 * Counts clicks in the Analytics Engine where a dataset is bound, which writes to no database, else in the memory of the isolate.
 *
 * A data point has the offer as its index, `buy_click` and the offer as blobs, and the number of clicks as its double.
 */
export function clickCounter(dataset: AnalyticsEngineDataset | undefined): BoundClickCounter {
  if (dataset === undefined) {
    const pending = new PendingClicks();
    return { clicks: pending, pending };
  }
  return {
    pending: undefined,
    clicks: {
      count: (offerId) => {
        try {
          dataset.writeDataPoint({ indexes: [offerId], blobs: ['buy_click', offerId], doubles: [1] });
        } catch (error) {
          // No way to a checkout is closed by a count that fails.
          console.error(JSON.stringify({ level: 'error', what: 'analytics', reason: String(error) }));
        }
      },
    },
  };
}

import { PATHS } from '../schemas/paths.ts';

/** Whether the same request can succeed later, or only once changed. */
type Retry = 'never' | 'later' | 'changed';

/** A next step for the caller. A path becomes an absolute URL when the error is sent. */
export interface NextStep {
  readonly description: string;
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
}

/** An entry of the error table. */
export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** Cause and remedy, for the error's page. */
  readonly explanation: string;
  readonly retry: Retry;
  /** Default wait in seconds; every 429 and 503 has one. */
  readonly retryAfterSeconds?: number;
  /** Default next steps. */
  readonly nextActions: readonly NextStep[];
}

/** The next step where a request does not match the interface. */
export const READ_OPENAPI = {
  description: 'Read the OpenAPI document for operations, parameters and limits.',
  method: 'GET',
  path: PATHS.openApi,
} as const;
export const STATUS = {
  description: 'Check the status of the service.',
  method: 'GET',
  path: `${PATHS.publicCapsules}/status`,
} as const;
export const OFFERS = { description: 'List the offers with their ids and prices.', method: 'GET', path: PATHS.offersJson } as const;
/** The next step after a temporary refusal. */
export const WAIT = { description: 'Wait for the time in Retry-After, then retry.' } as const;

/** Seconds to wait after an outage. */
export const OUTAGE_RETRY_SECONDS = 30;

import { PATHS } from '../schemas/paths.ts';

/** Whether the same request can succeed later. */
type Retry = 'never' | 'later' | 'changed';

/** A step for the caller; a path is made absolute when the error is sent. */
export interface NextStep {
  readonly description: string;
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
}

/** An error of the table. */
export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** Cause and cure for the error's page, in plain sentences. */
  readonly explanation: string;
  readonly retry: Retry;
  /** Seconds to wait where a refusal names none; every 429 and 503 has it. */
  readonly retryAfterSeconds?: number;
  /** Steps for the caller where a refusal names none of its own. */
  readonly nextActions: readonly NextStep[];
}

/** Steps that several errors have. */
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
/** The step after a temporary refusal. */
export const WAIT = { description: 'Wait as long as Retry-After says, then send the same request again.' } as const;

/** Seconds to wait after an outage. */
export const OUTAGE_RETRY_SECONDS = 30;

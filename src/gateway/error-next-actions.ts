import { PATHS } from '../schemas/paths.ts';

type Retry = 'never' | 'later' | 'changed';

/** A next step for the caller. A path becomes an absolute URL when the error is sent. */
export interface NextStep {
  readonly description: string;
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
}

export interface ErrorDeclaration {
  readonly status: number;
  readonly title: string;
  /** Cause and remedy, for the error's page. */
  readonly explanation: string;
  /** `changed`, once the request is changed, by default. */
  readonly retry?: Retry;
  /** Default wait in seconds; every 429 and 503 has one. */
  readonly retryAfterSeconds?: number;
  readonly nextActions: readonly NextStep[];
}

export type ErrorEntry = ErrorDeclaration & { readonly retry: Retry };

export function get(description: string, path: string): NextStep {
  return { description, method: 'GET', path };
}

export function post(description: string, path: string): NextStep {
  return { description, method: 'POST', path };
}

export const READ_OPENAPI = get('Read the OpenAPI document for operations, parameters and limits.', PATHS.openApi);
export const STATUS = get('Check the status of the service.', PATHS.statusApi);
export const OFFERS = get('List the offers with their ids and prices.', PATHS.offersJson);
export const WAIT = { description: 'Wait for the time in Retry-After, then retry.' } as const;

export const OUTAGE_RETRY_SECONDS = 30;

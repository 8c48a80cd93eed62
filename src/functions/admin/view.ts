import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { AdminPage } from '../../http/page-props.ts';
import type { Database } from '../../platform/d1/database.ts';

/** What a page is made of. */
export interface Asked {
  readonly database: Database;
  readonly deps: GatewayDependencies;
  readonly nowMs: number;
}

/** Makes a page, of the record with an id. @throws {ActionError} If there is no such record. */
export type View = (asked: Asked, id: string) => Promise<Omit<AdminPage, 'path' | 'session' | 'message'>>;

/** Rows of each list. */
export const LIST_MAX = 100;

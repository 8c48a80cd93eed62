import { PATHS } from '../../schemas/paths.ts';
import type { ProtocolModule } from '../protocol-module.ts';
import { MPP, MPP_VERSION } from './challenge.ts';
import { mppScheme } from './scheme.ts';

/** MPP, the scheme Payment of HTTP authentication: challenges and receipts on the operations that sell; it has no document of its own. */
export const mppProtocol: ProtocolModule = {
  capability: ({ baseUrl, payments }) =>
    payments && {
      name: 'MPP',
      version: MPP_VERSION,
      document: `${baseUrl}${PATHS.openApi}`,
      services: [`${MPP.method}/${MPP.intent}`],
    },
  documents: [],
  operations: () => [],
  paymentScheme: mppScheme,
  examples: () => [],
  schemas: { requests: {}, responses: {} },
};

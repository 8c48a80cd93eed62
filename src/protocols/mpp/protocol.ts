import { PATHS } from '../../schemas/paths.ts';
import type { ProtocolModule } from '../protocol-module.ts';
import { MPP_VERSION } from '../versions.ts';
import { MPP } from './challenge.ts';
import { mppScheme } from './payment-scheme.ts';

/** MPP, the HTTP authentication scheme Payment: challenges and receipts of operations that sell. It has no document. */
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

import { PATHS } from '../../schemas/paths.ts';
import type { ProtocolModule } from '../protocol-module.ts';
import { NLWEB_VERSION } from '../versions.ts';
import { nlwebExamples } from './nlweb-examples.ts';
import { askByGetRoute, askByPostRoute } from './routes.ts';
import { AskFailure, AskRequest, AskResponse, AskResult } from './schemas.ts';

/** NLWeb: questions in natural language at `/ask`. It needs functions. */
export const nlwebProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static'
      ? undefined
      : { name: 'NLWeb', version: NLWEB_VERSION, document: `${baseUrl}${PATHS.openApiAgent}`, services: ['list'] },
  documents: [],
  operations: () => [askByGetRoute, askByPostRoute],
  examples: nlwebExamples,
  schemas: { requests: { AskRequest }, responses: { AskResponse, AskResult, AskFailure } },
};

import { InvalidContentError } from '../publication/content-problem.ts';
import { BuildSettingError } from './deployment.ts';
import { PublishRefusedError } from './publishing/publish-refused-error.ts';

/** What went wrong, for the person at the terminal: expected failures without a stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof InvalidContentError || error instanceof BuildSettingError || error instanceof PublishRefusedError)
    return error.message;
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

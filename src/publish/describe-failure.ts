import { InvalidContentError } from '../authoring/content-problem.ts';
import { BuildSettingError } from './deployment.ts';

/** What went wrong, for the person at the terminal: expected failures without a stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof InvalidContentError || error instanceof BuildSettingError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

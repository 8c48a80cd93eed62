import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type * as z from 'zod';
import { ActionError } from '../administration/action-error.ts';
import { InvalidContentError, UserError } from '../publication/content-problem.ts';
import { Id } from '../schemas/primitives.ts';
import { httpAddress } from './fetch-within-origin.ts';

/** A command of `akg`. Its subcommands inherit the settings: a mistake on the command line is printed in red; exit code 1. */
export function defineCommand(): Command {
  return new Command()
    .showHelpAfterError('--help shows what is possible.')
    .configureOutput({ outputError: (text, write) => write(styleText('red', plainArgumentError(text), { stream: process.stderr })) })
    .configureHelp({
      styleTitle: (title) => styleText('bold', title),
      // Arguments are in the help of the subcommand: here they would leave no room for the descriptions.
      subcommandTerm: (subcommand) => subcommand.name(),
      showGlobalOptions: true,
    });
}

/** The error of commander about an argument, in plain words: `error: 'thing' is not a valid kind: use capsule or offer`. */
function plainArgumentError(text: string): string {
  return text
    .replace(/command-argument value '([\s\S]*)' is invalid for argument '([^']*)'\./, "'$1' is not a valid $2:")
    .replace(/: Allowed choices are ([^.]*)\./, (_, choices: string) => `: use ${choices.replace(/, ([^,]*)$/, ' or $1')}`);
}

/** A command whose invalid arguments are not printed: one may be a private key. */
export function commandWithHiddenArguments(): Command {
  return defineCommand().configureOutput({
    outputError: (_text, write) => write('error: unexpected argument (not shown, because it may be a private key)\n'),
  });
}

export function examples(...lines: readonly string[]): string {
  return `\n${styleText('bold', 'Examples:')}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number of at least ${min}.`
        : `It must be a whole number from ${min} to ${max}.`,
    );
  };
}

/** Reads an argument as the dashboard reads a field of a form. */
export function readAsField<Value>(read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw error instanceof ActionError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

/** Reads an argument by a schema, whose message follows the subject: `An id must …`. */
export function readBy(subject: string, schema: z.ZodType<string>): (text: string) => string {
  return (text) => {
    const { success, error, data } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(`${subject} ${error.issues[0]?.message}.`);
    return data;
  };
}

export function readAddress(text: string): URL {
  const url = httpAddress(text);
  if (url === undefined) throw new UserError(`${text} is not an http or https address`);
  return url;
}

export const readId = readBy('An id', Id);

export function describeFailure(error: unknown): string {
  if (error instanceof InvalidContentError || error instanceof UserError || error instanceof ActionError) return error.message;
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { type DatabasePlace, withDatabase } from '../build/local/d1-connections.ts';
import { withAudit } from '../platform/d1/dashboard-sessions-and-audit.ts';
import type { Database } from '../platform/d1/database.ts';
import { defineCommand } from './define-command.ts';

export interface TaskContext {
  readonly root: string;
  readonly place: DatabasePlace;
  readonly nowMs: number;
}

/** Works on the database STATE, and returns the lines to print. */
export type DatabaseTask = (database: Database, context: TaskContext) => Promise<readonly string[]>;

export type TaskRunner = (task: DatabaseTask, place: DatabasePlace) => Promise<void>;

export const runOnDatabase: TaskRunner = async (task, place) => {
  const root = process.cwd();
  const lines = await withDatabase(root, place, (database) => task(database, { root, place, nowMs: Date.now() }));
  for (const line of lines) console.log(line);
};

/** A command whose subcommands run tasks on the database, with the option `--remote`. */
export function databaseCommand(run: TaskRunner) {
  const command = defineCommand().option('--remote', 'use the database at Cloudflare instead of the local one');
  const onDatabase = (task: DatabaseTask): Promise<void> => run(task, command.opts().remote ? 'remote' : 'local');
  /** Runs a task that changes something, and records it in the audit log. @param action Words of the command. */
  const act = (action: string, subject: string, task: DatabaseTask): Promise<void> =>
    onDatabase(async (database, context) => {
      const entry = { actor: 'command', action, subject, atMs: context.nowMs };
      const done = await withAudit(database, entry, () => task(database, context));
      if ('error' in done) throw done.error;
      return done.lines;
    });
  return { command, onDatabase, act };
}

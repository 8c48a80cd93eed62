import { newestAuditEntries } from '../../platform/d1/dashboard-sessions-and-audit.ts';
import { minuteText, terminalLine } from '../../text/terminal-safe-text.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, wholeNumber } from '../define-command.ts';

export function auditCommand(run: TaskRunner) {
  const { command, onDatabase } = databaseCommand(run);
  command
    .description('List what was done in the dashboard and by commands that change the database, newest first.')
    .option('--limit <entries>', 'most entries to list', wholeNumber(1, 10_000), 50)
    .addHelpText('after', examples('npm run audit', 'npm run audit -- --remote --limit 200'))
    .action(({ limit }) =>
      onDatabase(async (database) => {
        const entries = await newestAuditEntries(database, limit);
        if (entries.length === 0) return ['nothing was done yet'];
        return entries.map(({ atMs, actor, action, subject, isDone, outcome }) => {
          const end = outcome === undefined ? 'interrupted' : `${isDone ? '' : 'refused: '}${outcome.replaceAll('\n', ' / ')}`;
          return [minuteText(atMs), terminalLine(actor), terminalLine(`${action} ${subject}`.trim()), terminalLine(end)].join('  ');
        });
      }),
    );
  return command;
}

export const command = auditCommand(runOnDatabase);

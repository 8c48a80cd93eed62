import { createInterface } from 'node:readline/promises';
import { today } from '../../build/describe-deployment.ts';
import { checkWranglerSettings } from '../../build/wrangler-settings.ts';
import { InvalidContentError, isWarning, UserError } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand, examples } from '../define-command.ts';
import { type Check, describeCheck, type Finding, inspectRequirements } from '../deployment/cloudflare-requirements.ts';

export const command = defineCommand()
  .description(
    `Prepare the account at Cloudflare: sign in, find or create the KV namespace, the database with its tables and the Pages project, write their ids into wrangler.toml, set the secrets, add the domain of base_url to the project, and deploy the companion. Each step is described before it is done. What is there already stays as it is, so that the command can be run again.

Secrets are taken from the variables with their names. SIGNING_SECRETS and ADMIN_SECRET are random without one.

Environment: CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID, SIGNING_SECRETS, ADMIN_SECRET, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS.`,
  )
  .option('--dry-run', 'only list what it would do and what it leaves to you; doctor lists what is there')
  .option('-y, --yes', 'ask nothing')
  .addHelpText('after', examples('npm run setup -- --dry-run', 'npm run setup', 'npm run setup -- --yes'))
  .action(async ({ dryRun = false, yes = false }) => {
    const root = process.cwd();
    const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
    const isTyped = process.stdin.isTTY === true;
    const problems = (await checkWranglerSettings(root, publisher.storage)).filter((problem) => !isWarning(problem));
    if (problems.length > 0) throw new InvalidContentError(problems);
    const checks: Check[] = [];
    const settle = async ({ name }: Pick<Check, 'name'>, finding: Finding): Promise<Finding> => {
      if (finding.offer !== undefined && isTyped && !yes && !dryRun) {
        console.log(`  ${name}: ${finding.detail}`);
        return (await isAnswered(finding.offer.question, 'n')) ? finding.offer.make() : finding;
      }
      if (finding.ok || finding.make === undefined || dryRun) return finding;
      // Nobody can be asked.
      if (!yes && !isTyped) return { ...finding, mend: `${finding.mend}; "npm run setup -- --yes" does it` };
      console.log(`  ${name}: ${finding.detail}; to do: ${finding.mend}`);
      if (!yes && !(await isAnswered('Do this?', 'y'))) return finding;
      // What fails is named, and left for the next run.
      return finding.make().catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        return { ok: false, detail: error.message, mend: finding.mend };
      });
    };
    for await (const check of inspectRequirements({ root, publisher, environment: process.env, today: today() }, settle)) {
      checks.push(check);
      if (!dryRun) console.log(describeCheck(check));
    }
    const left = checks.filter(({ ok, isOptional }) => !ok && !isOptional);
    if (dryRun) console.log(describePlan(checks));
    else if (left.length === 0)
      console.log(`Everything that ${publisher.base_url} needs is there. Now: commit wrangler.toml, and npm run deploy`);
    else {
      console.log(`Left to do: ${left.map(({ name }) => name).join(', ')}. Run this command again afterwards.`);
      process.exitCode = 1;
    }
  });

function describePlan(checks: readonly Check[]): string {
  const missing = checks.filter((check) => !check.ok);
  const isOwn = ({ make, mend }: (typeof missing)[number]): boolean => make !== undefined || mend.startsWith('npm run setup');
  const own = missing.filter(isOwn).map(({ name, mend }) => `  ${name}: ${mend.replace(/^npm run setup /, '')}`);
  const others = missing.filter((check) => !isOwn(check));
  const left = others.map(({ name, detail, mend, isOptional }) => `  ${name}${isOptional ? ' (optional)' : ''}: ${detail}\n    → ${mend}`);
  return [
    ...(own.length === 0 ? ['There is nothing for "npm run setup" to do.'] : ['"npm run setup" would do this, one by one:', ...own]),
    ...(left.length === 0 ? [] : ['It leaves this to you:', ...left]),
    'Nothing was changed.',
  ].join('\n');
}

/** Whether the answer to a question is yes. Ctrl-C and Ctrl-D end the command. @param usual The answer of Return alone. */
async function isAnswered(question: string, usual: 'y' | 'n'): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await terminal.question(`  ${question} ${usual === 'y' ? '[Y/n]' : '[y/N]'} `)).trim() || usual;
    return /^y/i.test(answer);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    console.log('\nStopped. What was done stays; "npm run setup" goes on from there.');
    return process.exit(130);
  } finally {
    terminal.close();
  }
}

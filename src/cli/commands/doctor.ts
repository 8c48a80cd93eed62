import { isLoopbackOrigin, today } from '../../build/deployment.ts';
import { readBuilt } from '../../build/kv/publishing-state.ts';
import { checkWranglerSettings } from '../../build/wrangler-settings.ts';
import { formatProblem, isWarning } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { defineCommand, examples, readAddress } from '../define-command.ts';
import { checkSite } from '../deployment/check-site.ts';
import { checkUsage } from '../deployment/plan-usage.ts';
import { type Check, describeCheck, hostAddress, inspectRequirements } from '../deployment/requirements.ts';

export const command = defineCommand()
  .description(
    `Check the deployment: settings of this folder, what Cloudflare has (stores, tables, project, secrets), and the site itself (status, documents, a query, a capsule, prices, limits, clocks). Each problem is followed by the command that mends it.

Exit codes: 0 everything needed works, 1 something does not.

Environment: BASE_URL, CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID.`,
  )
  .argument('[address]', 'check only the site at this address, such as http://127.0.0.1:8788', readAddress)
  .option('--json', 'print the checks as JSON, for monitors')
  .addHelpText('after', examples('npm run doctor', 'npm run doctor -- http://127.0.0.1:8788', 'npm run doctor -- --json'))
  .action(async (address, { json }) => {
    const checks: Check[] = [];
    const site = address?.href.replace(/\/$/, '');
    const found = site === undefined ? checksOfDeployment(process.cwd()) : await checkSite(site, { baseUrl: site, nowMs: Date.now });
    for await (const check of found) {
      checks.push(check);
      if (!json) console.log(describeCheck(check));
    }
    const failed = checks.filter(({ ok, isOptional }) => !ok && !isOptional);
    if (json) console.log(JSON.stringify({ ok: failed.length === 0, checks }, null, 2));
    else console.log(failed.length === 0 ? 'Everything needed works.' : `${failed.length} of ${checks.length} checks fail.`);
    if (failed.length > 0) process.exitCode = 1;
  });

async function* checksOfDeployment(root: string): AsyncGenerator<Check> {
  const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
  const problems = (await checkWranglerSettings(root, publisher.storage)).filter((problem) => !isWarning(problem));
  for (const problem of problems) yield { name: 'settings', ok: false, detail: formatProblem(problem), mend: 'correct this line' };
  if (problems.length > 0) return;
  const found = new Map<string, boolean>();
  for await (const check of inspectRequirements({ root, publisher, environment: process.env, today: today() })) {
    found.set(check.name, check.ok);
    yield check;
  }
  if (found.get('account')) yield* await checkUsage(root, Date.now());
  const built = await readBuilt(root);
  const expected = built === undefined || isLoopbackOrigin(built.baseUrl) ? undefined : { root, generation: built.generation };
  const isBeforeDomain = found.get('project') && !found.get('domain');
  const address = (isBeforeDomain && (await hostAddress(root, publisher))) || publisher.base_url;
  yield* await checkSite(address, { baseUrl: publisher.base_url, built: expected, nowMs: Date.now });
}

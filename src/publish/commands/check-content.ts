import { formatProblem } from '../../authoring/content-problem.ts';
import { readContent } from '../../authoring/read-content.ts';
import { today } from '../today.ts';

const outcome = await readContent(process.cwd(), {
  today: today(),
  baseUrl: process.env['BASE_URL'],
  checkoutHost: process.env['CHECKOUT_HOST'],
});
if (outcome.content) {
  const { capsules, offers, docs, decisions } = outcome.content;
  console.log(
    `content is valid: ${capsules.length} capsules, ${offers.length} offers, ${docs.length} pages, ${decisions.length} decisions`,
  );
} else {
  console.error(outcome.problems.map((problem) => formatProblem(problem)).join('\n'));
  console.error(outcome.problems.length === 1 ? '1 problem' : `${outcome.problems.length} problems`);
  process.exitCode = 1;
}

import { formatProblem } from '../../publication/content-problem.ts';
import { paymentOverrides } from '../../publication/payment-settings.ts';
import { readContent } from '../../publication/read-content.ts';
import { checkPublishedVersions } from '../../build/content/published-versions.ts';
import { readPublished } from '../../build/publishing/publishing-state.ts';
import { today } from '../../build/today.ts';

const outcome = await readContent(process.cwd(), {
  today: today(),
  baseUrl: process.env['BASE_URL'],
  checkoutHost: process.env['CHECKOUT_HOST'],
  ...paymentOverrides(process.env),
});
const problems = outcome.content
  ? await checkPublishedVersions(outcome.content, (await readPublished(process.cwd())).versions)
  : outcome.problems;
if (outcome.content && problems.length === 0) {
  const { capsules, offers, pages } = outcome.content;
  const paid = capsules.filter(({ frontMatter }) => frontMatter.access === 'paid').length;
  console.log(
    `content is valid: ${capsules.length} capsules${paid === 0 ? '' : ` (${paid} paid)`}, ${offers.length} offers, ${pages.length} pages`,
  );
} else {
  console.error(problems.map((problem) => formatProblem(problem)).join('\n'));
  console.error(problems.length === 1 ? '1 problem' : `${problems.length} problems`);
  process.exitCode = 1;
}

import { checkPublishedVersions } from '../../build/content/published-versions.ts';
import { readPublished } from '../../build/publishing/publishing-state.ts';
import { readContent, today } from '../../publication/read-content.ts';
import { formatProblem } from '../../publication/content-problem.ts';
import { paymentOverrides } from '../../publication/payment-settings.ts';
import { defineCommand } from '../define-command.ts';

export const command = defineCommand()
  .description('Check the files in content/ and print every problem with its file and line.')
  .action(async () => {
    const { content, problems: contentProblems } = await readContent(process.cwd(), {
      today: today(),
      baseUrl: process.env['BASE_URL'],
      checkoutHost: process.env['CHECKOUT_HOST'],
      ...paymentOverrides(process.env),
    });
    const problems = content ? await checkPublishedVersions(content, (await readPublished(process.cwd())).versions) : contentProblems;
    if (content && problems.length === 0) {
      const { capsules, offers, pages } = content;
      const paid = capsules.filter(({ frontMatter }) => frontMatter.access === 'paid').length;
      console.log(
        `content is valid: ${capsules.length} capsules${paid === 0 ? '' : ` (${paid} paid)`}, ${offers.length} offers, ${pages.length} pages`,
      );
      return;
    }
    console.error(problems.map((problem) => formatProblem(problem)).join('\n'));
    console.error(problems.length === 1 ? '1 problem' : `${problems.length} problems`);
    process.exitCode = 1;
  });

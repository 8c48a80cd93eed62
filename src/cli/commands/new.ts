import { readContent } from '../../publication/read-content.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { Id } from '../../schemas/primitives.ts';
import { RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { CONTENT_KINDS, type ContentKind, createContent } from '../content/new-content.ts';
import { today } from '../../build/today.ts';

const [kind = '', id = ''] = process.argv.slice(2);
try {
  if (!CONTENT_KINDS.includes(kind as ContentKind))
    throw new BuildSettingError('say what to make and its id: npm run new capsule http-caching, or npm run new offer link-audit');
  const checked = Id.safeParse(id);
  if (!checked.success) throw new BuildSettingError(`"${id}" cannot be an id: it ${checked.error.issues[0]?.message}`);
  if (kind === 'offer' && RESERVED_BUY_IDS.includes(id)) throw new BuildSettingError(`"${id}" is a reserved name`);
  const outcome = await readContent(process.cwd(), { today: today() });
  if (outcome.content === undefined) throw new InvalidContentError(outcome.problems);
  const owner = kind === 'offer' ? outcome.content.offers.find(({ frontMatter }) => frontMatter.aliases.includes(id)) : undefined;
  if (owner) throw new BuildSettingError(`"${id}" is an alias of the offer "${owner.id}" already`);
  const paths = await createContent({
    root: process.cwd(),
    kind: kind as ContentKind,
    id,
    publisher: outcome.content.publisher,
    today: today(),
  });
  console.log(`wrote ${paths.join(' and ')}; fill it in, then run: npm run content:check`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

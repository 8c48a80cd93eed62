import { Id } from '../../schemas/primitives.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { reviseCapsule, VERSION_STEPS, type VersionStep } from '../content/revise-capsule.ts';
import { today } from '../../build/today.ts';

const [id = '', step = 'minor'] = process.argv.slice(2);
try {
  if (!VERSION_STEPS.includes(step as VersionStep) || !Id.safeParse(id).success)
    throw new BuildSettingError('name the capsule, and major, minor or patch if it is not minor: npm run revise http-caching patch');
  const { frozenPath, from, to } = await reviseCapsule(process.cwd(), id, step as VersionStep, today());
  console.log(`version ${from} is frozen as ${frozenPath}; content/capsules/${id}.md is ${to} now: edit it`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

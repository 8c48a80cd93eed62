import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBuildCache } from '../../build/build-fingerprint.ts';
import { checkRendering } from '../../build/check-components-and-diagrams.ts';
import { checkPublishedVersions, checkUploadedBuild } from '../../build/check-published-versions.ts';
import { today } from '../../build/describe-deployment.ts';
import { expectPackages, processorNeeds } from '../../build/engine-package.ts';
import { publishedLedger, uploadedBuild } from '../../build/kv/publishing-state.ts';
import { checkWranglerSettings } from '../../build/wrangler-settings.ts';
import { deliveriesWithoutFunctions } from '../../publication/check/check-offers.ts';
import { countWarnings, describeWarnings, InvalidContentError, isWarning } from '../../publication/content-problem.ts';
import { contentLine } from '../../publication/publish/published-capsules.ts';
import { readContent } from '../../publication/read-content.ts';
import { publisherOverrides } from '../../publication/read-publisher.ts';
import { defineCommand } from '../define-command.ts';
import { withProgress } from '../progress-line.ts';

export const command = defineCommand()
  .description('Check the files in content/ and wrangler.toml, and print every mistake with its file and line: warnings, then errors.')
  .option('--strict', 'exit with code 1 for warnings too')
  .option('--all', 'list equal warnings in many files one by one')
  .action(async ({ strict, all }) => {
    const root = process.cwd();
    const cache = await openBuildCache(root);
    const options = { today: today(), ...publisherOverrides(process.env), cache };
    const { content, problems, warnings: own } = await withProgress(({ show }) => readContent(root, { ...options, onProgress: show }));
    const ledger = content && (await publishedLedger(root, content.ledger));
    const uploaded = await uploadedBuild(root);
    const unrecorded = content && ledger ? await checkUploadedBuild(content, uploaded, ledger) : [];
    const undelivered = uploaded?.mode === 'static' ? deliveriesWithoutFunctions(content?.offers ?? []) : [];
    const rendering = await checkRendering(root, content, cache);
    cache.save();
    const wrangler = await checkWranglerSettings(root, content?.publisher.storage ?? 'kv');
    const warnings = [...own, ...unrecorded, ...undelivered, ...rendering.warnings, ...wrangler.filter(isWarning)];
    const errors = [...problems, ...rendering.problems, ...wrangler.filter((problem) => !isWarning(problem))];
    if (warnings.length > 0) console.log(describeWarnings(warnings, all === true));
    if (content === undefined || ledger === undefined || errors.length > 0) throw new InvalidContentError(errors);
    const changed = await checkPublishedVersions(content, ledger);
    if (changed.length > 0) throw new InvalidContentError(changed);
    console.log(`${contentLine(content, 'edge')}; no mistakes${warnings.length === 0 ? '' : `, ${countWarnings(warnings)}`}`);
    await expectPackages([...rendering.needs, ...(existsSync(join(root, 'functions')) ? processorNeeds(content.publisher) : [])]);
    if (strict && warnings.length > 0) process.exitCode = 1;
  });

import { appendFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSite } from '../../../src/build/build-site.ts';
import { today } from '../../../src/build/describe-deployment.ts';
import { newScript } from '../../support/campaign.ts';
import { makeDevPublication } from '../../support/dev-publication.ts';
import { ROOT } from '../../support/paths.ts';
import { type BuiltFiles, canServe, examineHost, isInstalled, STATIC_HOSTS, serveOnHost } from '../../support/static-hosts.ts';

const { details = false } = newScript(
  'conformance:hosts',
  'Serve the sample without functions by nginx, Caddy, python3 and doubles of services, at the root of a host and below a path, and ask for all that it names.',
)
  .option('--details', 'print each finding')
  .parse()
  .opts();

const publication = await makeDevPublication('hosts');
const root = publication.folder;
await cp(join(ROOT, 'public'), join(root, 'public'), { recursive: true });
console.log('base_url  form       host     addresses  broken  headers  redirects  404');
for (const path of ['', '/repo'])
  for (const form of ['file', 'directory'] as const) {
    await cp(join(ROOT, 'content'), join(root, 'content'), { recursive: true });
    await appendFile(join(root, 'content/publisher.yaml'), `static_form: ${form}\n`);
    const baseUrl = `https://signpost.example${path}`;
    const report = (): void => undefined;
    await buildSite({ root, output: root, mode: 'static', today: today(), baseUrl, mayBeUnsigned: true, isTrial: true, report });
    const built: BuiltFiles = { site: join(root, 'dist-static'), servers: join(root, '.akg/servers'), form, baseUrl };
    for (const host of STATIC_HOSTS.filter((one) => canServe(one, built))) {
      const row = `${(path || '/').padEnd(9)} ${form.padEnd(10)} ${host.padEnd(8)} `;
      if (!isInstalled(host)) {
        console.log(`${row}is not installed`);
        continue;
      }
      const server = await serveOnHost(host, built);
      const { addresses, broken, wrongHeaders, wrongRedirects, wrongMissing, redirects } = await examineHost(host, built, server.origin);
      await server.stop();
      const cells = [addresses, broken.length, wrongHeaders.length, `${wrongRedirects.length} of ${redirects}`, wrongMissing.length];
      console.log(row + cells.map((cell, at) => `${cell}`.padStart([9, 8, 9, 11, 5][at] ?? 0)).join(''));
      const findings = [...broken, ...wrongHeaders, ...wrongRedirects, ...wrongMissing];
      if (details) for (const finding of findings) console.log(`  ${finding}`);
      if (findings.length > 0) process.exitCode = 1;
    }
  }
await publication.remove();
// The double of Pages watches its folder for as long as the process runs.
process.exit();

import { join } from 'node:path';
import { bundleModule } from './bundle-module.ts';

const CLIENT = join(import.meta.dirname, '../client');

/**
 * Bundles the client as one module without imports. The values of `operations.ts` stand in it as they are: the routes that they come from
 * need the whole gateway.
 */
export async function bundleClient(): Promise<Uint8Array> {
  const operations = join(CLIENT, 'operations.ts');
  const values = (await import(operations)) as object;
  return bundleModule({
    absWorkingDir: CLIENT,
    entryPoint: join(CLIENT, 'gateway.ts'),
    plugins: [
      {
        name: 'values-of-operations',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/operations\.ts$/ }, () => ({
            contents: Object.entries(values)
              .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
              .join('\n'),
          }));
        },
      },
    ],
  });
}

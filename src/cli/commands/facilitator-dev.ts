import { runCommerceScript } from '../run-commerce-script.ts';

/** Starts the facilitator for tests. */
await runCommerceScript('facilitator-dev.ts');

import { runCommerceScript } from '../run-commerce-script.ts';

/** Lets an agent with the official clients make its whole journey against a fresh service. */
await runCommerceScript('demo.ts');

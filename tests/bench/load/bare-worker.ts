import { Hono } from 'hono';

/** The same framework without anything behind it: what a request costs before a gateway has done anything. */
const app = new Hono();
app.all('*', (context) => context.json({}));

export default app;

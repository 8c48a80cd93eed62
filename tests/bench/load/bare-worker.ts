import { Hono } from 'hono';

/** The same framework with an empty handler: the cost of a request without a gateway. */
const app = new Hono();
app.all('*', (context) => context.json({}));

export default app;

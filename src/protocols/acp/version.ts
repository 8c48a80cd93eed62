/** Version of the Agentic Commerce Protocol (OpenAI/Stripe, agenticcommerce.dev) that is spoken. */
export const ACP_VERSION = '2026-04-17';

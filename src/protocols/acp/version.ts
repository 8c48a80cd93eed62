/** Supported version of the Agentic Commerce Protocol (OpenAI/Stripe, agenticcommerce.dev). */
export const ACP_VERSION = '2026-04-17';

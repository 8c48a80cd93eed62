/** Supported version of the Agentic Commerce Protocol (OpenAI/Stripe, agenticcommerce.dev). */
export const ACP_VERSION = '2026-04-17';

/** Supported version of the Universal Commerce Protocol (ucp.dev). */
export const UCP_VERSION = '2026-08-25';

/** Supported version of x402 (x402.org). */
export const X402_VERSION = 2;

/** Supported versions of the Agent2Agent Protocol (a2a-protocol.org), newest first. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;

/** Supported version of NLWeb (github.com/nlweb-ai). */
export const NLWEB_VERSION = '0.55';

/** Supported draft of the HTTP authentication scheme Payment (draft-httpauth-payment). */
export const MPP_VERSION = 'draft-httpauth-payment-00';

/**
 * Supported revisions of the Model Context Protocol, newest first. Since 2026-07-28 every request carries its version; older revisions
 * begin with `initialize`, which stores nothing here.
 */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

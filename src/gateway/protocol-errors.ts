import type { ErrorEntry } from './error-entry.ts';

/** Errors of the Universal Commerce Protocol, as a part of the table of all errors. */
export const UCP_ERRORS = {
  invalid_profile_url: {
    status: 400,
    title: 'The profile of the platform is missing or malformed',
    retry: 'changed',
    explanation:
      'A request of the Universal Commerce Protocol names the profile of the platform that sends it, at an https address: in the header UCP-Agent, or over MCP in meta. The address is compared and never fetched.',
    nextActions: [{ description: 'Send UCP-Agent: profile="https://…", or over MCP meta["ucp-agent"].profile.' }],
  },
  rpc_method_not_found: {
    status: 404,
    title: 'There is no such method',
    retry: 'never',
    explanation:
      'The request of JSON-RPC names a method that is not served here. Those are initialize, ping, server/discover, tools/list and tools/call.',
    nextActions: [{ description: 'Ask for tools/list, and call a tool with tools/call.' }],
  },
} as const satisfies Record<string, ErrorEntry>;

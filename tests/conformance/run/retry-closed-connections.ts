/**
 * Preloaded into a checker: repeats a request once whose connection the server had closed, as RFC 9110 section 9.2.2 allows for methods that are
 * safe to repeat.
 */

const CLOSED: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const REPEATABLE: readonly string[] = ['GET', 'HEAD'];
const fetchOnce = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  try {
    return await fetchOnce(input, init);
  } catch (error) {
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    if (!REPEATABLE.includes(method.toUpperCase()) || !CLOSED.includes(cause?.code)) throw error;
    return fetchOnce(input, init);
  }
};

export {};

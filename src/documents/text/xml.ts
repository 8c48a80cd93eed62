/** Text for element content and attribute values (XML 1.0 section 2.4); characters that XML does not allow are left out. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** First line of every XML document. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

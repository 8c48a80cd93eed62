import type { Problem } from '../schemas/problem-details.ts';
import { plainText } from '../search/passages/plain-text.ts';
import { markdownLink, plainMarkdown } from '../text/markdown/write-markup.ts';

/** A problem document as markdown, for a language model: what happened, what was wrong, what to do next, and the other members as JSON. */
export function problemMarkdown(problem: Problem): string {
  const { title, status, code, request_id, detail, errors = [], next_actions, retry_after_seconds: wait, ...others } = problem;
  // The schemas of extensions of x402 stay in the header and in the JSON: they would bury the terms.
  const { type: _type, instance: _instance, preview, extensions: _extensions, ...members } = others as typeof others & PaymentMembers;
  const lines = errors.map(({ pointer, message, did_you_mean, line, column }) => {
    const place = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
    const meant = did_you_mean === undefined ? '' : ` (did you mean \`${JSON.stringify(did_you_mean)}\`?)`;
    return `- \`${pointer}\` ${plainMarkdown(message)}${place}${meant}`;
  });
  const steps = next_actions.map(({ description, method = 'GET', href }) => {
    if (href === undefined) return `- ${plainMarkdown(description)}`;
    return method === 'GET' ? `- ${markdownLink(description, href)}` : `- ${plainMarkdown(description)} ${method} ${href}`;
  });
  const parts = [
    `---\nstatus: ${status}\ncode: ${code}\nrequest_id: ${request_id}\n---`,
    `# ${title}`,
    plainMarkdown(detail),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...(preview === undefined ? [] : [previewMarkdown(preview)]),
    ...(wait === undefined ? [] : [`Retry after ${wait} ${wait === 1 ? 'second' : 'seconds'}.`]),
    ...(steps.length === 0 ? [] : [`## What to do next\n\n${steps.join('\n')}`]),
    ...(Object.keys(members).length === 0 ? [] : [`## Details\n\n\`\`\`json\n${JSON.stringify(members, undefined, 2)}\n\`\`\``]),
  ];
  return `${parts.join('\n\n')}\n`;
}

interface PaymentMembers {
  readonly preview?: DescribedPreview;
  readonly extensions?: unknown;
}

export interface DescribedPreview {
  readonly title: string;
  readonly summary: string;
  /** Absent if the summary is the preview. */
  readonly markdown?: string;
  readonly words: number;
  readonly tokens: number;
  readonly sections: number;
  readonly sources: number;
  readonly evidence: string;
  readonly version: string;
  readonly content_sha256: string;
  readonly headings?: readonly string[];
  readonly price: string;
  readonly ways_to_pay: readonly string[];
  /** The page of the cheapest offer that delivers the text to a person; absent without any. */
  readonly buy_url?: string;
}

export function previewMarkdown({ title, summary, markdown, words, tokens, sections, sources, ...whole }: DescribedPreview): string {
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const amount = `${counted(words, 'word')} (about ${tokens} tokens) in ${counted(sections, 'section')} with ${counted(sources, 'source')}`;
  const { evidence, version, content_sha256, headings = [], price, ways_to_pay: ways } = whole;
  return [
    `## ${plainMarkdown(title)}`,
    ...(markdown !== undefined && plainText(markdown).text.startsWith(summary.replace(/…$/, '')) ? [] : [plainMarkdown(summary)]),
    ...(markdown === undefined ? [] : [markdown]),
    ...(headings.length === 0 ? [] : [`The rest has these headings: ${headings.map(plainMarkdown).join('; ')}.`]),
    `> This is the preview. The whole text is paid, ${price}: ${amount}; version ${version}, evidence: ${evidence}, SHA-256 ${content_sha256}.`,
    ...(ways.length === 0 ? [] : [`Ways to pay:\n\n${ways.map((way) => `- ${way}`).join('\n')}`]),
  ].join('\n\n');
}

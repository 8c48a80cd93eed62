import type { Root } from 'mdast';
import { findInstructions } from './find-instructions.ts';
import { findHiddenCharacters } from './hidden-characters.ts';
import { countWords, maskCode, parseMarkdown, walk, withFootnotes } from './markdown.ts';

/** Fewest and most words of a capsule's text. */
export const CAPSULE_WORDS = { min: 200, max: 900 } as const;

/** A finding in a markdown body; `line` counts from 1 within the body. */
export interface TextFinding {
  readonly line: number;
  readonly message: string;
}

/** What a body is checked against. */
export interface TextRules {
  readonly minWords: number;
  readonly maxWords: number;
  /** Keys of the sources that the text may refer to as `[^key]`, each at least once; empty where there are none. */
  readonly sourceKeys: readonly string[];
  /** Whether a root-relative link such as `/capsules/http-caching` leads somewhere. */
  readonly linkExists: (path: string) => boolean;
  /** Parses the text; {@link parseMarkdown} unless said otherwise. */
  readonly parse?: (text: string) => Root;
}

/** Checks a markdown body: length, headings, raw HTML, images, links, references to sources, and sentences that tell a reading model what to do. */
export function checkText(body: string, rules: TextRules): TextFinding[] {
  const findings: TextFinding[] = [];
  const bodyLines = body.split('\n').length;
  const parse = rules.parse ?? parseMarkdown;
  const root = parse(
    withFootnotes(
      body,
      rules.sourceKeys.map((key) => ({ key, markdown: 'source' })),
    ),
  );
  const referenced = new Set<string>();
  walk(root, (node) => {
    const line = node.position?.start.line ?? 1;
    if (line > bodyLines) return;
    const report = (message: string): void => void findings.push({ line, message });
    switch (node.type) {
      case 'html':
        return report('holds raw HTML or an HTML comment; write markdown, and put code in back quotes');
      case 'image':
      case 'imageReference':
        return report('holds an image; capsules and pages are text');
      case 'heading':
        return node.depth === 1 ? report('holds a heading of the first level; the title is that heading, so begin with ##') : undefined;
      case 'footnoteReference':
        return void referenced.add(node.identifier);
      case 'footnoteDefinition':
        return report(`defines the footnote [^${node.identifier}]; name the source under "sources" instead`);
      case 'text': {
        // A character reference such as &#8203; hides a character from a search of the text as it is written.
        for (const { character, codePoint, line: below } of findHiddenCharacters(node.value)) {
          if (!body.includes(character))
            findings.push({ line: line + below - 1, message: `holds the hidden character ${codePoint}; remove it` });
        }
        const unknown = /\[\^([^\][\s]{1,100})\]/.exec(node.value);
        return unknown ? report(`refers to [^${unknown[1]}], which is not among the sources`) : undefined;
      }
      case 'code':
        return node.lang ? undefined : report('holds a code block without a language; write it after the fence, such as ```http');
      case 'link':
      case 'definition': {
        const message = linkProblem(node.url, rules.linkExists);
        return message === undefined ? undefined : report(message);
      }
      default:
        return undefined;
    }
  });
  for (const { rule, line, message } of findInstructions(maskCode(body, root))) {
    // A link to a script is told of above.
    if (rule !== 'script-link') findings.push({ line, message });
  }
  for (const key of rules.sourceKeys) {
    if (!referenced.has(key))
      findings.push({ line: 1, message: `never refers to its source [^${key}]; refer to it where it supports the text, or remove it` });
  }
  const words = countWords(parse(body));
  if (words < rules.minWords || words > rules.maxWords) {
    findings.push({ line: 1, message: `has ${words} words; ${rules.minWords} to ${rules.maxWords} are allowed` });
  }
  return findings;
}

/** What is wrong with a link's target, if anything. */
function linkProblem(url: string, linkExists: (path: string) => boolean): string | undefined {
  if (url.startsWith('#') || url.startsWith('mailto:')) return undefined;
  if (url.startsWith('/') && !url.startsWith('//')) {
    const path = url.replace(/[?#].*$/, '');
    return linkExists(path) ? undefined : `links to ${path}, which is not a page of this site`;
  }
  return url.startsWith('https://') ? undefined : `links to ${url}; links begin with https://, mailto:, # or /`;
}

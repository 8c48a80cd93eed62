import type { Root } from 'mdast';
import { findInstructions } from './find-instructions.ts';
import { findHiddenCharacters } from './hidden-characters.ts';
import { countWords, maskCode, walk, withFootnotes } from './markdown.ts';

/** Fewest and most words of a capsule's text. */
export const CAPSULE_WORDS = { min: 200, max: 900 } as const;

/** A mistake in a markdown body; `line` is its line in the body, from 1. */
export interface TextFinding {
  readonly line: number;
  readonly message: string;
}

interface TextRules {
  readonly minWords: number;
  readonly maxWords: number;
  /** Keys of the sources. The text must refer to each at least once as `[^key]`. If they are unknown, references are not checked. */
  readonly sourceKeys: readonly string[] | undefined;
  /** Whether the target of a root-relative link such as `/capsules/http-caching` exists. */
  readonly linkExists: (path: string) => boolean;
  /** Parses the text. */
  readonly parse: (text: string) => Root;
  /** Whether a stranger submitted the text: then it has no raw HTML, images and footnotes of its own. */
  readonly isSubmitted: boolean;
}

/** Checks a markdown body: length, headings, raw HTML, images, links, references to sources, and instructions to a model. */
export function checkText(body: string, rules: TextRules): TextFinding[] {
  const findings: TextFinding[] = [];
  const reported = new Set<string>();
  const sourceKeys = rules.sourceKeys ?? [];
  const bodyLines = body.split('\n').length;
  const { parse, isSubmitted } = rules;
  const root = parse(
    withFootnotes(
      body,
      sourceKeys.map((key) => ({ key, markdown: 'source' })),
    ),
  );
  const referenced = new Set<string>();
  walk(root, (node) => {
    const line = node.position?.start.line ?? 1;
    if (line > bodyLines) return;
    const report = (message: string): void => {
      if (!reported.has(`${line} ${message}`)) findings.push({ line, message });
      reported.add(`${line} ${message}`);
    };
    switch (node.type) {
      case 'html':
        return isSubmitted ? report('contains raw HTML or an HTML comment; write markdown, and put code in backquotes') : undefined;
      case 'image':
      case 'imageReference':
        return isSubmitted ? report('contains an image, which is not allowed; describe it in words') : undefined;
      case 'heading':
        return node.depth === 1 ? report('contains a first-level heading (#), which is reserved for the title; start at ##') : undefined;
      case 'footnoteReference':
        return void referenced.add(node.identifier);
      case 'footnoteDefinition':
        if (isSubmitted) return report(`defines the footnote [^${node.identifier}]; list the source under "sources" instead`);
        return sourceKeys.some((key) => key.toLowerCase() === node.identifier.toLowerCase())
          ? report(`defines the footnote [^${node.identifier}], which is the key of a source; rename one of them`)
          : undefined;
      case 'text': {
        // Characters that the file has only as a character reference such as &#8203;.
        for (const { character, codePoint, line: below } of findHiddenCharacters(node.value)) {
          if (!body.includes(character))
            findings.push({ line: line + below - 1, message: `contains the hidden character ${codePoint}; delete it` });
        }
        if (rules.sourceKeys === undefined) return undefined;
        const unknown = /\[\^([^\][\s]{1,100})\]/.exec(node.value);
        return unknown ? report(`refers to [^${unknown[1]}], which is not among the sources; add it, or delete the reference`) : undefined;
      }
      case 'code':
        return node.lang ? undefined : report('contains a code block without a language; write one after the fence, such as ```http');
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
    // linkProblem() reports links to scripts.
    if (rule !== 'script-link') findings.push({ line, message });
  }
  for (const key of sourceKeys) {
    if (!referenced.has(key))
      findings.push({ line: 1, message: `never refers to its source [^${key}]; refer to it where it supports the text, or delete it` });
  }
  const words = countWords(parse(body));
  if (words < rules.minWords || words > rules.maxWords) {
    findings.push({ line: 1, message: `has ${words} words; write ${rules.minWords} to ${rules.maxWords}` });
  }
  return findings;
}

function linkProblem(url: string, linkExists: (path: string) => boolean): string | undefined {
  if (url.startsWith('#') || url.startsWith('mailto:')) return undefined;
  if (url.startsWith('/') && !url.startsWith('//')) {
    const path = url.replace(/[?#].*$/, '');
    return linkExists(path) ? undefined : `links to ${path}, which is not a page of this site; correct or delete the link`;
  }
  return url.startsWith('https://') ? undefined : `links to ${url}; begin links with https://, mailto:, # or /`;
}

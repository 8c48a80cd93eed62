import { readFileSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidContentError } from '../publication/content-problem.ts';

/** Folder of the engine's own components. */
const ENGINE_SITE = import.meta.dirname;

/**
 * The error of a build as a mistake in a component of the publication, with its file and line; `undefined` if none of its components is
 * involved.
 */
export function componentError(root: string, error: unknown): InvalidContentError | undefined {
  if (!(error instanceof Error) || error instanceof InvalidContentError) return undefined;
  const place = namedPlace(root, error.message) ?? renderedPlace(root, error.stack ?? '');
  if (place === undefined) return undefined;
  // Stacks and advice to authors of plugins follow the first sentence.
  const reason =
    error.message
      .split('\n')
      .find((line) => line.trim() !== '' && !/^Build failed|^\[plugin/.test(line))
      ?.replace(/^(?:Error: )?(?:\[vite\]: )?/, '')
      .replaceAll(`${root}${sep}`, '') ?? error.message;
  return new InvalidContentError([
    { file: relative(root, place.file), line: place.line, field: '', message: `stops the build: ${reason}` },
  ]);
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** The component that a message names, with the line that it names, or that contains what it quotes. */
function namedPlace(root: string, message: string): Place | undefined {
  const ending = '.astro';
  for (const word of message.split(/[\s"'`()]/)) {
    const at = word.lastIndexOf(ending);
    const path = word.slice(0, at + ending.length);
    if (at === -1 || !isAbsolute(path) || !isOwn(root, path)) continue;
    const line = /^:(\d+)/.exec(word.slice(path.length))?.[1];
    const quoted = [...message.matchAll(/"([^"\n]+)"/g)].map(([, text = '']) => text).find((text) => text !== path);
    return { file: path, line: line === undefined ? lineWith(path, quoted) : Number(line) };
  }
  return undefined;
}

/** The component whose code, bundled by the build, is first in a stack. */
function renderedPlace(root: string, stack: string): Place | undefined {
  for (const { 1: url = '', 2: line, 3: column } of stack.matchAll(/\(?(file:\/\/[^\s():]+\.mjs):(\d+):(\d+)/g)) {
    const lines = readLines(fileURLToPath(url));
    // Astro ends each component with its file.
    const end = lines.slice(Number(line) - 1).find((text) => /^\}, ".*\.astro"/.test(text));
    const file = /^\}, "(.*\.astro)"/.exec(end ?? '')?.[1];
    if (file === undefined || !isOwn(root, file)) continue;
    const code = (lines[Number(line) - 1] ?? '').slice(Number(column) - 1);
    return { file, line: lineWith(file, /^\.?[\w$.]+/.exec(code)?.[0]) };
  }
  return undefined;
}

function isOwn(root: string, file: string): boolean {
  const path = relative(root, file);
  return !path.startsWith('..') && !path.split(sep).includes('node_modules') && relative(ENGINE_SITE, file).startsWith('..');
}

/** Line of the first place where a file contains a text; 1 if nowhere. */
function lineWith(file: string, text: string | undefined): number {
  const index = text === undefined ? -1 : readLines(file).findIndex((line) => line.includes(text));
  return Math.max(0, index) + 1;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

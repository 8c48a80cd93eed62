/** The search of the gateway for scripts of pages: run in the browser over blocks that are files of the site, or asked from functions. */
import * as strings from 'virtual:search-strings';
import { stateWords } from '../../gateway/knowledge/capsule-status-sentences.ts';
import { Corpus } from '../../gateway/knowledge/corpus.ts';
import { BlockCache } from '../../gateway/knowledge/load-block.ts';
import {
  readSearchAsTyped,
  readSearchPage,
  type SearchedGeneration,
  type SearchPage,
} from '../../gateway/knowledge/search-results-page.ts';
import type { Result } from '../../gateway/result.ts';
import { PATHS, searchBlockPath } from '../../schemas/paths.ts';
import { Kernel } from '../../search/scoring-wasm/kernel.ts';
import kernelAddress from '../../search/scoring-wasm/kernel.wasm?url';
import { formatMessage, isolated, languageNames } from '../../text/strings/message-format.ts';

/** The search of this site. Both reject if the index cannot be read. */
export interface BrowserSearch {
  /** A page of results, counted from 1, as the API ranks them. Only sites without functions need it. */
  readonly find: (query: string, kind?: string, page?: number) => Promise<SearchPage>;
  /** The first page of results for what a reader has typed so far; the last word may be incomplete. */
  readonly findAsTyped: (typed: string) => Promise<SearchPage>;
}

export const SEARCH_STATE_WORDS = stateWords(strings.language, strings.stateSentences, strings.stateTerms);

/** How much a search found, what it searched instead, and without results what to do. */
export function foundSentences({ hits, total, isExact, corrections, languages }: SearchPage, shownQuery: string): string {
  const isEmpty = hits.length === 0;
  const sentence = isEmpty ? strings.nothingFound : isExact ? strings.found : strings.foundAtLeast;
  return [
    formatMessage(sentence, { query: shownQuery, count: total }, strings.language),
    ...corrections.map(({ word, readAs }) =>
      formatMessage(strings.corrected, { word: isolated(word), readAs: isolated(readAs) }, strings.language),
    ),
    ...(isEmpty
      ? [
          strings.advice,
          languages[0] && formatMessage(strings.textsIn, { languages: languageNames(languages, strings.language) }, strings.language),
        ]
      : []),
  ].join(isEmpty ? ' ' : ' · ');
}

/** Encoded bytes of blocks that stay in memory. */
const CACHE_BYTES = 16 * 1024 * 1024;

let opened: Promise<BrowserSearch> | undefined;

/** Opens the search of this site. It is opened once; after a failure the next call tries again. */
export function openSearch(): Promise<BrowserSearch> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open(): Promise<BrowserSearch> {
  const response = await fetch(import.meta.env.BASE_PATH + PATHS.searchIndex, { cache: 'no-cache' });
  // The index of a large site is not among its files: functions search it.
  if (response.status === 404) return { find: findRemotely, findAsTyped: findRemotely };
  const deployed = (await expectOk(response).json()) as SearchedGeneration;
  const module = await WebAssembly.compile(await (await fetchOk(kernelAddress)).arrayBuffer());
  const read = async (sha256: string): Promise<Uint8Array | undefined> => {
    const { body } = await fetchOk(import.meta.env.BASE_PATH + searchBlockPath(sha256));
    return body === null ? undefined : new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
  };
  const corpus = new Corpus(deployed, { read }, new BlockCache(CACHE_BYTES), new Kernel(module));
  const site = { baseUrl: '', offers: [] };
  const never = (): void => undefined;
  const prefer_language = navigator.language;
  return {
    find: async (query, kind, page = 1) => expectFound(await readSearchPage({ query, kind, page, prefer_language }, corpus, site, never)),
    findAsTyped: async (typed) => {
      const answer = deployed.answers?.[typed.toLowerCase()];
      if (answer !== undefined) return { ...(JSON.parse(new TextDecoder().decode(await read(answer))) as SearchPage), query: typed };
      return expectFound(await readSearchAsTyped(typed, prefer_language, corpus, site, never));
    },
  };
}

async function findRemotely(typed: string): Promise<SearchPage> {
  return (await (
    await fetchOk(`${PATHS.searchAsTyped}?${new URLSearchParams({ q: typed, prefer_language: navigator.language })}`)
  ).json()) as SearchPage;
}

function expectFound(found: Result<SearchPage>): SearchPage {
  if (!found.ok) throw new Error(found.refusal.code);
  return found.value;
}

async function fetchOk(address: string): Promise<Response> {
  return expectOk(await fetch(address));
}

function expectOk(response: Response): Response {
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  return response;
}

import type { APIRoute, GetStaticPaths } from 'astro';
import { listMarkdown } from '../describe-capsule-lists.ts';
import { type ListFile, listFiles, readListFile } from '../query-collections.ts';

/** The markdown pages of the lists of capsules and of subjects, where the pages of capsules are files. */
export const getStaticPaths: GetStaticPaths = listFiles;

export const GET: APIRoute<{ file: ListFile }> = async ({ props, locals }) =>
  new Response(listMarkdown(await readListFile(props.file), locals));

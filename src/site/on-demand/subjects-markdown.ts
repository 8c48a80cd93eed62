import type { APIRoute } from 'astro';
import type { PageProps } from '../../http/on-demand-pages.ts';
import { subjectsMarkdown } from '../list-text.ts';

/** The markdown twin of a page of the list of subjects. */
export const GET: APIRoute = ({ locals }) => new Response(subjectsMarkdown(locals.props as PageProps['subjects-markdown'], locals));

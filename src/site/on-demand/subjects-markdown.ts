import type { APIRoute } from 'astro';
import type { PageProps } from '../../http/page-props.ts';
import { subjectsMarkdown } from '../list-text.ts';

/** A page of the list of subjects as markdown. */
export const GET: APIRoute = ({ locals }) => new Response(subjectsMarkdown(locals.props as PageProps['subjects-markdown'], locals));

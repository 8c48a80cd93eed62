import type { APIRoute } from 'astro';
import type { PageProps } from '../../http/on-demand-pages.ts';
import { capsuleListMarkdown } from '../list-text.ts';

/** The markdown twin of a page of a list of capsules. */
export const GET: APIRoute = ({ locals }) => new Response(capsuleListMarkdown(locals.props as PageProps['capsules-markdown'], locals));

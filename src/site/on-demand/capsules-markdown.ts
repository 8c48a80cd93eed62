import type { APIRoute } from 'astro';
import type { PageProps } from '../../http/page-props.ts';
import { capsuleListMarkdown } from '../list-text.ts';

/** A page of a list of capsules as markdown. */
export const GET: APIRoute = ({ locals }) => new Response(capsuleListMarkdown(locals.props as PageProps['capsules-markdown'], locals));

import type { APIRoute } from 'astro';
import type { PageProps } from '../../http/on-demand-page-props.ts';
import { listMarkdown } from '../describe-capsule-lists.ts';

export const GET: APIRoute = ({ locals }) => new Response(listMarkdown(locals.props as PageProps['list-markdown'], locals));

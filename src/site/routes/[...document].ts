import type { APIRoute, GetStaticPaths } from 'astro';
import type { DocumentFile } from '../../text/publication-model.ts';
import { siteSource } from '../site-source.ts';

export const getStaticPaths: GetStaticPaths = async () => {
  const documents = (await siteSource()?.documents()) ?? [];
  return documents.map((document) => ({ params: { document: document.path.slice(1) }, props: { document } }));
};

export const GET: APIRoute<{ document: DocumentFile }> = ({ props: { document } }) =>
  new Response(document.body, { headers: { 'Content-Type': document.contentType } });

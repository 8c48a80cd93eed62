import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { FILE_MAX_BYTES, type OpenOptions, type Source } from '../source-page.ts';
import { openSite } from './fetch-pages.ts';
import { isExport, readExport } from './read-export.ts';
import { readFolder } from './read-folder.ts';
import { isHtmlFolder, readHtmlFolder } from './read-html-folder.ts';
import { isOpenApi, readOpenApi } from './read-openapi.ts';
import { isSitemap, readLlmsTxt, readSite, readSitemap } from './read-site.ts';

/** Reads whatever the user named: a site, a folder, or a document of a known kind. @throws {UserError} If it is nothing that can be imported. */
export async function openSource(given: string, options: OpenOptions): Promise<Source> {
  if (/^https?:\/\//i.test(given)) {
    if (!URL.canParse(given)) throw new UserError(`${given} is not a valid address`);
    const { origin } = new URL(given);
    const site = await openSite(origin, options.requestsPerSecond);
    const fetched = await site.fetchPage(new URL(given).href);
    if ('problem' in fetched) throw new UserError(`${given} ${fetched.problem}`);
    const isHtml = (/html/.test(fetched.mediaType) && !isSitemap(fetched.text)) || /^\s*<(?:!doctype html|html)/i.test(fetched.text);
    return isHtml ? await readSite(fetched, site, options) : await readDocument(given, fetched.text, options);
  }
  if (!existsSync(given)) throw new UserError(`${given} does not exist; name a folder, a file or an https address`);
  const stats = lstatSync(given);
  if (stats.isSymbolicLink()) throw new UserError(`${given} is a symbolic link, which an import does not follow; name what it points to`);
  if (stats.isDirectory())
    return options.generator === 'html' || (options.generator === undefined && isHtmlFolder(resolve(given)))
      ? readHtmlFolder(resolve(given), options)
      : await readFolder(given, options);
  if (stats.size > FILE_MAX_BYTES) throw new UserError(`${given} has more than 30 MB; import a part of it`);
  return await readDocument(given, readFileSync(given, 'utf8'), options);
}

async function readDocument(given: string, text: string, options: OpenOptions): Promise<Source> {
  if (isExport(text)) return readExport(given, text, options);
  if (isSitemap(text)) return await readSitemap(given, text, options);
  if (/\.(?:json|ya?ml)$/i.test(given.replace(/[?#].*$/, '')) || isOpenApi(text)) return readOpenApi(given, text, options);
  if (/llms[\w-]{0,60}\.(?:txt|md)$/i.test(given.replace(/[?#].*$/, ''))) return await readLlmsTxt(given, text, options);
  if (/\.x?html?$/i.test(given)) throw new UserError(`${given} is one page of a site; name its folder, or the address of the site`);
  throw new UserError(
    `${given} is neither a page of a site, a folder, an llms.txt, a sitemap, an OpenAPI document nor an export of WordPress or Ghost; name one of these`,
  );
}

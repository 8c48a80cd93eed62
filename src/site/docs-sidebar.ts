import { documentation } from 'virtual:strings';
import { GUIDE_GROUPS, guidesOf, hasPurchase, type Page, pagesAboutSite } from '../documents/page-registry.ts';
import { operationPath } from '../schemas/paths.ts';
import { operationsOf } from './openapi-view.ts';
import { siteSource } from './site-source.ts';

interface TreeGroup {
  readonly label: string;
  readonly items: readonly (Pick<Page, 'title' | 'path'> & Partial<Page> & { readonly group?: string })[];
}

const GROUP_LABELS: Readonly<Record<(typeof GUIDE_GROUPS)[number], string>> = {
  'Using the API': documentation.usingTheApi,
  Verifying: documentation.verifying,
  Buying: documentation.buying,
  Contributing: documentation.contributing,
};

/** The pages of the documentation by group. With `hasOperations` those of single operations too, which would bury the rest elsewhere. */
export async function docsTree(
  { site, enginePages }: Pick<App.Locals, 'site' | 'enginePages'>,
  hasOperations = false,
): Promise<TreeGroup[]> {
  const guides = guidesOf(site.mode, site.features);
  const description = await siteSource()?.openApi();
  const operations = description === undefined || !hasOperations ? [] : operationsOf(description);
  const api = operations.map(({ operationId, summary }) => ({ title: summary, path: operationPath(operationId), language: 'en' as const }));
  return [
    ...GUIDE_GROUPS.map((group) => ({
      label: GROUP_LABELS[group],
      items: [
        ...(group === 'Buying' && hasPurchase(site.mode, site.features) ? [enginePages.watch] : []),
        ...guides.filter((guide) => guide.group === group),
      ],
    })),
    {
      label: documentation.apiReference,
      items: site.mode === 'edge' && description !== undefined ? [enginePages.api, enginePages.problems, ...api] : [],
    },
    { label: documentation.thisSite, items: pagesAboutSite(enginePages) },
  ].filter(({ items }) => items.length > 0);
}

import { defineConfig } from 'astro/config';
import { siteConfig } from './src/site/integration.ts';
import { readSiteContent } from './src/site/site-content.ts';

// For `astro dev` and `astro check`. `npm run build` runs Astro itself, with the publication that it has made.
export default defineConfig(siteConfig(() => readSiteContent(import.meta.dirname), './dist'));

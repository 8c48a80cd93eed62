import { copyFile, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILD_FOLDER } from '../generation/generation-store.ts';

/** Files that wrangler reads in the folder in which it runs. */
const COPIED = ['wrangler.toml', '.dev.vars'];

/** Folders that are not linked. `functions` is copied, so that its `../.akg` leads to the local build; functions import nothing from the others. */
const NOT_LINKED = ['functions', 'content', 'dist', 'dist-static', 'node_modules', 'public'];

/**
 * Folder of what `npm start` builds. It is laid out as the publication is, so that wrangler, run there, serves this build; `dist/` and
 * `.akg/` of the publication hold what `npm run build` made, and so what a deploy uploads.
 */
export function localFolder(root: string): string {
  return join(root, BUILD_FOLDER, 'local');
}

/** Puts the functions of a publication and the settings of wrangler into {@link localFolder}, and links the folders that functions may import from. */
export async function prepareLocalFolder(root: string): Promise<void> {
  const folder = localFolder(root);
  await mkdir(folder, { recursive: true });
  for (const name of COPIED) await copyFile(join(root, name), join(folder, name));
  await rm(join(folder, 'functions'), { recursive: true, force: true });
  await cp(join(root, 'functions'), join(folder, 'functions'), { recursive: true });
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.') || NOT_LINKED.includes(entry.name)) continue;
    await rm(join(folder, entry.name), { recursive: true, force: true });
    // Windows lets everybody make a junction, and only administrators a link.
    await symlink(join(root, entry.name), join(folder, entry.name), 'junction');
  }
}

/** The module `astro:content`, for tests of modules of `src/site`: the entries of each collection, which tests add. */
export const collections: Record<string, readonly { readonly id: string; readonly data: object }[]> = {};

type Entry = (typeof collections)[string][number];

export const getCollection = async (name: string): Promise<readonly Entry[]> => collections[name] ?? [];
export const getEntry = async (name: string, id: string): Promise<Entry | undefined> => collections[name]?.find((entry) => entry.id === id);

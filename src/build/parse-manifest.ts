import { GenerationManifest } from '../schemas/knowledge/generation.ts';

/** The manifest that some bytes are; nothing if they are missing, damaged or of a layout that is not read. */
export function parseManifest(bytes: Uint8Array | undefined): GenerationManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    return GenerationManifest.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

import { PATHS } from '../../schemas/paths.ts';

/** Commands that check `lineage.json` and `text.md`, one version of a capsule, with the verifier of the site. */
export function verifyTextCommands(baseUrl: string, textPath: string, id: string): string {
  return `curl -sf ${baseUrl}${PATHS.verifier} -o verify.mjs
TEXT_PATH=${textPath} ID=${id} node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { verify } from "./verify.mjs";
  const { TEXT_PATH, ID } = process.env;
  const texts = { [TEXT_PATH]: readFileSync("text.md") };
  const { checks, exit } = await verify({ document: readFileSync("lineage.json"), texts, id: ID });
  const hasText = checks.some(({ check, ok }) => check === "text" && ok);
  if (exit !== 0 || !hasText) throw new Error(JSON.stringify(checks));
  console.log("The publisher recorded this text, and its history is complete.");'`;
}

import { ACP_VERSION } from '../../protocols/versions.ts';
import type { Publication } from '../../publication/publication.ts';
import { hasPrice } from '../../schemas/commerce/offers.ts';
import { buyPath, docPath, PATHS } from '../../schemas/paths.ts';
import { type AgentSkill, agentSkill } from './agent-skill.ts';

/** The skill of buying: a checkout session where agents may open one, otherwise the page of an offer; needs functions. */
export function buyOffer({ deployment, publisher: { name }, offers }: Publication): AgentSkill {
  const { baseUrl, commerce } = deployment;
  const offer = offers.find((one) => hasPrice(one)) ?? offers[0];
  const id = offer?.id ?? '';
  return agentSkill({
    name: 'buy',
    description: `Find an offer of ${name}, its price and its conditions, and prepare the purchase for a person to confirm. Use it when somebody wants to buy.`,
    representativeQueries: [`What does ${offer?.name ?? name} cost?`, `Prepare a purchase from ${name}`],
    body: `# Buy an offer

Nothing is charged before a person confirms the payment. Never invent an e-mail address or an amount: prices always come from the catalog.

## 1. Read the catalog

\`\`\`sh
curl -sf ${baseUrl}${PATHS.offersJson} -o offers.json
node -e '
  for (const { id, name, price_usd, cadence, availability } of require("./offers.json").offers)
    console.log(id, name, price_usd ?? "price on request", cadence ?? "", availability?.available === false ? "(cannot be bought now)" : "");'
\`\`\`

Tell the person the name, the price and the conditions on the page of the offer. An offer marked \`demo\` is a demonstration: no money is taken, and nothing is delivered.

${
  commerce.acp && offer !== undefined && hasPrice(offer)
    ? sessionSteps(baseUrl, id)
    : `## 2. Lead the person to the page

The page of the offer has its conditions and the way to pay or to ask for a quote.

\`\`\`sh
curl -sf ${baseUrl}${buyPath(id)} -o offer.html
\`\`\`

Give the person this address: ${baseUrl}${buyPath(id)}`
}
`,
  });
}

/** Steps that open a checkout session of the Agentic Commerce Protocol. */
function sessionSteps(baseUrl: string, id: string): string {
  return `## 2. Get a key with the scope buy

\`\`\`sh
curl -sf -X POST ${baseUrl}${PATHS.gateway}/register -H 'Content-Type: application/json' \\
  -d '{"agent_name":"My shopping agent","scopes":["read","buy"]}' -o registration.json
\`\`\`

## 3. Open a checkout session

Put the id of the chosen offer in \`line_items\`, and add \`"buyer":{"email":"…"}\` if the person gave you an address.

\`\`\`sh
curl -sf -X POST ${baseUrl}${PATHS.acp}/checkout_sessions \\
  -H "Authorization: Bearer $(node -p 'require("./registration.json").api_key')" -H 'API-Version: ${ACP_VERSION}' \\
  -H "Idempotency-Key: $(node -p 'crypto.randomUUID()')" -H 'Content-Type: application/json' \\
  -d '{"line_items":[{"id":"${id}","quantity":1}],"currency":"usd","capabilities":{}}' -o session.json
node -e '
  const { status, totals, continue_url } = require("./session.json");
  console.log(status, totals.find(({ type }) => type === "total").amount, "minor units", continue_url);'
\`\`\`

## 4. Let the person pay

Show the total and give the person \`continue_url\`. Do not complete a payment yourself unless the person allowed this purchase and this amount. More: ${baseUrl}${docPath('agentic-commerce')}`;
}

import type { ErrorCode } from '../../gateway/errors.ts';
import type { Refusal, Result } from '../../gateway/result.ts';
import { priceText, formatBillingInterval } from '../../gateway/commerce/sessions/price-cart.ts';
import type { Line } from '../../gateway/commerce/sessions/session.ts';
import { buyPath, PATHS } from '../../schemas/paths.ts';
import type { FilledPage } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { fillPage, type PageParts } from '../../http/fill-page.ts';
import { html, type Markup, type Piece } from '../../http/html.ts';

/** Page without content that functions fill; a public request for it comes to the route of orders, which knows no such receipt. */
const BLANK_PAGE = `${PATHS.orders}/blank`;

/** A page of its own: its head, then what stands below it. */
export function blankPage(
  { title, lead, above, body }: { readonly title: string; readonly lead: Piece; readonly above?: Piece; readonly body: Piece },
  kind: PageParts['kind'],
  deps: GatewayDependencies,
  formTargets?: readonly string[],
): Promise<Result<FilledPage>> {
  const main = html`<div class="page-head">
    ${above === undefined ? undefined : html`<p class="trail">${above}</p>`}
    <h1>${title}</h1>
    <p class="lead">${lead}</p>
  </div>
  ${body}`;
  return fillPage(
    BLANK_PAGE,
    { title, slots: { main }, ...(kind === undefined ? {} : { kind }), ...(formTargets ? { formTargets } : {}) },
    deps,
  );
}

/** A section with its name in the rail. */
export function band(name: string, content: Piece): Markup {
  const id = name.toLowerCase().replace(/[^a-z]+/g, '-');
  return html`<section class="band" aria-labelledby="${id}"><h2 id="${id}">${name}</h2><div>${content}</div></section>`;
}

/** Facts beside their names. */
export function facts(entries: readonly (readonly [name: string, value: Piece])[]): Markup {
  return html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** What a list of lines shows. */
export type ShownLine = Pick<Line, 'offerId' | 'name' | 'unitMinor' | 'quantity'> & { readonly cadence?: Line['cadence'] };

/** Lines with their prices and what they add up to, as a bill. */
export function bill(lines: readonly ShownLine[], sums: readonly (readonly [name: string, amountMinor: number])[]): Markup {
  const isRepeated = lines.some(({ cadence = 'one_time' }) => formatBillingInterval(cadence) !== '');
  return html`<table class="bill">
    <caption>Prices in US dollars${isRepeated ? '; what is paid every month or year is counted once' : undefined}</caption>
    <thead><tr><th scope="col">Offer</th><th scope="col" class="amount">Quantity</th><th scope="col" class="amount">Price</th><th scope="col" class="amount">Together</th></tr></thead>
    <tbody>${lines.map(
      ({ offerId, name, unitMinor, quantity, cadence = 'one_time' }) => html`<tr>
      <th scope="row"><a href="${buyPath(offerId)}">${name}</a></th><td class="amount">${quantity}</td>
      <td class="amount">${billed(unitMinor)}${formatBillingInterval(cadence)}</td><td class="amount">${billed(unitMinor * quantity)}</td></tr>`,
    )}</tbody>
    <tfoot>${sums.map(([name, amount]) => html`<tr><th scope="row" colspan="3">${name}</th><td class="amount">${billed(amount)}</td></tr>`)}</tfoot>
  </table>`;
}

function billed(amountMinor: number): string {
  return amountMinor === 0 ? 'Free' : priceText(amountMinor);
}

const MINUTES = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** A moment for people: `22 November 2026 at 10:20 UTC`. */
export function moment(iso: string): Markup {
  return html`<time datetime="${iso}">${MINUTES.format(new Date(iso))} UTC</time>`;
}

/** Codes of refusals whose cure is for software: a challenge cannot be solved in a form. */
const ONLY_SOFTWARE_SOLVES: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

/** Why a form was refused, in words for the person who sent it. */
export function reasonForPeople({ code, detail }: Pick<Refusal, 'code' | 'detail'>): string {
  return ONLY_SOFTWARE_SOLVES.includes(code)
    ? 'So many requests have come in today that this form takes no more until midnight UTC. Write to the publisher, or try again tomorrow.'
    : detail;
}

/** How the publisher is reached. */
export function contactText(email: string): Markup {
  return html`<p>Write to <strong class="address">${email}</strong>, or see <a href="${PATHS.contact}">all ways to get in touch</a>.</p>`;
}

/** Whether all, a part or nothing of some lines is a demonstration. */
export function demoShare(lines: readonly { readonly demo: boolean }[]): 'all' | 'part' | 'none' {
  const count = lines.filter(({ demo }) => demo).length;
  return count === 0 ? 'none' : count === lines.length ? 'all' : 'part';
}

/** Said above lines that are a demonstration, wholly or in part: nothing can be paid for it, and nobody works for it. */
export function demonstration(lines: readonly { readonly demo: boolean }[]): Piece {
  const share = demoShare(lines);
  if (share === 'none') return undefined;
  const what = share === 'all' ? 'This is a demonstration.' : 'A part of this is a demonstration.';
  return html`<p class="banner superseded"><strong>${what}</strong> <span>No money is taken for it, and no work is done.</span></p>`;
}

/** An amount for people, or that nothing is to be paid. */
export function orFree(amountMinor: number): string {
  return amountMinor === 0 ? 'free of charge' : priceText(amountMinor);
}

/** The plain page of a refusal: what is wrong, and the ways on. */
export function refusalPageOf(title: string, refusal: Refusal, ways: Piece, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  return blankPage({ title, lead: refusal.detail, body: band('Where to go on', ways) }, 'secret', deps);
}

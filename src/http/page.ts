import type { PermalinkQuery } from '../gateway/commerce/catalog/permalink.ts';
import type { OpenedCheckout } from '../gateway/commerce/sessions/open-checkout.ts';
import type { Line } from '../gateway/commerce/sessions/session.ts';
import type { ErrorCode } from '../gateway/errors.ts';
import type { Fault } from '../gateway/result.ts';
import type { Offer } from '../schemas/commerce/offers.ts';
import type { OrderResponse } from '../schemas/commerce/orders.ts';
import type { PATHS } from '../schemas/paths.ts';

/** The field of the invoice form with the quantity of an offer: this and the id of the offer. */
export const INVOICE_QUANTITY_PREFIX = 'quantity.';

/** Why a request was refused, as pages show it. */
export interface ShownRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** What each page that is rendered on demand shows, by the name of the page. */
export interface PageProps {
  /** An order, or a request for an invoice. */
  readonly order: {
    readonly order: OrderResponse;
    /** Whether all, a part or nothing of it is a demonstration. */
    readonly demo: 'all' | 'part' | 'none';
  };
  /** A cart and the ways to pay for it. */
  readonly cart: {
    readonly lines: readonly Line[];
    /** Whether one checkout can charge all of it. */
    readonly hasCheckout: boolean;
    /** Campaign labels and a reference, which every way takes along. */
    readonly passedOn: PermalinkQuery['passedOn'];
  };
  /** A checkout session that is not open, or that the buyer comes back to. */
  readonly session: {
    readonly id: string;
    readonly state: (OpenedCheckout & { readonly kind: 'show' })['state'];
    readonly lines: readonly Line[];
    readonly totalMinor: number;
    /** Receipt of the order that the session became. */
    readonly receipt: string | undefined;
  };
  /** Buying on invoice, with its form. */
  readonly invoice: {
    readonly path: typeof PATHS.invoice | typeof PATHS.buyInvoice;
    readonly offers: readonly Offer[];
    /** Values of the fields of the form, by name. */
    readonly values: Readonly<Record<string, string>>;
    /** What is wrong with the items that the address names. */
    readonly itemsProblem?: 'repeated' | 'unknown';
    /** Why the form was refused; faults point into the body that was made of its fields. */
    readonly refusal?: ShownRefusal & { readonly faults?: readonly Fault[] };
  };
  /** In the place of a page that cannot be shown. */
  readonly refusal: {
    readonly subject: 'order' | 'session' | 'cart' | 'delivery';
    readonly refusal: ShownRefusal;
    /** Whether the same request may succeed later. */
    readonly isTemporary?: boolean;
    /** Ids of a refused cart that no offer has. */
    readonly unknownIds?: readonly string[];
  };
}

/** A page to render, with what its response says to browsers and crawlers. */
export type OnDemandPage = {
  readonly [Name in keyof PageProps]: { readonly page: Name; readonly props: PageProps[Name] };
}[keyof PageProps] & {
  /** Where its forms may lead, as sources of its policy; without any, it has none. */
  readonly formTargets?: readonly string[];
  /** `secret`: whoever has the address may see the page, so it is sent to no other site. `unlisted`: not worth finding in a search. */
  readonly visibility?: 'secret' | 'unlisted';
};

/** Renders a page; the composition of the service gives it to the gateway. */
export type RenderPage = (page: OnDemandPage['page'], props: OnDemandPage['props']) => Promise<string>;

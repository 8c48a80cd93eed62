import type { OpenedTexts } from '../gateway/commerce/cart/access-passes.ts';
import type { Line } from '../gateway/commerce/cart/checkout-ports.ts';
import type { OpenedCheckout } from '../gateway/commerce/cart/checkout-sessions.ts';
import type { PermalinkQuery } from '../gateway/commerce/cart/permalink.ts';
import type { DeliveredText } from '../gateway/commerce/orders/order-deliveries.ts';
import type { ShownList } from '../gateway/knowledge/capsule-lists/read-list.ts';
import type { CapsulePage } from '../gateway/knowledge/read-capsule-page.ts';
import type { StatusDay } from '../gateway/knowledge/report-status.ts';
import type { SearchPage } from '../gateway/knowledge/search-results-page.ts';
import type { FieldError, Refusal } from '../gateway/result.ts';
import type { Offer, QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import type { OrderResponse } from '../schemas/commerce/orders.ts';
import type { StatusResponse } from '../schemas/knowledge/corpus-responses.ts';
import type { PATHS } from '../schemas/paths.ts';

export type ShownRefusal = Pick<Refusal, 'code' | 'detail' | 'retryAfterSeconds'>;

/** Why a form was refused; errors point into the body made of its fields. */
interface FormRefusal extends ShownRefusal {
  readonly errors?: readonly FieldError[];
}

/** What the page of a form shows after a refusal: what was typed, and the errors, which point into the body made of the fields. */
export function refusedForm(
  { code, detail, errors, retryAfterSeconds }: Refusal,
  fields: Readonly<Record<string, unknown>>,
): Required<PageProps['contact']> {
  const shown = errors && code !== 'invalid_json' ? { errors } : {};
  return {
    values: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
    refusal: { code, detail, ...shown, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  };
}

export interface WrongItem {
  /** Name of the offer, or what was sent in its place. */
  readonly offer: string;
  /** The quantity as it was sent; absent if the offer is the fault. */
  readonly quantity?: string;
  /** Why the offer cannot be bought; absent if there is no such offer. */
  readonly refusal?: ShownRefusal;
}

export interface AdminForm {
  /** Words of the command: `orders refund`. */
  readonly action: string;
  readonly subject: string;
  readonly label: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly inputs?: readonly { readonly name: string; readonly label: string; readonly isOptional?: true }[];
  /** Whether it takes something away. */
  readonly isGrave?: true;
  readonly command: string;
}

export interface AdminEntry {
  readonly title: string;
  readonly href?: string;
  readonly state?: { readonly status: 'passed' | 'failed' | 'open' | 'superseded'; readonly label: string };
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** Paragraphs and code, as they were written. */
  readonly text?: string;
  readonly changes?: readonly { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }[];
  readonly forms?: readonly AdminForm[];
}

export interface AdminSection {
  readonly heading: string;
  readonly note?: string;
  /** What it says without anything to show. */
  readonly empty?: string;
  readonly plot?: { readonly label: string; readonly points: readonly { readonly name: string; readonly value: number }[] };
  readonly entries?: readonly AdminEntry[];
  readonly tables?: readonly AdminTable[];
}

export interface AdminTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly AdminCell[])[];
  /** Rows that are not shown. */
  readonly left?: number;
}

export type AdminCell = string | number | { readonly text: string; readonly href: string } | { readonly command: string };

/** A page of the dashboard; without `session` the one that signs in. Texts of strangers in it show their invisible characters. */
export interface AdminPage {
  readonly title: string;
  readonly lead?: string;
  readonly path: string;
  readonly session?: { readonly actor: string; readonly token: string; readonly canSignOut: boolean };
  readonly message?: { readonly isDone: boolean; readonly text: string };
  readonly sections: readonly AdminSection[];
}

export interface PageProps {
  readonly dashboard: AdminPage;
  readonly order: {
    readonly order: OrderResponse;
    readonly demo: 'all' | 'part' | 'none';
    /** Whether an offer of it delivers nothing at once. */
    readonly awaitsWork?: boolean;
    readonly texts: readonly DeliveredText[];
    /** Its pass, with what that opens; absent if it has none in force. */
    readonly pass?: { readonly secret: string; readonly opened: readonly OpenedTexts[] };
  };
  readonly cart: {
    readonly lines: readonly Line[];
    readonly currency: string;
    /** Whether the hosted link of its offer, or the test checkout, takes the cart. */
    readonly byLink: boolean;
    /** Whether a checkout session takes it: the processor charges it, or it delivers what only an order has. */
    readonly hasCheckout: boolean;
    /** Whether every offer has a hosted link in the currency. */
    readonly hasLinks: boolean;
    /** Whether these links lead to the test checkout of the site, which takes the whole cart. */
    readonly isTest: boolean;
    /** What its offers promise. */
    readonly terms: readonly Pick<Offer, 'name' | 'delivery' | 'refund' | 'delivers'>[];
    /** Campaign labels and a reference, which every way to pay passes on. */
    readonly passedOn: PermalinkQuery['passedOn'];
  };
  /** The test checkout of a cart, or the sample receipt with which it ends. */
  readonly 'test-checkout': Pick<PageProps['cart'], 'lines' | 'currency' | 'passedOn' | 'terms'> & {
    readonly isReceipt: boolean;
    /** Fields of the form that ends it with an order; absent where it ends with a sample receipt. */
    readonly sends: Readonly<Record<string, string>> | undefined;
  };
  /** A checkout session that is not open, or that the buyer returns to. */
  readonly session: {
    readonly id: string;
    readonly state: (OpenedCheckout & { readonly kind: 'show' })['state'];
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly totalMinor: number;
    /** Receipt of the order that the session became. */
    readonly receipt: string | undefined;
  };
  readonly invoice: {
    readonly path: typeof PATHS.invoice | typeof PATHS.buyInvoice;
    readonly offers: readonly (Offer | QuoteOnlyOffer)[];
    readonly values: Readonly<Record<string, string>>;
    /** Why the address was refused; the items that are wrong are in `wrongItems`, if any are. */
    readonly itemsRefusal?: ShownRefusal;
    readonly wrongItems?: readonly WrongItem[];
    readonly refusal?: FormRefusal;
  };
  /** The contact form: refused, with what was typed, or sent. */
  readonly contact: {
    readonly values: Readonly<Record<string, string>>;
    /** Absent once the message has arrived. */
    readonly refusal?: FormRefusal;
  };
  readonly search: {
    readonly query: string;
    /** What it found; absent without a query, and if it was refused. */
    readonly found?: SearchPage;
    /** Those that it found, as they are sold today. */
    readonly offers?: readonly Offer[];
    readonly refusal?: ShownRefusal;
  };
  readonly status: {
    readonly status: StatusResponse;
    readonly days: readonly StatusDay[] | undefined;
    /** `YYYY-MM-DD`, in UTC. */
    readonly today: string;
    /** Host of the pages where offers are paid, if it is another one and no processor is asked here. */
    readonly checkoutHost: string | undefined;
  };
  readonly capsule: CapsulePage;
  readonly list: ShownList;
  readonly 'list-markdown': ShownList;
  readonly error: {
    readonly subject: 'order' | 'session' | 'cart' | 'delivery' | 'capsule' | 'pass' | 'address';
    readonly refusal: ShownRefusal;
    readonly isTemporary?: boolean;
    readonly wrongItems?: readonly WrongItem[];
    readonly meantIds?: readonly string[];
    /** Address of the part of a refused cart that can be bought. */
    readonly backTo?: string;
    /** Whether a sent form was refused, so that its items stay in the cart. */
    readonly isSent?: boolean;
  };
}

export type OnDemandPage = {
  readonly [Name in keyof PageProps]: { readonly page: Name; readonly props: PageProps[Name] };
}[keyof PageProps] & {
  /** Where its forms may lead besides this site, as sources of its policy. */
  readonly formTargets?: readonly string[];
  /** `secret`: anyone with the address can open the page, so other sites never get it. `unlisted`: of no use in search results. */
  readonly visibility?: 'secret' | 'unlisted';
};

export type RenderPage = (page: OnDemandPage['page'], props: OnDemandPage['props']) => Promise<string>;

import type { QUANTITY_PREFIX } from '../../gateway/commerce/cart/permalink.ts';

/** A type alone is imported: the module is no part of the script. */
const PREFIX: typeof QUANTITY_PREFIX = 'quantity.';
const NOTHING = new URLSearchParams();

/**
 * The open cart, which all tabs share, and carts that this tab goes back to: the last one that was ordered while no other is open, and the one
 * before the last form was sent. `null` where a browser blocks storage.
 */
function readStored(name: 'cart' | 'ordered' | 'sent'): string | null {
  try {
    return (name === 'cart' ? localStorage : sessionStorage).getItem(name);
  } catch {
    return null;
  }
}

/** Quantities above 0, with a currency other than USD, as the page of the cart takes them. */
function readCart(): URLSearchParams {
  return new URLSearchParams(readStored('cart') ?? '');
}

function storeCart(cart: URLSearchParams, ordered?: URLSearchParams): void {
  const isOpen = namesItems(cart);
  try {
    if (ordered) sessionStorage.setItem('sent', readStored('cart') ?? '');
    localStorage.setItem('cart', isOpen ? `${cart}` : '');
    if (isOpen || ordered) sessionStorage.setItem('ordered', isOpen ? '' : `${ordered}`);
    // The header of the page shows how many items are in it.
    dispatchEvent(new Event('cart'));
  } catch {
    // The address still has it.
  }
}

function isItem(name: string): boolean {
  return name === 'items' || name.startsWith(PREFIX);
}

function namesItems(query: URLSearchParams): boolean {
  return [...query.keys()].some(isItem);
}

/** The address of this page, with a cart in place of the one that it names. */
function addressWith(cart: URLSearchParams): URL {
  const address = new URL(location.href);
  for (const name of [...address.searchParams.keys()]) if (isItem(name) || name === 'currency') address.searchParams.delete(name);
  for (const [name, value] of cart) address.searchParams.set(name, value);
  return address;
}

const sent = new URLSearchParams(location.search);
/** Items in the address count, and no others, until the reader comes back to it: the cart may have changed since. */
const isNamed = namesItems(sent);
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
const isReturn = ['reload', 'back_forward'].includes(navigation?.type ?? '');

/** What was refused is still in the cart, unless the reader comes back to the refusal. */
const refused = !isReturn && document.querySelector('[data-refused]') && readStored('sent');
if (refused) storeCart(new URLSearchParams(refused));

/**
 * Forms with quantities, of the shop, the cart and the invoice: their amounts while a quantity is typed, by the rule of the service, which
 * takes whole numbers only. The first two show and change the open cart; an invoice begins with it.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-currency]')) {
  const { currency = '', digits, total, free = '', invalid = '' } = form.dataset;
  const fields = ([...form.elements] as HTMLInputElement[]).filter(({ dataset }) => dataset['unit'] !== undefined);
  const foot = form.querySelector<HTMLOutputElement>('tfoot output, :not(td) > output');
  const isCart = form.method === 'get';
  const isCartPage = isCart && new URL(form.action).pathname === location.pathname;
  const toCart = isCart && !isCartPage ? form.querySelector('button') : null;
  /** In the shop, the quantity of what is not in the cart is behind a button. */
  const fold = (field: HTMLInputElement): void => {
    const add = field.closest('.choose')?.querySelector('button');
    if (!add) return;
    add.hidden = field.value !== '' || !field.validity.valid;
    for (const label of field.labels ?? []) label.hidden = !add.hidden;
  };
  const fill = (quantities: URLSearchParams): void => {
    for (const field of fields) {
      field.value = quantities.get(field.name) ?? '';
      fold(field);
    }
  };
  // A form that is filled in says what is wanted, such as one that was refused, and an address what an invoice is for.
  if (fields.every(({ value }) => value === '') && (isCart || !isNamed)) {
    fill(isNamed ? sent : readCart());
  }
  const format = (minor: number): string => {
    const major = minor / 10 ** Number(digits);
    const minimumFractionDigits = Number.isInteger(major) ? 0 : Number(digits);
    const style = { style: 'currency', currency, minimumFractionDigits, maximumFractionDigits: Number(digits) } as const;
    return new Intl.NumberFormat(document.documentElement.lang, style).format(major);
  };
  const show = (output: HTMLOutputElement | null | undefined, text: string): void => {
    if (output && output.value !== text) output.value = text;
  };
  const isWhole = ({ value, validity }: HTMLInputElement): boolean => validity.valid && /^\d*$/.test(value);
  const update = (): void => {
    const amounts = fields.map((field) => (isWhole(field) ? Number(field.value) * Number(field.dataset['unit']) : Number.NaN));
    const sum = amounts.reduce((whole, amount) => whole + amount, 0);
    const amount = sum === 0 && fields.every(({ value, dataset }) => Number(value) === 0 || dataset['unit'] === '0') ? free : format(sum);
    for (const [at, field] of fields.entries()) {
      const minor = amounts[at] ?? 0;
      show(field.closest('tr')?.querySelector('output'), Number.isNaN(minor) ? '–' : field.dataset['unit'] === '0' ? free : format(minor));
    }
    const isEmpty = fields.every(({ value, validity }) => Number(value) === 0 && validity.valid);
    show(foot, Number.isNaN(sum) ? invalid : total === undefined ? amount : isEmpty ? '' : `${total}: ${amount}`);
    if (toCart) toCart.hidden = isEmpty;
  };
  /** A quantity that cannot be bought leaves the one before in the cart. */
  const cart = (): URLSearchParams => {
    const stored = readCart();
    const chosen = fields
      .map((field) => [field.name, isWhole(field) ? field.value : (stored.get(field.name) ?? '')])
      .filter(([, quantity]) => Number(quantity) > 0);
    const query = new URLSearchParams(chosen.length > 0 && currency !== 'USD' ? [...chosen, ['currency', currency]] : chosen);
    query.sort();
    return query;
  };
  /** Keeps the cart, and leads whoever comes back here to it. */
  const keep = (): void => {
    storeCart(cart());
    const address = addressWith(isCartPage ? cart() : NOTHING);
    if (address.href !== location.href) history.replaceState(history.state, '', address);
    for (const field of fields) {
      const others = cart();
      others.delete(field.name);
      const link = field.closest('tr')?.querySelector<HTMLAnchorElement>('.remove');
      if (link) link.href = addressWith(namesItems(others) ? others : new URLSearchParams('items=')).href;
    }
  };
  for (const field of fields) {
    fold(field);
    field.addEventListener('input', () => {
      update();
      if (isCart) keep();
    });
    // While it is typed, a quantity may be empty.
    field.addEventListener('change', () => fold(field));
    field
      .closest('.choose')
      ?.querySelector('button')
      ?.addEventListener('click', () => {
        field.value = '1';
        fold(field);
        field.focus();
        field.dispatchEvent(new Event('input'));
      });
  }
  /**
   * Shows what the cart has become since this page was left, or by another tab. The page of a cart that was ordered opens that cart again.
   *
   * @param keeps Whether it then stores what it shows: never what another tab has just stored.
   */
  const resume = (keeps = true): void => {
    const stored = readStored('cart');
    const own = `${cart()}`;
    if (!isCartPage) {
      if (stored !== null) fill(readCart());
      if (keeps) keep();
      update();
    } else if (stored === null || stored === own || (stored === '' && readStored('ordered') === own)) storeCart(cart());
    else location.replace(addressWith(readCart()));
  };
  if (isCart) {
    if (isReturn) resume();
    else if (isCartPage) storeCart(cart());
    else keep();
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) resume();
    });
    addEventListener('storage', ({ key }) => {
      if (key === 'cart') resume(false);
    });
  }
  // What goes to a checkout or onto an invoice leaves the cart.
  form.addEventListener('submit', ({ submitter }) => {
    if (isCart && !submitter?.matches('[name=go], [formmethod=post]')) return;
    const kept = readCart();
    for (const name of cart().keys()) if (isItem(name)) kept.delete(name);
    storeCart(kept, cart());
  });
  // Only what is chosen is part of the address of a cart.
  if (isCart)
    form.addEventListener('formdata', ({ formData }) => {
      for (const { name, value } of fields) if (value === '') formData.delete(name);
    });
  update();
}

/** The page of an offer adds it to the cart. Prices of one cart are in one currency, and all have one in USD. */
document.querySelector<HTMLFormElement>('form[data-adds]')?.addEventListener('formdata', ({ formData }) => {
  const kept = readCart();
  if (kept.size > 0 && kept.get('currency') !== formData.get('currency')) formData.delete('currency');
  for (const [name, value] of kept) if (isItem(name)) formData.set(name, `${Number(value) + Number(formData.get(name) ?? 0)}`);
});

/** The page about the checkout is the open cart unless it is asked for by a part of it. */
const empty = document.querySelector<HTMLElement>('[data-empty-cart]');
if (empty && isNamed) storeCart(NOTHING);
else if (empty && readCart().size > 0) {
  empty.hidden = true;
  if (location.hash === '') location.replace(addressWith(readCart()));
}

/** The address keeps which offers of the shop are ticked. Its fragment, and styles, make them stand side by side. */
const shop = document.querySelector<HTMLElement>('.shop');
if (shop) {
  const picks = [...shop.querySelectorAll<HTMLInputElement>('.pick')];
  const keep = (): void => {
    const picked = picks.filter(({ checked }) => checked).map(({ value }) => value);
    shop.dataset['picked'] = `${picked.length}`;
    const address = new URL(location.href);
    const { searchParams } = address;
    // A query that is written again may differ from what was sent.
    if ((searchParams.get('compare') ?? '') !== `${picked}`) {
      if (picked.length > 0) searchParams.set('compare', `${picked}`);
      else searchParams.delete('compare');
      history.replaceState(history.state, '', address);
    }
    // Without a tick there is nothing to compare, and the next one begins anew.
    if (picked.length === 0 && shop.matches(':target, .compared')) location.replace('#all-offers');
  };
  /** Links to other parts of the page leave the offers side by side; the way back, and links to what is in the shop, do not. */
  const follow = (): void => {
    // A browser may match `:target` only after this script.
    const target = document.getElementById(location.hash.slice(1));
    const isElsewhere = location.hash !== '' && !shop.contains(target);
    const isCompared = target === shop || (isElsewhere && (shop.matches('.compared') || history.state === 'compared'));
    shop.classList.toggle('compared', isCompared);
    // For whoever reloads the page, or comes back to it.
    history.replaceState(isCompared ? 'compared' : null, '');
  };
  addEventListener('hashchange', follow);
  const named = sent.get('compare')?.split(',') ?? [];
  for (const pick of picks) {
    pick.checked ||= named.includes(pick.value);
    pick.addEventListener('change', keep);
  }
  keep();
  follow();
  // Addresses of version 1.18 and before.
  if (sent.has('view') && location.hash === '') location.replace('#side-by-side');
}

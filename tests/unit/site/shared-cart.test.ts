import { beforeEach, describe, expect, it, vi } from 'vitest';

/** Storage of all tabs and of the first one, which outlives its pages. */
const stored = new Map<string, string>();
let opened = 0;

interface OpenedPage {
  /** Types a quantity of the only offer. */
  readonly type: (quantity: string) => void;
  readonly quantity: () => string;
  readonly order: () => void;
  /** Shows the page again as it was left, from the back/forward cache. */
  readonly showAgain: () => void;
  /** Tells the page that another tab has changed what is stored under a name. */
  readonly hearOf: (name: string) => void;
  readonly replacements: readonly string[];
}

/** Runs the script of the shop on a page with one form that has one quantity, as the server or the browser filled it in. */
async function open(address: string, { value = '', navigation = 'navigate', isRefused = false } = {}): Promise<OpenedPage> {
  const listeners = new Map<string, (event: object) => void>();
  const listen = (name: string, listener: (event: object) => void) => listeners.set(name, listener);
  const emit = (name: string, event: object) => listeners.get(name)?.(event);
  const replacements: string[] = [];
  const location = Object.assign(new URL(address, 'https://shop.example'), { replace: (url: URL) => replacements.push(url.search) });
  const validity = { valid: true };
  const field = { name: 'quantity.review', value, dataset: { unit: '1000' }, validity, closest: () => null, addEventListener: listen };
  const form = {
    dataset: { currency: 'USD', digits: '2', total: 'Total' },
    elements: [field],
    method: address.startsWith('/invoice') ? 'post' : 'get',
    action: 'https://shop.example/checkout',
    querySelector: () => null,
    addEventListener: listen,
  };
  const storageOf = (holds: (name: string) => boolean) => ({
    getItem: (name: string) => (holds(name) ? (stored.get(name) ?? null) : null),
    setItem: (name: string, text: string) => holds(name) && stored.set(name, text),
  });
  vi.stubGlobal(
    'localStorage',
    storageOf((name) => name === 'cart'),
  );
  vi.stubGlobal(
    'sessionStorage',
    storageOf((name) => name !== 'cart'),
  );
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', {
    state: null,
    replaceState: (_state: null, _title: string, url: URL) => Object.assign(location, { href: url.href }),
  });
  const querySelector = (selector: string) => (isRefused && selector === '[data-refused]' ? form : null);
  vi.stubGlobal('performance', { now: () => 0, getEntriesByType: () => [{ type: navigation }] });
  vi.stubGlobal('addEventListener', listen);
  vi.stubGlobal('document', { documentElement: { lang: 'en' }, querySelectorAll: () => [form], querySelector });
  opened += 1;
  // Named in a variable, because the types of tests have no browser, and otherwise for each page, so that it runs again.
  const script = `../../../src/site/scripts/shop.ts?${opened}`;
  await import(script);
  return {
    type: (quantity) => {
      field.value = quantity;
      emit('input', {});
    },
    quantity: () => field.value,
    order: () => emit('submit', { submitter: { matches: () => true } }),
    showAgain: () => {
      vi.stubGlobal('location', location);
      emit('pageshow', { persisted: true });
    },
    hearOf: (key) => {
      vi.stubGlobal('location', location);
      emit('storage', { key });
    },
    replacements,
  };
}

const CART = '/checkout?quantity.review=2';

describe('the cart', () => {
  beforeEach(() => stored.clear());

  it('stays empty when the reader, who has removed everything, goes back to the shop', async () => {
    const shop = await open('/buy');
    shop.type('2');
    (await open(CART, { value: '2' })).type('0');
    shop.showAgain();
    expect([shop.quantity(), stored.get('cart')]).toEqual(['', '']);
  });

  it('stays empty in a shop whose fields the browser has filled in again, and after an order', async () => {
    stored.set('cart', '');
    const shop = await open('/buy', { value: '2', navigation: 'back_forward' });
    expect([shop.quantity(), stored.get('cart')]).toEqual(['', '']);
    shop.type('2');
    shop.order();
    shop.showAgain();
    expect([shop.quantity(), stored.get('cart')]).toEqual(['', '']);
  });

  it('is empty on a page of a cart whose items the reader has removed elsewhere', async () => {
    const cart = await open(CART, { value: '2' });
    stored.set('cart', '');
    cart.showAgain();
    expect([cart.replacements, stored.get('cart')]).toEqual([[''], '']);
  });

  it('shows what another tab has added to it, in the shop and on its page, and stores nothing of its own then', async () => {
    const shop = await open('/buy');
    shop.type('1');
    const cart = await open(CART, { value: '1' });
    stored.set('cart', 'quantity.check=1&quantity.review=3');
    shop.hearOf('cart');
    cart.hearOf('recent-searches');
    expect([shop.quantity(), cart.replacements]).toEqual(['3', []]);
    cart.hearOf('cart');
    expect(cart.replacements).toEqual(['?quantity.check=1&quantity.review=3']);
    expect(stored.get('cart')).toBe('quantity.check=1&quantity.review=3');
  });

  it('leaves the page of a cart that another tab has ordered', async () => {
    const cart = await open(CART, { value: '2' });
    stored.set('cart', '');
    cart.hearOf('cart');
    expect([cart.replacements, stored.get('cart')]).toEqual([[''], '']);
  });

  it('is there again on the page of a cart that was ordered', async () => {
    const cart = await open(CART, { value: '2' });
    cart.order();
    expect(stored.get('cart')).toBe('');
    cart.showAgain();
    expect([cart.replacements, stored.get('cart')]).toEqual([[], 'quantity.review=2']);
  });

  it('is as it was before a form that is refused, whatever that form asked for', async () => {
    stored.set('cart', 'quantity.check=1&quantity.review=2');
    (await open('/invoice?quantity.review=3', { value: '3' })).order();
    expect(stored.get('cart')).toBe('quantity.check=1');
    const refused = await open('/invoice', { value: '3', isRefused: true });
    expect(stored.get('cart')).toBe('quantity.check=1&quantity.review=2');
    refused.order();
    await open('/invoice', { value: '3', isRefused: true, navigation: 'back_forward' });
    expect(stored.get('cart')).toBe('quantity.check=1');
  });

  it('stays as it is where the form that is refused was sent without the script', async () => {
    stored.set('cart', 'quantity.check=1');
    await open('/invoice', { value: '3', isRefused: true });
    expect(stored.get('cart')).toBe('quantity.check=1');
  });

  it('has the items of an address that is opened, even one that was rendered beforehand', async () => {
    stored.set('cart', 'quantity.review=5');
    const cart = await open(CART, { value: '2', navigation: 'prerender' });
    expect([cart.replacements, stored.get('cart')]).toEqual([[], 'quantity.review=2']);
  });

  it('keeps the quantity before one that cannot be bought', async () => {
    (await open(CART, { value: '2' })).type('1.5');
    expect(stored.get('cart')).toBe('quantity.review=2');
  });

  it('keeps the page of a cart as it is where the browser blocks storage', async () => {
    const cart = await open(CART, { value: '2', navigation: 'reload' });
    stored.clear();
    cart.showAgain();
    expect(cart.replacements).toEqual([]);
  });
});

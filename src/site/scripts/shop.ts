/**
 * Forms with quantities, of the shop, the cart and the invoice: their amounts while a quantity is typed, by the rule of the service, which
 * takes whole numbers only. The address can fill in quantities.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-currency]')) {
  const { currency, digits, total, free = '', invalid = '' } = form.dataset;
  const fields = ([...form.elements] as HTMLInputElement[]).filter(({ dataset }) => dataset['unit'] !== undefined);
  const foot = form.querySelector<HTMLOutputElement>('tfoot output, :not(td) > output');
  const sent = new URLSearchParams(location.search);
  // A cart in the address counts, else the one of this tab.
  const kept = fields.some(({ name }) => sent.has(name)) ? undefined : readCart();
  for (const field of fields) field.value ||= sent.get(field.name) ?? kept?.get(field.name) ?? '';
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
  };
  const isCart = form.method === 'get';
  const keep = (): void => {
    if (isCart) storeCart(fields.filter(isWhole).map(({ name, value }) => [name, value]));
  };
  for (const field of fields)
    field.addEventListener('input', () => {
      update();
      keep();
    });
  if (sent.size > 0) keep();
  // What goes to a checkout leaves the cart.
  form.addEventListener('submit', ({ submitter }) => {
    if (submitter?.matches('[name=go], [formmethod=post]')) storeCart([]);
  });
  // Only what is chosen is part of the address of a cart.
  if (isCart)
    form.addEventListener('formdata', ({ formData }) => {
      for (const { name, value } of fields) if (value === '') formData.delete(name);
    });
  update();
}

/** The cart of this tab, which the shop shows again after other pages; storage is missing where a browser blocks it. */
function readCart(): URLSearchParams {
  try {
    return new URLSearchParams(sessionStorage.getItem('cart') ?? '');
  } catch {
    return new URLSearchParams();
  }
}

function storeCart(quantities: string[][]): void {
  try {
    sessionStorage.setItem('cart', `${new URLSearchParams(quantities.filter(([, value]) => value !== ''))}`);
  } catch {
    // The address still has it.
  }
}

/** The address keeps which offers of the shop are ticked, and whether they stand side by side. */
const shop = document.querySelector<HTMLElement>('.shop');
const toggle = document.querySelector<HTMLInputElement>('#compare');
if (shop && toggle) {
  const picks = [...shop.querySelectorAll<HTMLInputElement>('.pick')];
  const sent = new URLSearchParams(location.search);
  const keep = (): void => {
    const picked = picks.filter(({ checked }) => checked).map(({ value }) => value);
    // Without a tick there is nothing to compare, and all offers are shown.
    if (picked.length === 0) toggle.checked = false;
    shop.dataset['picked'] = `${picked.length}`;
    const address = new URL(location.href);
    let isOther = false;
    for (const [name, value] of [
      ['compare', picked.join(',')],
      ['view', toggle.checked ? 'side-by-side' : ''],
    ] as const) {
      isOther ||= (address.searchParams.get(name) ?? '') !== value;
      address.searchParams.delete(name);
      if (value !== '') address.searchParams.set(name, value);
    }
    if (isOther) history.replaceState(history.state, '', address);
  };
  const named = sent.get('compare')?.split(',') ?? [];
  for (const pick of picks) pick.checked ||= named.includes(pick.value);
  toggle.checked ||= sent.has('view');
  for (const box of [...picks, toggle]) box.addEventListener('change', keep);
  toggle.addEventListener('change', () => shop.scrollIntoView());
  keep();
}

export {};

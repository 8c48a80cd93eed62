/** Forms with quantities, of the shop, the cart and the invoice: their total while it is typed. The address can fill in quantities. */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-currency]')) {
  const { currency, digits, total } = form.dataset;
  const output = form.querySelector('output');
  const fields = ([...form.elements] as HTMLInputElement[]).filter(({ dataset }) => dataset['unit'] !== undefined);
  const sent = new URLSearchParams(location.search);
  for (const field of fields) field.value ||= sent.get(field.name) ?? '';
  const update = (): void => {
    const minor = fields.reduce((sum, { value, dataset }) => sum + (/^\d+$/.test(value) ? Number(value) * Number(dataset['unit']) : 0), 0);
    const major = minor / 10 ** Number(digits);
    const minimumFractionDigits = Number.isInteger(major) ? 0 : Number(digits);
    const format = { style: 'currency', currency, minimumFractionDigits, maximumFractionDigits: Number(digits) } as const;
    const amount = new Intl.NumberFormat(document.documentElement.lang, format).format(major);
    const text = total === undefined ? amount : fields.some(({ value }) => Number(value) > 0) ? `${total}: ${amount}` : '';
    if (output && output.value !== text) output.value = text;
  };
  for (const field of fields) field.addEventListener('input', update);
  // Only what is chosen is part of the address of a cart.
  if (form.method === 'get')
    form.addEventListener('formdata', ({ formData }) => {
      for (const { name, value } of fields) if (value === '') formData.delete(name);
    });
  update();
}

export {};

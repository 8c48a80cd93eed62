/** Pages of the API: remembers the language of samples, and sends the request of a form to this site and shows the answer. */

/** Characters of an answer that are shown; a browser takes seconds for megabytes. */
const SHOWN_MAX = 100_000;

/** What a reader chose or got, in a store of the browser, which may be closed to pages. */
function stored(store: () => Storage, name: string, value?: string): string | undefined {
  try {
    if (value !== undefined) store().setItem(name, value);
    return store().getItem(name) ?? undefined;
  } catch {
    return value;
  }
}

const SAMPLE = 'akg-sample';
const KEY = 'akg-trial-key';

const remembered = stored(() => localStorage, SAMPLE);
for (const choice of document.querySelectorAll<HTMLInputElement>('input[name=sample]')) {
  if (choice.value === remembered) choice.checked = true;
  choice.addEventListener('change', () => stored(() => localStorage, SAMPLE, choice.value));
}

function setUp(form: HTMLFormElement): void {
  const { trial: method = '', path = '', register = '' } = form.dataset;
  const [answer, status, explained] = ['.answer', '[role=status]', '.explained'].map((part) => form.querySelector<HTMLElement>(part));
  const [shown, shownHeaders] = form.querySelectorAll('code');
  const key = form.querySelector<HTMLInputElement>('[name=api-key]');
  if (!answer || !status || !explained || !shown || !shownHeaders) return;
  if (key) key.value = stored(() => sessionStorage, KEY) ?? '';

  const explain = (body: unknown): void => {
    const { type, detail } = (body ?? {}) as { readonly type?: unknown; readonly detail?: unknown };
    const [sentence, link] = explained.children;
    const page = typeof type === 'string' && URL.canParse(type) ? new URL(type).pathname : '';
    explained.hidden = typeof detail !== 'string' || page === '';
    if (sentence) sentence.textContent = String(detail);
    link?.setAttribute('href', page);
  };

  /** Sends a request, shows the answer, and returns its body as JSON, or as text if it is none. */
  const send = async (address: string, init: RequestInit): Promise<unknown> => {
    const begin = performance.now();
    answer.hidden = false;
    status.textContent = 'Sending …';
    const response = await fetch(import.meta.env.BASE_PATH + address, { ...init, cache: 'no-store' }).catch(() => undefined);
    const text = (await response?.text().catch(() => '')) ?? '';
    const bytes = new TextEncoder().encode(text).length;
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {}
    status.className = response?.ok ? 'passed' : 'failed';
    status.textContent = response
      ? `${response.status} ${response.statusText} after ${Math.round(performance.now() - begin)} ms, ${bytes.toLocaleString('en')} bytes`.replace(
          '  ',
          ' ',
        )
      : 'No answer. The request cannot be sent, or the site cannot be reached.';
    const printed = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
    shown.textContent = printed.length > SHOWN_MAX ? `${printed.slice(0, SHOWN_MAX)}\n…` : printed;
    shownHeaders.textContent = [...(response?.headers ?? [])].map(([name, value]) => `${name}: ${value}`).join('\n');
    explain(response?.ok ? undefined : body);
    return body;
  };

  form.querySelector('[type=button]')?.addEventListener('click', async () => {
    const body = JSON.stringify({ agent_name: `Reader of ${location.host}${location.pathname}`, ttl_days: 1 });
    const issued = await send(register, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { api_key: fresh } = (issued ?? {}) as { readonly api_key?: unknown };
    if (key && typeof fresh === 'string') key.value = fresh;
  });

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    // Plain members: the request of a value that no header can have fails where its failure is shown.
    const headers: Record<string, string> = { accept: 'application/json' };
    for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-place]')) {
      if (value === '') continue;
      if (dataset['place'] === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
      else if (dataset['place'] === 'query') query.append(name, value);
      else headers[name] = value;
    }
    const body = form.querySelector('textarea')?.value;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key) stored(() => sessionStorage, KEY, key.value);
    if (key?.value) headers['authorization'] = `Bearer ${key.value}`;
    await send(address + (query.size > 0 ? `?${query}` : ''), { method, headers, ...(body !== undefined && { body }) });
  });
  form.hidden = false;
  const heading = document.getElementById('try');
  if (heading) heading.hidden = false;
}

for (const form of document.querySelectorAll<HTMLFormElement>('[data-trial]')) setUp(form);

import { expect, test } from 'vitest';
import { withPreviews } from '../../../src/site/header-and-footer-links.ts';

test('links say what they lead to, and code that shows such a link stays as it is', () => {
  const previews = new Map([['/capsules/a', 'Retracted: "A" & <b>.']]);
  const code = '<code>&#x3C;a href="/capsules/a"></code>';
  const html = `<p><a class="x" href="/capsules/a">A</a> <a href="/capsules/a#part">part</a> <a href="/capsules/b">B</a> ${code}</p>`;
  expect(withPreviews(html, previews)).toBe(
    html.replace('"/capsules/a">A', '"/capsules/a" data-preview="Retracted: &quot;A&quot; &amp; &lt;b&gt;.">A'),
  );
});

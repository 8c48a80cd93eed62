import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PNG, runImport, writeTree } from './import-fixture.ts';

describe('Starlight', () => {
  const CONFIG =
    "import starlight from '@astrojs/starlight';\nexport default defineConfig({ site: 'https://docs.example.com', base: '/v2', integrations: [starlight({ title: 'Docs' })] });\n";

  test('maps front matter, reduces components and links pages by file', async () => {
    const folder = await writeTree({
      'astro.config.mjs': CONFIG,
      'src/assets/plan.png': PNG,
      'src/content/docs/index.mdx':
        '---\ntitle: Home\ntemplate: splash\nhero:\n  tagline: All about bicycles.\n  actions:\n    - { text: Begin, link: /v2/guides/start/ }\n---\n',
      'src/content/docs/404.md': '---\ntitle: Not found\n---\nNothing here.\n',
      'src/content/docs/guides/start.mdx': `---
title: "First: ride"
description: How to ride.
tags: [Riding, Über uns]
sidebar:
  order: 1
lastUpdated: 2025-03-01
shopId: 7
---
import { Tabs, TabItem, Steps, Aside, LinkCard } from '@astrojs/starlight/components';
import { Image } from 'astro:assets';
import plan from '../../../assets/plan.png';

# First ride

<Tabs>
  <TabItem label="Road">
    - one
      - two
  </TabItem>
  <TabItem label="Mud">Wear *boots*.</TabItem>
</Tabs>

<Aside type="caution" title="Brakes">
  Check \`{brakes}\` <em>first</em>.
</Aside>

:::tip[Helmet]{icon="star"}
See [parts](/v2/guides/parts/#chain-rings) and [the same](./parts/).
:::

<Steps>
1. Mount

   <Image src={plan} alt="The plan" />

2. Ride {/* fast */} on
</Steps>

<LinkCard title="Parts" href="/v2/guides/parts/" description="All of them." />

Unknown: [elsewhere](/v2/not-here/) and [file](../../../assets/plan.png).
`,
      'src/content/docs/guides/parts.md': '---\ntitle: Parts\n---\n\n## Chain & rings\n\nBack to [the start](start.mdx), or [up](../..).\n',
    });
    const done = await runImport(folder);
    expect(done.source).toMatchObject({ generator: 'starlight', site: 'https://docs.example.com/v2' });
    expect(done.outcome.created).toEqual(['guides-parts', 'guides-start', 'home'].map((id) => `content/capsules/${id}.md`));
    const start = await done.read('guides-start');
    expect(start.fields).toMatchObject({
      title: 'First: ride',
      summary: 'How to ride.',
      tags: ['riding', 'ueber-uns'],
      updated: '2025-03-01',
      draft: true,
      imported: { path: 'src/content/docs/guides/start.mdx', url: 'https://docs.example.com/v2/guides/start' },
    });
    expect(start.text).toBe(`**Road**

- one
  - two

**Mud**

Wear *boots*.

:::caution[Brakes]
Check \`{brakes}\` *first*.
:::

:::tip[Helmet]
See [parts](guides-parts.md#chain--rings) and [the same](guides-parts.md).
:::

1. Mount

   ![The plan](images/src/assets/plan.png)

2. Ride  on

**[Parts](guides-parts.md)**

All of them.

Unknown: [elsewhere](https://docs.example.com/v2/not-here/) and [file](images/src/assets/plan.png).`);
    expect(await readFile(join(done.root, 'content/capsules/images/src/assets/plan.png'))).toEqual(PNG);
    expect((await done.read('guides-parts')).text).toContain('[the start](guides-start.md), or [up](home.md)');
    expect((await done.read('home')).text).toBe('All about bicycles.\n\n- [Begin](guides-start.md)');
    expect(done.pages.flatMap(({ fields }) => fields.unknown)).toEqual(['shopId']);
    expect(done.notes).toEqual([]);
  });

  test('imports a folder of translations with its language', async () => {
    const folder = await writeTree({
      'astro.config.mjs': CONFIG,
      'src/content/docs/de/rad.md': '# Räder\n\nRund.\n',
      'src/content/docs/en/wheel.md': '# Wheels\n\nRound.\n',
    });
    const done = await runImport(join(folder, 'src/content/docs/de'));
    expect(done.outcome.created).toEqual(['content/capsules/rad.md']);
    expect((await done.read('rad')).fields).toMatchObject({ title: 'Räder', language: 'de' });
  });
});

describe('Docusaurus', () => {
  test('resolves number prefixes, ids, slugs, partials, custom anchors and @site paths', async () => {
    const folder = await writeTree({
      'docusaurus.config.js':
        "module.exports = { url: 'https://docs.example.com', baseUrl: '/', presets: [['classic', { docs: { routeBasePath: '/manual' } }]] };\n",
      'static/img/a.png': PNG,
      'docs/01-intro.md': `---
id: welcome
sidebar_label: Intro
---
import Part from './_part.mdx';
import useBaseUrl from '@docusaurus/useBaseUrl';

<!-- a comment -->

## Set up {#setup}

<Part name="Ada" />

<img alt="A" src={useBaseUrl('/img/a.png')} /> and ![b](@site/static/img/a.png)

:::note Title here

Use <code>npm</code>.

:::

<details>
<summary>More</summary>

Hidden.

</details>

<a id="old"></a>

### Old

[next](./02-guide/01-first.md#custom) [by route](/manual/guide/first) [self](#setup) [old](#old)
`,
      'docs/_part.mdx': 'Hello {props.name}.\n',
      'docs/02-guide/01-first.md':
        '# First\n\n## Some thing {#custom}\n\n[back](../welcome) {2 + 2}\n\n```js title="a.js" showLineNumbers {1,3}\nconst a = <T,>() => {};\n```\n',
      'versioned_docs/version-1/a.md': '# Old version\n',
    });
    const done = await runImport(folder);
    expect(done.source.generator).toBe('docusaurus');
    expect(done.outcome.created).toEqual(['content/capsules/intro.md', 'content/capsules/guide-first.md']);
    const { fields, text } = await done.read('intro');
    expect(fields).toMatchObject({ title: 'Intro', imported: { url: 'https://docs.example.com/manual/welcome' } });
    expect(text).toBe(`## Set up

Hello Ada.

![A](images/static/img/a.png) and ![b](images/static/img/a.png)

:::note[Title here]

Use \`npm\`.

:::

<details>
<summary>More</summary>

Hidden.

</details>

### Old

[next](guide-first.md#some-thing) [by route](guide-first.md) [self](#set-up) [old](#old)`);
    expect((await done.read('guide-first')).text).toBe(
      '## Some thing\n\n[back](intro.md)\n\n```js title="a.js" {1,3}\nconst a = <T,>() => {};\n```',
    );
    expect(done.notes).toEqual(['docs/02-guide/01-first.md:5 the expression {2 + 2} has no value without running it, and is left out']);
  });
});

describe('VitePress', () => {
  test('reduces Vue, containers, code groups, includes and clean routes', async () => {
    const folder = await writeTree({
      'docs/.vitepress/config.ts': "export default { title: 'V', base: '/', sitemap: { hostname: 'https://v.example.com' } }\n",
      'docs/snippets/a.js': 'export const a = 1;\n',
      'docs/parts/p.md': 'Included *part*.\n',
      'docs/index.md': '---\nlayout: home\nhero:\n  name: V\n  tagline: Fast.\nfeatures:\n  - title: One\n    details: First.\n---\n',
      'docs/guide/what.md': `<script setup>
import Comp from './Comp.vue'
</script>

# What is it? <Badge type="tip" text="^1.2" />

[[toc]]

::: warning Careful
Do not.
:::

::: code-group
\`\`\`sh [npm]
npm i
\`\`\`
:::

<<< @/snippets/a.js{1}

<!--@include: ../parts/p.md-->

<div class="composition-api">

See [API](/api/#use-data) {{ count }} <Comp />

</div>
`,
      'docs/api/index.md': '# API\n\n## `useData` <Badge text="hook" />\n\nText.\n',
    });
    const done = await runImport(folder);
    expect(done.source).toMatchObject({ generator: 'vitepress', site: 'https://v.example.com' });
    expect((await done.read('guide-what')).text).toBe(`:::warning[Careful]
Do not.
:::

\`\`\`sh title="npm"
npm i
\`\`\`

\`\`\`js
export const a = 1;
\`\`\`

Included *part*.

See [API](api.md#usedata-hook)`);
    expect((await done.read('home')).fields).toMatchObject({ title: 'V', summary: 'Fast.' });
    expect((await done.read('home')).text).toBe('Fast.\n\n- **One**: First.');
    expect(done.notes.map((note) => note.replace(/^.*?:/, ''))).toEqual([
      '1 <script> is left out',
      '25 the component <Comp> has no text, and is left out',
      '25 the expression {{ count }} has no value without running it, and is left out',
    ]);
  });
});

describe('Mintlify', () => {
  test('reduces cards, steps, parameters and code titles, and describes operations', async () => {
    const folder = await writeTree({
      'docs.json': '{ "name": "M", "navigation": {} }',
      'openapi.json': JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Bikes' },
        paths: { '/bikes': { get: { summary: 'List bikes', responses: { 200: { description: 'All bikes' } } } } },
      }),
      'snippets/shared.mdx': 'Shared text.\n',
      'start.mdx': `---
title: Start
description: Begin here.
icon: rocket
---
import Shared from '/snippets/shared.mdx';

<Steps>
  <Step title="Install">
    \`\`\`bash Terminal icon="x"
    npm i
    \`\`\`
  </Step>
  <Step title="Run">Go.</Step>
</Steps>

<CardGroup cols={2}>
  <Card title="API" href="/api/list">Reference</Card>
</CardGroup>

<ParamField path="id" type="string" required>
  The bike.
</ParamField>

<Note>Read <Tooltip tip="x">this</Tooltip>.</Note>

<Shared />

[the field](#param-id)
`,
      'api/list.mdx': '---\ntitle: List\nopenapi: GET /bikes\n---\n',
    });
    const done = await runImport(folder);
    expect(done.source.generator).toBe('mintlify');
    expect((await done.read('start')).text).toBe(`1. **Install**

   \`\`\`bash title="Terminal"
   npm i
   \`\`\`
2. **Run**

   Go.

**[API](api-list.md)**

Reference

**\`id\`** (string, path, required)

The bike.

:::note
Read this.
:::

Shared text.

the field`);
    expect((await done.read('api-list')).text).toBe('`GET /bikes`\n\n## Responses\n\n**200**: All bikes');
    expect(done.notes).toEqual([]);
  });
});

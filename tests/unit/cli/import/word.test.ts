import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PNG, runImport, type Tree, writeTree } from './import-fixture.ts';

interface Archive {
  file(name: string, content: string | Uint8Array): unknown;
  generateAsync(options: { readonly type: 'nodebuffer'; readonly compression: 'DEFLATE' }): Promise<Buffer>;
}
const NewArchive = createRequire(createRequire(import.meta.url).resolve('mammoth'))('jszip') as new () => Archive;

const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A paragraph with a style by its id, of some runs or of one with these words. */
const p = (words: string, style = '', properties = ''): string =>
  `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr>${words.startsWith('<') ? words : run(words, properties)}</w:p>`;
const run = (words: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${words}</w:t></w:r>`;
const bold = (words: string): string => p(words, '', '<w:b/>');

/** A file of Word with these paragraphs. Styles have German ids and English names, as Word writes them in Germany. */
async function word(body: string, { core = '', links = {} as Readonly<Record<string, string>> } = {}): Promise<Buffer> {
  const archive = new NewArchive();
  const styles = {
    berschrift1: 'heading 1',
    berschrift2: 'heading 2',
    Titel: 'Title',
    Zitat: 'Quote',
    Verzeichnis1: 'toc 1',
    Code: 'HTML Preformatted',
  };
  const relations = Object.entries(links).map(
    ([id, target]) => `<Relationship Id="${id}" Type="${DOCUMENT}/hyperlink" Target="${target}" TargetMode="External"/>`,
  );
  const parts = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/></Types>',
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${DOCUMENT}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s1" Type="${DOCUMENT}/styles" Target="styles.xml"/><Relationship Id="f1" Type="${DOCUMENT}/footnotes" Target="footnotes.xml"/>${relations.join('')}</Relationships>`,
    'word/styles.xml': `<w:styles ${NAMESPACES}>${Object.entries(styles)
      .map(([id, name]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`)
      .join('')}</w:styles>`,
    'word/footnotes.xml': `<w:footnotes ${NAMESPACES}><w:footnote w:id="2">${p('Stated by the maker.')}</w:footnote></w:footnotes>`,
    'word/document.xml': `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="a" xmlns:dc="b" xmlns:dcterms="c">${core}</cp:coreProperties>`,
  };
  for (const [name, content] of Object.entries(parts)) archive.file(name, content);
  return archive.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}

const importWord = async (files: Tree) => runImport(await writeTree(files));

test('reads headings, quotations, code, tables and footnotes of a file by the names of its styles, and its properties', async () => {
  const cell = (words: string): string => `<w:tc>${p(words)}</w:tc>`;
  const file = await word(
    [
      p('Pressure of tyres', 'Titel'),
      p('First 1', 'Verzeichnis1'),
      p('First', 'berschrift1'),
      p(`${run('Inflate to 4 bar')}<w:r><w:footnoteReference w:id="2"/></w:r>`),
      p('Air is light.', 'Zitat'),
      p('pump --bar 4', 'Code'),
      p('Second', 'berschrift1'),
      `<w:tbl><w:tblPr><w:tblLook w:val="04A0" w:firstRow="1"/></w:tblPr><w:tr>${cell('Tyre')}${cell('Bar')}</w:tr><w:tr>${cell('28 mm')}${cell('5')}</w:tr></w:tbl>`,
    ].join(''),
    {
      core: '<dc:title>Template of the office</dc:title><dc:creator>Ada Lovelace</dc:creator><cp:keywords>tyres; air</cp:keywords><dcterms:created xsi:type="dcterms:W3CDTF">2024-02-03T10:00:00Z</dcterms:created>',
    },
  );
  const { source, read, notes } = await importWord({ 'workshop/Tyre pressure.docx': file });
  const { fields, text } = await read('tyre-pressure');
  expect([source.generator, notes]).toEqual(['word', []]);
  expect(fields).toMatchObject({
    title: 'Pressure of tyres',
    tags: ['tyres', 'air'],
    created: '2024-02-03',
    written_by: { name: 'Ada Lovelace' },
  });
  expect(text).toBe(`## First

Inflate to 4 bar[^1]

> Air is light.

\`\`\`
pump --bar 4
\`\`\`

## Second

| Tyre | Bar |
| - | - |
| 28 mm | 5 |

[^1]: Stated by the maker.`);
});

test('links between files lead to their capsules, and those to other files copy these', async () => {
  const link = (id: string, words: string): string => p(`<w:hyperlink r:id="${id}">${run(words)}</w:hyperlink>`);
  const first = await word(link('a', 'the other') + link('b', 'a picture'), { links: { a: 'other%20one.docx', b: 'photo.png' } });
  const { read, notes, outcome } = await importWord({
    'a.docx': first,
    'other one.docx': await word(p('B')),
    'photo.png': PNG,
    '~$a.docx': 'x',
  });
  expect(outcome.created).toHaveLength(2);
  expect((await read('a')).text).toMatch(/^\[the other\]\(other-one\.md\)\n\n\[a picture\]\(\S*photo\.png\)$/);
  expect(notes).toEqual([]);
});

describe('a file without styles', () => {
  test('has bold lines as its title and headings', async () => {
    const table = `<w:tbl><w:tr><w:tc>${bold('Width')}${p('mm')}</w:tc><w:tc>${p('28')}</w:tc></w:tr></w:tbl>`;
    const file = await word([bold('Tyres'), p('Many kinds.'), bold('Wide ones'), p('Soft.'), table].join(''));
    const { read, notes } = await importWord({ 'doc1.docx': file });
    const { fields, text } = await read('doc1');
    expect([fields['title'], text]).toEqual([
      'Tyres',
      'Many kinds.\n\n## Wide ones\n\nSoft.\n\n| | |\n| - | - |\n| **Width**<br>mm | 28 |',
    ]);
    expect(notes).toEqual(['doc1.docx:1 has no headings; its bold lines, 2 in all, became some']);
  });

  test('that is bold throughout has its name as its title', async () => {
    const { read } = await importWord({ 'price list.docx': await word(bold('One pump') + bold('Two pumps')) });
    expect(await read('price-list')).toMatchObject({ fields: { title: 'Price list' }, text: '**One pump**\n\n**Two pumps**' });
  });
});

test('what HTML does not show is lost, and files that cannot be read are listed', async () => {
  const file = await word(p('Energy') + p('<m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath>'));
  const bomb = Buffer.from(file);
  // The size of the first entry in the directory, as an attacker would state it.
  bomb.writeUInt32LE(0xfffffff0, bomb.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24);
  const { notes, source } = await importWord({
    'a.docx': file,
    'b.docx': 'PK',
    'c.docx': file.subarray(0, 900),
    'd.docx': bomb,
    'e.docx': await word('<w:p>'),
  });
  const damaged = 'is no file of Word, or a damaged or encrypted one; open it, and save it again';
  expect(notes).toContain('a.docx:1 has formulas, 1 in all, which are left out');
  expect(source.skipped).toEqual(['b', 'c', 'd', 'e'].map((name) => ({ path: `${name}.docx`, line: 1, message: damaged })));
});

test('beside other texts, files of Word stay what they may be: downloads', async () => {
  const folder = await writeTree({ 'a.md': '# A\n\n[form](form.docx)\n', 'form.docx': await word(p('Form')) });
  const { outcome, source } = await runImport(folder);
  expect(outcome.created).toEqual(['content/capsules/a.md']);
  expect(source.skipped[0]?.message).toMatch(/import it by its name, or a folder that has files of Word alone$/);
  expect((await runImport(join(folder, 'form.docx'))).outcome.created).toEqual(['content/capsules/form.md']);
});

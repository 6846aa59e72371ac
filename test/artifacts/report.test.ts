import { expect, test } from 'vitest';
import { type Report, renderReportHtml, renderReportMarkdown } from '../../src/artifacts/report.ts';
import type { Design } from '../../src/design/model.ts';
import { exampleSite } from '../support/example-design.ts';
import { MARKUP_INJECTIONS, readMarkup } from '../support/markup.ts';
import { POISON } from '../torture/hostile.ts';

const VOID_ELEMENTS = ['meta'];

/** Returns a report with every kind of part, and `text` wherever a text may come from outside. */
function createReport(text: string, design: Design = exampleSite()): Report {
  return {
    cluster: text,
    writtenAt: '2024-03-01T12:00:00.000Z',
    parts: [
      { id: 'facts', heading: '', kind: 'facts', facts: [{ name: 'API', value: text, remarks: [text] }] },
      { id: 'open', heading: 'Open issues', kind: 'list', items: [text] },
      {
        id: 'nodes',
        heading: 'Nodes',
        kind: 'table',
        columns: ['Name', 'Role'],
        rows: design.nodes.map(({ role }) => [text, role]),
      },
      {
        id: 'update',
        heading: 'Next update',
        kind: 'checks',
        intro: text,
        results: [
          { id: 'update-pools', state: 'blocked', title: text, text, commands: [text] },
          { id: 'update-acks', state: 'ok', title: text, text: '', commands: [] },
        ],
      },
      {
        id: 'secrets',
        heading: 'Secrets',
        kind: 'files',
        intro: text,
        files: [
          { name: text, contents: text, command: text },
          { name: 'auth/kubeconfig', contents: 'keep', command: null },
        ],
      },
    ],
  };
}

test('the document allows no script and no request, and has none', () => {
  const html = renderReportHtml(createReport('text'), exampleSite());
  const { elements } = readMarkup(html, VOID_ELEMENTS);
  const policy = elements.find(({ attributes }) => attributes.get('http-equiv') === 'Content-Security-Policy');
  expect(policy?.attributes.get('content')).toBe("default-src 'none'; style-src 'unsafe-inline'; img-src data:");
  expect(elements.filter(({ name }) => /^(?:script|link|img|iframe|object|base|form)$/.test(name))).toEqual([]);
  expect(html.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|@import|javascript:/);
  const links = elements.flatMap(({ attributes }) => attributes.get('href') ?? []);
  const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
  expect(links).toHaveLength(6);
  for (const link of links) expect(ids).toContain(link.slice(1));
  expect(new Set(ids).size).toBe(ids.length);
});

test('it has one main heading, a heading for each part, and headers for the columns and rows of tables', () => {
  const design = exampleSite();
  const { elements } = readMarkup(renderReportHtml(createReport('text'), design), VOID_ELEMENTS);
  const count = (tag: string) => elements.filter(({ name }) => name === tag).length;
  expect([count('h1'), count('h2'), count('section')]).toEqual([1, 6, 6]);
  const headers = elements.filter(({ name }) => name === 'th').map(({ attributes }) => attributes.get('scope'));
  expect(headers.filter((scope) => scope === 'col')).toHaveLength(2 + 6);
  expect(headers.filter((scope) => scope === 'row')).toHaveLength(count('tr') - 2);
  expect(elements.find(({ name }) => name === 'html')?.attributes.get('lang')).toBe('en');
});

test('the network diagram is there as a drawing and as a table with the same machines', () => {
  const design = exampleSite();
  const { texts } = readMarkup(renderReportHtml(createReport('text'), design), VOID_ELEMENTS);
  for (const { mac } of design.nodes) expect(texts.filter((text) => text === mac)).toHaveLength(2);
  // The router has an address in the network of the company too.
  expect(texts).toContain('192.168.124.254 172.16.0.254');
  for (const text of ['bastion', 'lb1', '*.apps', 'api-int'])
    expect(texts.filter((each) => each === text)).toHaveLength(2);
});

test('the document has at most 300 KB for 50 nodes', () => {
  const site = exampleSite();
  const nodes = Array.from({ length: 50 }, (_, index) => {
    const node = site.nodes[index % site.nodes.length];
    if (!node) throw new Error('the example has no nodes');
    return { ...node, name: `${'n'.repeat(50)}${index}`, ip: [`172.16.0.${index + 1}`] };
  });
  const design = { ...site, nodes };
  const html = renderReportHtml(createReport('a long sentence about a machine '.repeat(10), design), design);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(300_000);
});

test.each([...MARKUP_INJECTIONS, ...POISON])('hostile text is inert: %j', (hostile) => {
  const names = (html: string) => readMarkup(html, VOID_ELEMENTS).elements.map(({ name }) => name);
  const design = exampleSite();
  const html = renderReportHtml(createReport(hostile), design);
  expect(names(html)).toEqual(names(renderReportHtml(createReport('text'), design)));
  expect(html).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufffe\uffff]/);
});

test('report.md has every part, and the command below each file that can be removed', () => {
  expect(renderReportMarkdown(createReport('text', { ...exampleSite(), nodes: exampleSite().nodes.slice(0, 1) }))).toBe(
    `# text

Written by upi-wizard at 2024-03-01T12:00:00.000Z.

- API: text
  - text.

## Open issues

- text

## Nodes

| Name | Role |
| --- | --- |
| text | bootstrap |

## Next update

text

- Blocks the update: text. text
  \`text\`
- OK: text

## Secrets

text

- text: text
  \`text\`
- auth/kubeconfig: keep
`,
  );
});

import { expect, test } from 'vitest';
import { linkUrls } from '../../src/rows/links.ts';
import { createRow, type PageRow } from '../../src/rows/page-rows.ts';

const link = (rows: readonly PageRow[], columns = 60) => linkUrls(rows, columns, '…');
const listLinks = (rows: readonly PageRow[]) =>
  rows.flatMap(({ segments }) => segments.flatMap((each) => (each.link ? [[each.text, each.link]] : [])));
const getTexts = (rows: readonly PageRow[]) => rows.map(({ segments }) => segments.map(({ text }) => text).join(''));

test('an address is a link, without the punctuation of its sentence, and the text stays the same', () => {
  const rows = [
    createRow('Open https://console.apps.a.example/k8s (as kubeadmin).'),
    createRow('See (http://a.example).'),
  ];
  const linked = link(rows);
  expect(listLinks(linked)).toEqual([
    ['https://console.apps.a.example/k8s', 'https://console.apps.a.example/k8s'],
    ['http://a.example', 'http://a.example'],
  ]);
  expect(getTexts(linked)).toEqual(getTexts(rows));
});

test('an address that is longer than a line is one link on all of its lines', () => {
  const address = 'https://docs.example/a/very/long/page#section-1';
  const rows = [createRow(address.slice(0, 30)), createRow(`${address.slice(30)}`), createRow('Next: a sentence')];
  expect(listLinks(link(rows, 30))).toEqual([
    [address.slice(0, 30), address],
    [address.slice(30), address],
  ]);
  // A shorter one ends where it ends.
  expect(listLinks(link([createRow('https://a.example'), createRow('word')], 30))).toEqual([
    ['https://a.example', 'https://a.example'],
  ]);
});

test('an address across segments keeps their tones', () => {
  const linked = link([
    {
      segments: [
        { text: 'at https://a.', tone: 'muted' },
        { text: 'example now', tone: 'ok' },
      ],
    },
  ]);
  expect(linked[0]?.segments).toEqual([
    { text: 'at ', tone: 'muted' },
    { text: 'https://a.', tone: 'muted', link: 'https://a.example' },
    { text: 'example', tone: 'ok', link: 'https://a.example' },
    { text: ' now', tone: 'ok' },
  ]);
});

test.each([
  'https://user:word@a.example/',
  'https://cut.example/pa…',
  `https://a.example/${'x'.repeat(600)}`,
  'https://:80/',
  'javascript://a.example',
])('no link: %s', (text) => {
  expect(listLinks(link([createRow(text)], 1000))).toEqual([]);
});

test('an address that was made a link in its own column stays as it is beside other text', () => {
  const address = 'https://console.apps.example/k8s';
  const inColumn = link([createRow(address.slice(0, 20)), createRow(address.slice(20))], 20);
  const beside = inColumn.map((row) => ({ segments: [...row.segments, { text: ' │ help' }] }));
  expect(listLinks(link(beside, 60))).toEqual([
    [address.slice(0, 20), address],
    [address.slice(20), address],
  ]);
});

test.each([
  ['below the last row', ['https://docs.example/a/very/lo']],
  ['before other words', ['https://docs.example/a/very/lo', 'ng/page explains it']],
  ['by a mark in the next row', ['https://docs.example/a/very/lo', 'ng/pa…']],
  ['by three dots in the next row', ['https://docs.example/a/very/lo', 'ng/pa...']],
  ['in its middle by three dots', ['https://docs.example/.../page']],
])('an address that is cut %s is no link', (_where, texts) => {
  const rows = texts.map((text) => createRow(text));
  const mark = texts.join('').includes('...') ? '...' : '…';
  expect(listLinks(linkUrls(rows, 30, mark))).toEqual([]);
});

test('an address that ends at the right edge is a link before an empty row', () => {
  const address = 'https://docs.example/a/very/lo';
  expect(listLinks(link([createRow(address), createRow('')], 30))).toEqual([[address, address]]);
});

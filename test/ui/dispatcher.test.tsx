import { Text } from 'ink';
import { afterEach, expect, test } from 'vitest';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { type MountedApp, mount } from '../support/mount.tsx';

let mounted: MountedApp | undefined;
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
});

async function mountDispatcher() {
  const events: KeyEvent[] = [];
  mounted = await mount(
    <KeyDispatcher onKey={(event) => events.push(event)}>
      <Text>ready</Text>
    </KeyDispatcher>,
  );
  return { events, press: mounted.press };
}

/** Short form: characters as they are, keys in angle brackets, pastes in quotes. */
function formatEvents(events: readonly KeyEvent[]): string {
  return events
    .map((event) =>
      event.kind === 'char' ? event.text : event.kind === 'paste' ? `"${event.text}"` : `<${event.name}>`,
    )
    .join('');
}

async function typeKeys(...reads: readonly string[]): Promise<string> {
  const { events, press } = await mountDispatcher();
  for (const read of reads) await press(read);
  const result = formatEvents(events);
  await mounted?.unmount();
  mounted = undefined;
  return result;
}

test.each([
  ['abc\r', 'abc<enter>'],
  ['10.0.0.1\r10.0.0.2\n', '10.0.0.1<enter>10.0.0.2<enter>'],
  ['a\r\nb', 'a<enter><enter>b'],
  ['\u001b[B\u001b[B\r', '<down><down><enter>'],
  ['xx\u007f\u007f\b', 'xx<backspace><backspace><backspace>'],
  ['ab\u0001\u0005\u0015\u0017\u000bz', 'ab<ctrl-a><ctrl-e><ctrl-u><ctrl-w><ctrl-k>z'],
  ['\u0003\u0013\u0007', '<ctrl-c><ctrl-s><ctrl-g>'],
  ['a\tb\u001b[Zc', 'a<tab>b<shift-tab>c'],
  ['\u001b[H\u001b[F\u001b[1~\u001b[4~\u001bOH\u001bOF', '<home><end><home><end><home><end>'],
  ['\u001b[5~\u001b[6~\u001b[3~\u001b[D\u001b[C\u001bOA', '<page-up><page-down><delete><left><right><up>'],
  ['日本語ノード', '日本語ノード'],
  ['y y ?', 'y y ?'],
  ['\u001bn', '<escape>n'],
  ['\u001b\u001b[A', '<escape><up>'],
  ['\u001b\r', '<escape><enter>'],
  ['\u001b[1;3A', '<up>'],
  ['\u001bOP\u001b[15~\u001b[2~', ''],
  ['\u001b[I\u001b[O\u001b[12;40R\u001b[?62;c', ''],
  ['a\u0000b\u001cc', 'abc'],
])('%j in one read means %s', async (bytes, expected) => {
  expect(await typeKeys(bytes)).toBe(expected);
});

test('graphemes arrive whole', async () => {
  const { events, press } = await mountDispatcher();
  await press('👨‍👩‍👧e\u0301x');
  expect(events).toEqual(['👨‍👩‍👧', 'e\u0301', 'x'].map((text) => ({ kind: 'char', text })));
});

test('a lone Esc is Esc', async () => {
  const { events } = await mountDispatcher();
  await mounted?.escape();
  expect(formatEvents(events)).toBe('<escape>');
});

test('a bracketed paste is one event, whatever is in it, also when it comes in pieces', async () => {
  const { events, press } = await mountDispatcher();
  await press('a\u001b[200~10.0.0.1\r\n10.0.0.2\r\u0007q');
  await press(' \u001b[31mred\u001b[201~b\r');
  expect(events).toEqual([
    { kind: 'char', text: 'a' },
    { kind: 'paste', text: '10.0.0.1\n10.0.0.2\n\ufffdq \ufffdred' },
    { kind: 'char', text: 'b' },
    { kind: 'key', name: 'enter' },
  ]);
});

test('bracketed paste is enabled at the start and disabled at the end', async () => {
  await mountDispatcher();
  const shown = mounted as MountedApp;
  expect(shown.rawOutput()).toContain('\u001b[?2004h');
  await shown.unmount();
  mounted = undefined;
  expect(shown.rawOutput().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
    shown.rawOutput().lastIndexOf('\u001b[?2004h'),
  );
});

test('a whole scenario in one write gives the same keys as one byte at a time', async () => {
  const scenario =
    'ocp45\r\texample.localdomain\u001b[D\u007f\u0001x\u001b[B\u001b[B\r\u001b[Z日本\u0015y\u001b[200~a b\rc\u001b[201~\u001b[6~\u0013';
  const burst = await typeKeys(scenario);
  const single = await typeKeys(...scenario);
  expect(single).toBe(burst);
  expect(burst).toContain('"a b\nc"<page-down><ctrl-s>');
});

// Draws pages as pictures: captured text shows neither colour nor weight. Mounts each state of test/screens/views.ts in
// a terminal emulator and has Chromium (Debian: `chromium`) draw all of them into one sheet for each size and theme.
// Usage: node --import ./test/support/loader.ts test/tools/contact-sheet.ts [--out DIR] [--size 80x24] [--theme dark]
//        [--ascii] [--mono | --depth 16|256|truecolor] [--columns N] [NAME...]   (names of states; by default the usual ones of a rehearsal)
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Background, ColourDepth } from '../../src/platform/theme.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'contact-sheet' },
    size: { type: 'string', multiple: true, default: ['80x24', '120x40', '200x60'] },
    theme: { type: 'string', multiple: true, default: ['dark', 'light'] },
    ascii: { type: 'boolean', default: false },
    mono: { type: 'boolean', default: false },
    depth: { type: 'string', default: '256' },
    columns: { type: 'string', default: '' },
  },
});

await import('../support/language.ts');
const { mountWizard } = await import('../support/wizard-app.tsx');
const { STATES } = await import('../screens/views.ts');
type Cell = NonNullable<ReturnType<Awaited<ReturnType<typeof mountWizard>>['cell']>>;

/** The 16 colours of the terminal, and its own background and text. */
const PALETTES = {
  dark: {
    background: '#1b1d23',
    text: '#d4d7dd',
    colours:
      '#1b1d23 #e06c75 #98c379 #d9b36c #61afef #c678dd #4fb6c2 #c8ccd4 #5c6370 #ff8790 #b5e890 #f0cf8e #82c4ff #e29bf5 #6fdbe8 #ffffff',
  },
  light: {
    background: '#ffffff',
    text: '#24292f',
    colours:
      '#24292f #cf222e #116329 #7d4e00 #0969da #8250df #1b7c83 #6e7781 #57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f',
  },
} as const;

/** Pages of a rehearsal in their usual states. */
const PAGES = [
  ...['welcome', 'welcome around', 'cluster', 'networks', 'networks wrong', 'nodes', 'nodes edit', 'services'],
  ...['credentials', 'review', 'review wrong', 'generate needed', 'generate asking', 'hosts waiting', 'prepare needed'],
  ...[
    'boot waiting',
    'boot failed',
    'boot replacing',
    'bootstrap waiting',
    'bootstrap-removal needed',
    'certificates needed',
  ],
  ...['operators waiting', 'infra needed', 'infra asking', 'report done'],
];

function toHex(cell: Cell, isForeground: boolean, theme: Background): string {
  const { background, text, colours } = PALETTES[theme];
  const value = isForeground ? cell.getFgColor() : cell.getBgColor();
  if (isForeground ? cell.isFgRGB() : cell.isBgRGB()) return `#${value.toString(16).padStart(6, '0')}`;
  if (!(isForeground ? cell.isFgPalette() : cell.isBgPalette())) return isForeground ? text : background;
  if (value < 16) return colours.split(' ')[value] ?? text;
  if (value > 231) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40).toString(16).padStart(2, '0');
  const index = value - 16;
  return `#${level(Math.floor(index / 36))}${level(Math.floor(index / 6) % 6)}${level(index % 6)}`;
}

function formatStyle(cell: Cell, theme: Background): string {
  const [fore, back] = [toHex(cell, true, theme), toHex(cell, false, theme)];
  const [color, background] = cell.isInverse() ? [back, fore] : [fore, back];
  return [
    `color:${color}`,
    ...(background === PALETTES[theme].background ? [] : [`background:${background}`]),
    ...(cell.isBold() ? ['font-weight:bold'] : []),
    ...(cell.isDim() ? ['opacity:.55'] : []),
    ...(cell.isItalic() ? ['font-style:italic'] : []),
    ...(cell.isUnderline() ? ['text-decoration:underline'] : []),
  ].join(';');
}

const escapeHtml = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

async function drawPage(name: string, [cols, rows]: readonly [number, number], theme: Background): Promise<string> {
  const make = STATES[name];
  if (make === undefined) throw new Error(`no state ${name}: ${Object.keys(STATES).join(', ')}`);
  const depth = values.depth as ColourDepth;
  const style = { hasUnicode: !values.ascii, hasColour: !values.mono, depth, background: theme };
  const app = await mountWizard(make(), { cols, rows, style });
  const lines = Array.from({ length: rows }, (_, y) => {
    const spans: { style: string; text: string }[] = [];
    for (let x = 0; x < cols; x += 1) {
      const cell = app.cell(x, y);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const css = formatStyle(cell, theme);
      const last = spans.at(-1);
      if (last?.style === css) last.text += cell.getChars() || ' ';
      else spans.push({ style: css, text: cell.getChars() || ' ' });
    }
    return spans.map(({ style: css, text }) => `<span style="${css}">${escapeHtml(text)}</span>`).join('');
  });
  await app.unmount();
  return `<figure><figcaption>${escapeHtml(name)}</figcaption><pre>${lines.join('\n')}</pre></figure>`;
}

/** Cells as DejaVu Sans Mono draws them at 12 px. */
const CELL = { width: 7.225, height: 14 };

mkdirSync(values.out, { recursive: true });
for (const size of values.size) {
  const [cols = 80, rows = 24] = size.split('x').map(Number);
  const names = positionals.length > 0 ? positionals : PAGES;
  const columns = Number(values.columns) || Math.min(names.length, Math.max(1, Math.floor(330 / cols)));
  for (const theme of values.theme as Background[]) {
    const figures = [];
    for (const name of names) figures.push(await drawPage(name, [cols, rows], theme));
    const { background, text } = PALETTES[theme];
    const html = `<meta charset="utf-8"><style>body{margin:8px;background:#777;display:grid;gap:8px;grid-template-columns:repeat(${columns},max-content)}
figure{margin:0}figcaption{font:bold 11px sans-serif;color:#fff}
pre{margin:0;font:12px/${CELL.height}px 'DejaVu Sans Mono',monospace;background:${background};color:${text};width:${cols}ch}</style>${figures.join('')}`;
    const file = join(values.out, `${size}-${theme}`);
    writeFileSync(`${file}.html`, html);
    const width = Math.ceil(columns * (cols * CELL.width + 8) + 16);
    const height = Math.ceil(names.length / columns) * (rows * CELL.height + 24) + 16;
    execFileSync(
      'chromium',
      ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--window-size=${width},${height}`].concat([
        `--screenshot=${file}.png`,
        `file://${resolve(file)}.html`,
      ]),
      { stdio: 'ignore' },
    );
    rmSync(`${file}.html`);
    process.stdout.write(`${file}.png\n`);
  }
}
process.exit(0);

// Every screen in a pseudo-language. It reveals text that is not from the catalogue, and layouts with room for English
// words only.
import stringWidth from 'string-width';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { DIAGNOSTIC_RULES } from '../../src/checks/rules/index.ts';
import { listCheckIds } from '../../src/steps/check/index.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { VIEWPORT } from '../support/viewport.ts';
import type { WizardApp } from '../support/wizard-app.tsx';

/**
 * Loads separate instances of the modules, in the pseudo-language. The modules that other tests share hold views in
 * English.
 */
async function load() {
  const { catalogue, setCatalogue }: typeof import('../../src/i18n/catalogue.ts') = await import(
    toOwnModule('../../src/i18n/catalogue.ts')
  );
  const pseudo: typeof import('../support/pseudo-language.ts') = await import(
    toOwnModule('../support/pseudo-language.ts')
  );
  setCatalogue(pseudo.pseudoLanguage, 'en');
  const views: typeof import('./views.ts') = await import(toOwnModule('./views.ts'));
  const app: typeof import('../support/wizard-app.tsx') = await import(toOwnModule('../support/wizard-app.tsx'));
  const state: typeof import('../support/wizard-state.ts') = await import(toOwnModule('../support/wizard-state.ts'));
  const registry: typeof import('../../screens/app/app.ts') = await import(toOwnModule('../../screens/app/app.ts'));
  return { ...pseudo, catalogue, ...views, ...app, ...state, ...registry };
}

/** Marks a module to be loaded as a separate instance: see test/support/loader.ts. */
const toOwnModule = (file: string) => new URL(`${file}?own`, import.meta.url).href;

let modules: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  modules = await load();
});

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

/**
 * Words that are not sentences: names and addresses of the example, kinds and values of the design file, abbreviations
 * of the field.
 */
const DATA = new RegExp(
  `^(?:${[
    'ocp example localdomain api int apps bs ns lb ed evil old xk qqq ec da admin home user upi wizard',
    'cluster standard compact single node true false bootstrap bootstrapper control plane compute infra storage',
    'rhel bind isc dhcpd haproxy ipxe iso pvc external none bastion DNS DHCP LB',
    'dev sda ssh id pub pull secret txt json dir nodes EROFS NAME UNKNOWN KEY WEAK bootkube',
    'csr approve stop rm images deep',
    'label pool add dns router registry monitoring taint final ingress authentication machine config',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
);

/** View properties that hold output or names of other programs, or text for the user to type. */
const FOREIGN_PROPERTIES = new Set(
  (
    'name file object before after content commands instructions address requester message text reason program output path ' +
    'consoleUrl kubeconfig fingerprint node namespace up down overSsh roles level type cause'
  ).split(' '),
);

function collectForeignTexts(value: unknown, isExternal = false): string[] {
  if (typeof value === 'string') return isExternal ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    collectForeignTexts(inner, FOREIGN_PROPERTIES.has(key) || (isExternal && Array.isArray(value))),
  );
}

/** The ids of checks and rules, also in commands: the same in every language. */
const IDS = new RegExp(
  `(?<![\\w-])(?:${[...listCheckIds(), ...DIAGNOSTIC_RULES.map(({ id }) => id)].filter((id) => id.includes('-')).join('|')})(?![\\w-])`,
  'g',
);

/** Finds words that no sentence of the catalogue contains. The end of a line or cell may truncate a known word. */
function findUnmarkedWords(state: WizardState, lines: readonly string[]): string[] {
  const known = collectForeignTexts([Object.values(state.runs), state.overlay]).flatMap((text) =>
    modules.findUnmarkedWords(text),
  );
  const isKnown = (word: string) => DATA.test(word) || known.some((other) => other.startsWith(word));
  const isCut = (line: string, word: string) => new RegExp(`${word}[…~]`, 'u').test(line);
  return lines.flatMap((line) =>
    modules
      .findUnmarkedWords(line.replaceAll(IDS, ''))
      .filter((word) => !isKnown(word) && !isCut(line, word))
      .map((word) => `"${word}" is not from the catalogue: ${line}`),
  );
}

/** Finds layout errors: an incomplete frame, missing keys, or a sentence that ends in its middle without a mark. */
function findLayoutErrors(lines: readonly string[]): string[] {
  const { keys, step } = modules.catalogue().screens;
  const wrong: string[] = [];
  if (lines.length !== 24) wrong.push(`${lines.length} lines`);
  for (const line of lines) if (stringWidth(line) > 80) wrong.push(`too wide: ${line}`);
  if (!/^┌.*─┐$/u.test(lines[1] ?? '')) wrong.push(`no edge in row 1: ${lines[1]}`);
  if (!/^└[─┴]+(?: .*\d.* ─)?┘$/u.test(lines[22] ?? '')) wrong.push(`no edge in row 22: ${lines[22]}`);
  const [title = '', footer = ''] = [lines[0], lines[23]];
  if (!/^ ⟦.* {2}\d+\/17$/u.test(title)) wrong.push(`the title has no place: ${title}`);
  if (!/^ \S+ ⟦/u.test(footer)) wrong.push(`the footer has no key: ${footer}`);
  // Text that can be scrolled, and a help page, continue below.
  if (footer.includes(keys.readOn) || footer.includes(keys.close)) return wrong;
  if (lines.some((line) => line.endsWith('▐'))) return wrong;
  let open = 0;
  for (const [row, line] of [...lines.slice(2, 22).map(stripSidebar), ''].entries()) {
    if (open > 0 && line.trim() === '')
      wrong.push(`a sentence ends in its middle in row ${row + 1}: ${lines[row + 1]}`);
    if (line.trim() === '' || line.includes(step.moreNotes)) open = 0;
    else
      for (const sign of line) {
        if (sign === '⟦') open += 1;
        else if (sign === '⟧') open = Math.max(0, open - 1);
        else if (sign === '…' || sign === '~') open = 0;
      }
  }
  return wrong;
}

/** Removes the sidebar and the edges. */
const stripSidebar = (line: string) => line.replace(/^[│├].{20}[│┤]/u, '').replace(/^│|│$/gu, '');

async function checkState(name: string, state: WizardState, keys: readonly string[] = []): Promise<string[]> {
  if (app) await app.setState(state);
  else app = await modules.mountWizard(state);
  for (const key of keys) await app.press(key);
  const lines = app.frame();
  return [...findLayoutErrors(lines), ...findUnmarkedWords(app.store.getState(), lines)].map(
    (what) => `${name}: ${what}`,
  );
}

test('every screen in every phase shows only text of the catalogue, and keeps its frame', async () => {
  const wrong: string[] = [];
  for (const [name, make] of Object.entries(modules.STATES)) wrong.push(...(await checkState(name, make())));
  expect(wrong).toEqual([]);
});

test('so do the help of every screen and the labels of its keys', async () => {
  const wrong: string[] = [];
  for (const [name, make] of Object.entries(modules.STATES)) {
    const state = make();
    const { help, bindings } = modules.SCREENS[state.screen];
    const keys = bindings(state, VIEWPORT).flatMap(({ label, disabledReason }) => [label, disabledReason ?? '']);
    wrong.push(...findUnmarkedWords(state, [...help(state), ...keys]).map((what) => `${name}: ${what}`));
    if (!/looking|needed|done|asking|failed/.test(name))
      wrong.push(...(await checkState(`${name}, help`, state, ['\u0007'])));
  }
  expect(wrong).toEqual([]);
});

test('so do the overlays, and the replies of disabled keys', async () => {
  const { applyInputs, wizardState, STATES } = modules;
  const nodes = () => wizardState({}, { screen: 'nodes' });
  const userError = { code: 'x', title: '', cause: 'EROFS', remedy: '' };
  const imported = applyInputs(nodes(), { type: 'import/open', from: 'file' });
  const offer = {
    path: '/home/user/cluster.json',
    kind: 'install-config',
    document: { cluster: { name: 'ocp46' }, nodes: [{ name: 'w7', role: 'compute', ip: '172.16.0.77' }] },
    notes: [],
    secrets: ['pull-secret.txt'],
  } as const;
  const overlays: Readonly<Record<string, WizardState>> = {
    quit: applyInputs(nodes(), { type: 'overlay/open', overlay: 'quit' }),
    unsaved: applyInputs(nodes(), { type: 'session/save-failed', userError }, { type: 'session/quit' }),
    course: { ...(STATES['boot waiting']?.() ?? nodes()), firstPowerOnAt: modules.START - 600_000 },
    'install for real': applyInputs(
      STATES['welcome rehearsal']?.() ?? nodes(),
      { type: 'install/open' },
      { type: 'install/refused', message: modules.localize('taken') },
    ),
    'fill down': applyInputs(nodes(), { type: 'node/move', by: 1 }, { type: 'node/fill-open' }),
    'import a file': imported,
    'import nothing': applyInputs(imported, { type: 'import/enter' }),
    'import lines': applyInputs(nodes(), { type: 'import/open', from: 'lines' }),
    'import offered': applyInputs(imported, { type: 'import/offered', offer }),
    'import reading': applyInputs(
      imported,
      { type: 'import/edit', event: { kind: 'char', text: 'x' } },
      { type: 'import/enter' },
    ),
    'key made': applyInputs(wizardState({}, { screen: 'credentials' }), {
      type: 'credentials/key-generated',
      file: '/home/user/id.pub',
    }),
  };
  const wrong: string[] = [];
  for (const [name, state] of Object.entries(overlays)) wrong.push(...(await checkState(name, state)));
  const keysByState = {
    'boot waiting': '\rnc',
    'certificates waiting': '\raed',
    'infra waiting': '\ru',
    'hosts needed': 's',
    'report done': 'f',
  };
  for (const [name, keys] of Object.entries(keysByState)) {
    for (const key of keys) {
      const state = STATES[name]?.() ?? nodes();
      wrong.push(...(await checkState(`${name}, ${JSON.stringify(key)}`, state, [key])));
    }
  }
  expect(wrong).toEqual([]);
});

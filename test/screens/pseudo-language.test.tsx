// Every screen in a language that is not English: what does not come from the catalogue shows itself, and so does what has room for
// English words only.
import stringWidth from 'string-width';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { CAUSES } from '../../src/diagnosis/causes/index.ts';
import { checkIds } from '../../src/steps/check/index.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import type { WizardApp } from '../support/wizard-app.tsx';

/** Modules of its own, which speak its language: those that other tests share hold views in English. */
async function load() {
  const { catalogue, speak }: typeof import('../../src/text/catalogue.ts') = await import(
    own('../../src/text/catalogue.ts')
  );
  const pseudo: typeof import('../support/pseudo-language.ts') = await import(own('../support/pseudo-language.ts'));
  speak(pseudo.pseudoLanguage, 'en');
  const views: typeof import('./views.ts') = await import(own('./views.ts'));
  const app: typeof import('../support/wizard-app.tsx') = await import(own('../support/wizard-app.tsx'));
  const state: typeof import('../support/wizard-state.ts') = await import(own('../support/wizard-state.ts'));
  const registry: typeof import('../../screens/app/registry.ts') = await import(own('../../screens/app/registry.ts'));
  return { ...pseudo, catalogue, ...views, ...app, ...state, ...registry };
}

/** See test/support/loader.ts. */
const own = (file: string) => new URL(`${file}?own`, import.meta.url).href;

let modules: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  modules = await load();
});

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

/** What is no sentence: names and addresses of the example, kinds and values of the design file, what the field abbreviates. */
const DATA = new RegExp(
  `^(?:${[
    'ocp example localdomain api int apps bs ns lb ed evil old xk qqq ec da admin home user upi wizard',
    'cluster standard compact single node true false bootstrap bootstrapper control plane compute infra storage',
    'rhel bind isc dhcpd haproxy ipxe iso pvc external none bastion DNS DHCP LB',
    'dev sda ssh id pub pull secret txt json dir nodes EROFS NAME UNKNOWN KEY WEAK bootkube',
    'csr approve stop rm',
    'label pool add dns router registry monitoring taint final ingress authentication machine config',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
);
/** Where a view holds what other programs say, or names of theirs; and what a person is to type. */
const FOREIGN = new Set(
  (
    'name file object before after content commands instructions address requester message text reason program output path ' +
    'console kubeconfig fingerprint node namespace up down overSsh roles level type cause'
  ).split(' '),
);

function foreignTexts(value: unknown, isForeign = false): string[] {
  if (typeof value === 'string') return isForeign ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    foreignTexts(inner, FOREIGN.has(key) || (isForeign && Array.isArray(value))),
  );
}

/** What checks and rules are called, in commands as well: the same in every language. */
const IDS = new RegExp(
  `(?<![\\w-])(?:${[...checkIds(), ...CAUSES.map(({ id }) => id)].filter((id) => id.includes('-')).join('|')})(?![\\w-])`,
  'g',
);

/** Words that no sentence of the catalogue says; the end of a line or cell may have cut what is known. */
function unmarked(state: WizardState, lines: readonly string[]): string[] {
  const known = foreignTexts([Object.values(state.runs), state.overlay]).flatMap((text) => modules.unmarkedWords(text));
  const isKnown = (word: string) => DATA.test(word) || known.some((other) => other.startsWith(word));
  const isCut = (line: string, word: string) => new RegExp(`${word}[…~]`, 'u').test(line);
  return lines.flatMap((line) =>
    modules
      .unmarkedWords(line.replaceAll(IDS, ''))
      .filter((word) => !isKnown(word) && !isCut(line, word))
      .map((word) => `"${word}" is not from the catalogue: ${line}`),
  );
}

/** The frame is whole, the keys are there, and no sentence ends in its middle without a mark. */
function broken(lines: readonly string[]): string[] {
  const { keys, step } = modules.catalogue().screens;
  // What is counted goes on where the key leads.
  const [, counted = ''] = modules.catalogue().ui.moreLines(2).split(': ');
  const wrong: string[] = [];
  if (lines.length !== 24) wrong.push(`${lines.length} lines`);
  for (const line of lines) if (stringWidth(line) > 80) wrong.push(`too wide: ${line}`);
  if (!/^--+(?: .* --)?$/u.test(lines[1] ?? '')) wrong.push(`no rule in row 1: ${lines[1]}`);
  if (lines[22] !== '-'.repeat(80)) wrong.push(`no rule in row 22: ${lines[22]}`);
  const [title = '', footer = ''] = [lines[0], lines[23]];
  if (!/^ ⟦.* {2}\d+\/17$/u.test(title)) wrong.push(`the title has no place: ${title}`);
  if (!/^ \S+ ⟦/u.test(footer)) wrong.push(`the footer has no key: ${footer}`);
  // What can be read on, and a help page, go on below.
  if (footer.includes(keys.readOn) || footer.includes(keys.close)) return wrong;
  let open = 0;
  for (const [row, line] of [...lines.slice(2, 22).map(besideRail), ''].entries()) {
    if (open > 0 && line.trim() === '')
      wrong.push(`a sentence ends in its middle in row ${row + 1}: ${lines[row + 1]}`);
    if (line.trim() === '' || line.includes(step.moreNotes) || line.includes(counted)) open = 0;
    else
      for (const sign of line) {
        if (sign === '⟦') open += 1;
        else if (sign === '⟧') open = Math.max(0, open - 1);
        else if (sign === '…' || sign === '~') open = 0;
      }
  }
  return wrong;
}

const besideRail = (line: string) => line.replace(/^.{20}\|/u, '');

async function check(name: string, state: WizardState, keys: readonly string[] = []): Promise<string[]> {
  if (app) await app.become(state);
  else app = await modules.mountWizard(state);
  for (const key of keys) await app.press(key);
  const lines = app.lines();
  return [...broken(lines), ...unmarked(app.store.getState(), lines)].map((what) => `${name}: ${what}`);
}

test('every screen in every phase says what the catalogue says, and keeps its frame', async () => {
  const wrong: string[] = [];
  for (const [name, make] of Object.entries(modules.STATES)) wrong.push(...(await check(name, make())));
  expect(wrong).toEqual([]);
});

test('so does the help of every screen, and what its keys do', async () => {
  const wrong: string[] = [];
  for (const [name, make] of Object.entries(modules.STATES)) {
    const state = make();
    const { help, bindings } = modules.SCREENS[state.screen];
    const keys = bindings(state).flatMap(({ label, disabled }) => [label, disabled ?? '']);
    wrong.push(...unmarked(state, [...help(state), ...keys]).map((what) => `${name}: ${what}`));
    if (!/looking|needed|done|asking|failed/.test(name))
      wrong.push(...(await check(`${name}, help`, state, ['\u0007'])));
  }
  expect(wrong).toEqual([]);
});

test('so do the overlays, and what a key answers that does nothing now', async () => {
  const { after, wizardState, STATES } = modules;
  const nodes = () => wizardState({}, { screen: 'nodes' });
  const trouble = { code: 'x', title: '', cause: 'EROFS', whatToDo: '' };
  const imported = after(nodes(), { type: 'import/open', from: 'file' });
  const offer = {
    path: '/home/user/cluster.json',
    kind: 'install-config',
    document: { cluster: { name: 'ocp46' }, nodes: [{ name: 'w7', role: 'compute', ip: '172.16.0.77' }] },
    notes: [],
    secrets: ['pull-secret.txt'],
  } as const;
  const all: Readonly<Record<string, WizardState>> = {
    quit: after(nodes(), { type: 'overlay/open', overlay: 'quit' }),
    unsaved: after(nodes(), { type: 'session/save-failed', trouble }, { type: 'session/quit' }),
    course: { ...(STATES['boot waiting']?.() ?? nodes()), begunAt: modules.START - 600_000 },
    'install for real': after(
      STATES['welcome rehearsal']?.() ?? nodes(),
      { type: 'install/open' },
      { type: 'install/refused', said: modules.said('taken') },
    ),
    'fill down': after(nodes(), { type: 'node/move', by: 1 }, { type: 'node/fill-open' }),
    'import a file': imported,
    'import nothing': after(imported, { type: 'import/enter' }),
    'import lines': after(nodes(), { type: 'import/open', from: 'lines' }),
    'import offered': after(imported, { type: 'import/offered', offer }),
    'import reading': after(
      imported,
      { type: 'import/edit', event: { kind: 'char', text: 'x' } },
      { type: 'import/enter' },
    ),
    'key made': after(wizardState({}, { screen: 'credentials' }), {
      type: 'credentials/key-made',
      file: '/home/user/id.pub',
    }),
  };
  const wrong: string[] = [];
  for (const [name, state] of Object.entries(all)) wrong.push(...(await check(name, state)));
  const pressed = {
    'boot waiting': '\rnc',
    'certificates waiting': '\raed',
    'infra waiting': '\ru',
    'hosts needed': 's',
    'report done': 'f',
  };
  for (const [name, keys] of Object.entries(pressed)) {
    for (const key of keys) {
      const state = STATES[name]?.() ?? nodes();
      wrong.push(...(await check(`${name}, ${JSON.stringify(key)}`, state, [key])));
    }
  }
  expect(wrong).toEqual([]);
});

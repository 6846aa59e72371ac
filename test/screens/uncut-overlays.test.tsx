// With the longest names that there may be, at three sizes: what lies over a screen, what stands beside a wrong answer, the review's
// problems and a host's failing checks are whole, or read to their end on the page that they point to.
import { afterAll, expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/registry.ts';
import { pageHelp, termsOf } from '../../screens/shared/page-help.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { editingOf, focusedField, problemsBeside } from '../../src/wizard/design/editing.ts';
import { problemText } from '../../src/wizard/design/fields.ts';
import { toldOffer } from '../../src/wizard/design/following.ts';
import { FORMS } from '../../src/wizard/design/pages/index.ts';
import { reviewProblems } from '../../src/wizard/design/review.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { LONG_DOMAIN, longName, withLongNames } from '../support/long-names.ts';
import { after, wizardState } from '../support/wizard-state.ts';
import { bodyOf, closeApp, framesOf, helpOf, SIZES, shown, squeezed, unfolded } from './uncut.ts';
import { bootstrapView, generateView, hostsView, STATES, stepState } from './views.ts';

afterAll(closeApp);

const bySize = test.each(SIZES.map((size) => [size.join('x'), size] as const));

/** The sentences and commands of texts that the lines do not hold whole. */
function missingIn(seen: readonly string[], texts: readonly string[]): string[] {
  const said = squeezed(seen.join(''));
  const typed = unfolded(seen);
  return texts.flatMap((text) => [
    ...text.split(/`[^`]+`[\s.,;:)]*/).filter((part) => !said.includes(squeezed(part))),
    ...Array.from(text.matchAll(/`([^`]+)`/g), ([, command = '']) => command).filter(
      (command) => !typed.includes(unfolded([command])),
    ),
  ]);
}

const state = (name: string): WizardState => {
  const make = STATES[name];
  if (!make) throw new Error(`no state ${name}`);
  return withLongNames(make());
};

const FQDN = `${longName('m1')}.${longName('ocp45').slice(0, 20)}.${LONG_DOMAIN}`;
const SCP = `scp -r /home/user/upi-cluster/files/${longName('lb1')} root@172.16.0.112:`;

/** The help of a page of each kind, with the terms at its end. */
const HELPED = ['welcome', 'networks', 'review wrong', 'hosts waiting', 'infra needed'];

test('in a small window the help and the terms of a page are whole to their end', async () => {
  for (const name of HELPED) {
    const at = STATES[name]?.() ?? wizardState();
    const texts = [...pageHelp(SCREENS[at.screen], at), ...termsOf(SCREENS[at.screen])];
    expect(missingIn(await helpOf(at, SIZES[0]), texts), name).toEqual([]);
  }
});

const typing = (text: string) => ({ type: 'palette/edit', event: { kind: 'char', text } }) as const;
const down = (by: number) => ({ type: 'row/move', by, count: 99 }) as const;
/** The words of a line of a file: where it goes on below, a sign stands between them. */
const unmarked = (line: string) => [...new Set(line.trim().split(' '))].slice(-4);

/** What lies over a screen: the state, and the texts that it holds. */
function overlaysOf(): Readonly<Record<string, readonly [WizardState, readonly string[]]>> {
  const nodes = state('nodes');
  const words = catalogue();
  const networks = state('networks');
  const change = { kind: 'network', from: '172.16.0.0/24', to: '10.20.30.0/24' } as const;
  const domain = { kind: 'domain', from: LONG_DOMAIN, to: `x${LONG_DOMAIN.slice(1)}` } as const;
  const offered = (of: typeof change | typeof domain): readonly [WizardState, readonly string[]] => {
    const { question, lines } = toldOffer(networks.document, of);
    return [{ ...networks, overlay: { kind: 'follow', change: of, top: 0 } }, [question, ...lines]];
  };
  const page = {
    title: 'What is wrong: 1 finding, most likely first',
    lines: [
      `1. The name of ${FQDN} is wrong (certain)`,
      `   Do this: Put the zone in place: \`${SCP}\` Then reload it: \`rndc reload\``,
      '   To be sure:',
      `     $ dig +short ${FQDN} @172.16.0.102`,
    ],
  };
  const notes = Array.from({ length: 5 }, (_, index) => `${index}: the key platform.${FQDN} was left out.`);
  const imported = after(
    nodes,
    { type: 'import/open', from: 'file' },
    {
      type: 'import/offered',
      offer: {
        path: `/home/user/${longName('m1')}.json`,
        kind: 'install-config',
        document: { cluster: { name: 'ocp46' }, nodes: [{ name: longName('w7'), role: 'compute', ip: '172.16.0.77' }] },
        notes,
        secrets: ['pull-secret.txt'],
      },
    },
  );
  const said = `${FQDN} holds an installation already: name another directory, or remove that one.`;
  const brief = {
    question: `Put everything back on ${longName('lb1')} as it was before the first run?`,
    lines: Array.from({ length: 6 }, (_, index) => `  ~ /etc/haproxy/${index}.cfg on ${FQDN}`),
    instead: [],
  };
  const undo = after(
    state('infra needed'),
    { type: 'step/ask', action: 'undo', subject: 'label' },
    { type: 'step/briefed', step: 'infra', action: 'undo', subject: 'label', brief },
  );
  const { log } = bootstrapView;
  const long = log.lines.slice(0, 6).map((line, index) => ({ ...line, text: `${line.text}; the end of ${index}` }));
  const logged = long.map(({ text }) => text);
  const book = stepState('bootstrap', 'waiting', { view: { ...bootstrapView, log: { ...log, lines: long } } });
  const read = { lines: long, first: 0, rows: 1 };
  const added = `    server bs 172.16.0.11:6443 check check-ssl verify none ${'inter 10s fall 3 rise 2 '.repeat(4)}the-last-word`;
  const files = generateView.hosts.map((host) => ({
    ...host,
    files: host.files.map((file) => ({ ...file, content: `${file.content}${added}\n` })),
  }));
  const generated = after(stepState('generate', 'needed', { view: { hosts: files } }), down(5));
  const removed = {
    object: 'lb1/etc/haproxy/haproxy.cfg',
    isFile: true,
    what: 'bs leaves',
    before: `${added}\n`,
    after: '',
  };
  const removal = after(
    stepState('bootstrap-removal', 'needed', { plan: { changes: [removed], isDangerous: true, instructions: [] } }),
    { type: 'step/ask', action: 'apply' },
  );
  const typed = after(state('certificates needed'), {
    type: 'step/ask',
    action: 'apply-one',
    subject: 'csr-evil0',
    words: [longName('w9')],
  });
  return {
    quit: [after(nodes, { type: 'overlay/open', overlay: 'quit' }), [...words.screens.quit.details]],
    'follow a network': offered(change),
    'follow a domain': offered(domain),
    diagnosis: [
      { ...state('hosts waiting'), overlay: { kind: 'page', subject: 'diagnosis', shown: page, top: 0 } },
      [page.title, ...page.lines.slice(0, 3), `\`${page.lines[3]?.trim().slice(2)}\``],
    ],
    'import offered': [imported, notes],
    'install refused': [
      after(state('welcome rehearsal'), { type: 'install/open' }, { type: 'install/refused', said }),
      [said],
    ],
    install: [after(state('welcome rehearsal'), { type: 'install/open' }), [words.rehearsal.install.why]],
    'fill down': [
      after(nodes, { type: 'node/move', by: 1 }, { type: 'node/fill-open' }),
      [words.screens.nodes.fill.why],
    ],
    'plan of an undo': [undo, [brief.question, ...brief.lines]],
    'a typed answer': [typed, [words.screens.step.typeHere]],
    palette: [
      after(nodes, { type: 'palette/open' }, ...['w', '3'].map(typing)),
      [longName('w3'), words.screens.palette.node('compute')],
    ],
    log: [after(book, { type: 'log/whole' }, { type: 'log/jump', to: 'start', log: read }), logged],
    'file of a host': [generated, unmarked(added)],
    'difference of a file': [removal, ['lb1: /etc/haproxy/haproxy.cfg: bs leaves', ...unmarked(added)]],
    'plan of a move': [state('infra asking'), [words.screens.step.question.apply(words.steps.titles.infra)]],
  };
}

const OVERLAYS = overlaysOf();

bySize('at %s what lies over a page is whole, or read to its end', async (_name, size) => {
  const wrong: string[] = [];
  for (const [name, [at, texts]] of Object.entries(OVERLAYS)) {
    const key = name.startsWith('import') || name === 'file of a host' ? 'right' : 'page-down';
    const frames = await framesOf(at, size, key);
    for (const text of texts)
      if (frames.every((body) => missingIn(body, [text]).length > 0)) wrong.push(`${name}: ${text}`);
  }
  expect(wrong).toEqual([]);
});

/** What a person may have typed by mistake. */
const SLIPS = ['', 'x', '172.16.0.0/33', `not-a-name_${'x'.repeat(60)}`, '999', '/nowhere/at all'];

/** Questions with slips that are wrong there: one of each rule and length, since the same sentence elsewhere is as long. */
function slips(): WizardState[] {
  const seen = new Set<string>();
  return (Object.keys(FORMS) as (keyof typeof FORMS)[]).flatMap((page) =>
    FORMS[page].flatMap((field) =>
      SLIPS.flatMap((slip) => {
        const at = after(wizardState({ [field.path]: slip }), { type: 'screen/go', screen: page, field: field.path });
        const focused = focusedField(at);
        const [problem] = focused === null ? [] : problemsBeside(at, focused);
        if (problem === undefined || focused?.path !== field.path) return [];
        const kind = `${problem.rule} ${Math.ceil(problemText(problem, at.document).length / 40)}`;
        if (seen.has(kind)) return [];
        seen.add(kind);
        return [at];
      }),
    ),
  );
}

const lengthOf = (at: WizardState) => {
  const field = focusedField(at);
  const [problem] = field === null ? [] : problemsBeside(at, field);
  return problem === undefined ? 0 : problemText(problem, at.document).length;
};
const WRONG = slips();
/** In a larger window those are enough. */
const LONGEST = WRONG.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, 4);

bySize('at %s what is wrong with an answer is whole below it, with how to correct it', async (_name, size) => {
  const wrong: string[] = [];
  expect(WRONG.length).toBeGreaterThan(10);
  for (const at of size === SIZES[0] ? WRONG : LONGEST) {
    const field = focusedField(at);
    const [problem] = field === null ? [] : problemsBeside(at, field);
    if (!field || !problem || !editingOf(at)) continue;
    const text = problemText(problem, at.document);
    const body = bodyOf(at, await shown(at, size), size);
    for (const part of missingIn(besideLabels(body), [text])) {
      if (!body.some((line) => line.includes(catalogue().ui.restInHelp))) wrong.push(`${field.path}: ${part}`);
      else for (const still of missingIn(await helpOf(at, size), [text])) wrong.push(`${field.path}, help: ${still}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The lines without the words that stand before the first of several. */
const besideLabels = (body: readonly string[]) =>
  body.map((line) => line.replace(new RegExp(`^(?:${Object.values(catalogue().ui.notices).join('|')}) +`), ''));

bySize('at %s the review shows each problem whole, or says where it is', async (_name, size) => {
  const broken = wizardState(
    {
      'cluster.baseDomain': LONG_DOMAIN,
      'endpoints.api': 'x',
      'nodes.0.name': longName('bs'),
      'nodes.0.vcpu': 1,
      'nodes.1.ip': '172.16.0.11',
      'nodes.2.mac': '00',
      'networks.cluster.0.cidr': '172.16.0.0/14',
      'services.dns.forwarders': ['nowhere'],
    },
    { screen: 'review' },
  );
  const problems = reviewProblems(broken);
  expect(problems.length).toBeGreaterThan(6);
  const kinds = new Set<string>();
  for (const [row, { subject, message, fix }] of problems.entries()) {
    const kind = `${fix.slice(0, 20)}`;
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    const at = after(broken, { type: 'review/move', by: row });
    const text = catalogue().pages.problem([...subject, message].join(': '), fix);
    const body = bodyOf(at, await shown(at, size), size);
    if (missingIn(body, [text]).length === 0) continue;
    expect(body.join('\n')).toContain(catalogue().ui.restInHelp);
    expect(missingIn(await helpOf(at, size), [text])).toEqual([]);
  }
});

bySize('at %s what a host answers wrong is whole', async (_name, size) => {
  const view = withLongNames(stepState('hosts', 'waiting', { view: hostsView }));
  const failing = view.runs.hosts.probe?.view as typeof hostsView | undefined;
  const seen = failing?.hosts[0]?.checks.find(({ isOk }) => !isOk);
  if (!seen) throw new Error('no failing check');
  const frames = await framesOf(view, size, 'right');
  // It may be longer than the rows that there are: then it is whole from frame to frame.
  const text = squeezed(`${seen.what}: ${seen.detail}`);
  for (let from = 0; from < text.length; from += 20)
    expect(
      frames.some((body) => squeezed(body.join('')).includes(text.slice(from, from + 40))),
      text.slice(from, from + 40),
    ).toBe(true);
});

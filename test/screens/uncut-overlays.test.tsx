// With the longest possible names, at three sizes. Overlays, field errors, review problems and failing host checks
// are complete, or can be read to their end on the page that they name.
import { afterAll, expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/app.ts';
import { getPageHelp, listTerms } from '../../screens/shared/aside.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { getActiveForm, getFocusedField, listActiveFieldProblems } from '../../src/wizard/design/active-form.ts';
import { formatProblem } from '../../src/wizard/design/fields.ts';
import { describeFollowUpOffer } from '../../src/wizard/design/follow-up.ts';
import { FORMS } from '../../src/wizard/design/pages/index.ts';
import { listReviewProblems } from '../../src/wizard/design/review.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { LONG_DOMAIN, lengthenName, withLongNames } from '../support/long-names.ts';
import { applyInputs, wizardState } from '../support/wizard-state.ts';
import { closeApp, getBody, joinShellLines, readFrames, readHelp, renderState, SIZES, stripSpaces } from './uncut.ts';
import { bootstrapView, generateView, hostsView, STATES, stepState } from './views.ts';

afterAll(closeApp);

const bySize = test.each(SIZES.map((size) => [size.join('x'), size] as const));

/** Returns the sentences and commands of the texts that the lines do not contain completely. */
function findMissing(seen: readonly string[], texts: readonly string[]): string[] {
  const content = stripSpaces(seen.join(''));
  const commandText = joinShellLines(seen);
  return texts.flatMap((text) => [
    ...text.split(/`[^`]+`[\s.,;:)]*/).filter((part) => !content.includes(stripSpaces(part))),
    ...Array.from(text.matchAll(/`([^`]+)`/g), ([, command = '']) => command).filter(
      (command) => !commandText.includes(joinShellLines([command])),
    ),
  ]);
}

const createState = (name: string): WizardState => {
  const make = STATES[name];
  if (!make) throw new Error(`no state ${name}`);
  return withLongNames(make());
};

const FQDN = `${lengthenName('m1')}.${lengthenName('ocp45').slice(0, 20)}.${LONG_DOMAIN}`;
const SCP = `scp -r /home/user/upi-cluster/files/${lengthenName('lb1')} root@172.16.0.112:`;

/** One page of each kind, for the help and its terms. */
const HELP_STATES = ['welcome', 'networks', 'review wrong', 'hosts waiting', 'infra needed'];

test('in a small window the help and the terms of a page are whole to their end', async () => {
  for (const name of HELP_STATES) {
    const state = STATES[name]?.() ?? wizardState();
    const texts = [...getPageHelp(SCREENS[state.screen], state), ...listTerms(SCREENS[state.screen], state)];
    expect(findMissing(await readHelp(state, SIZES[0]), texts), name).toEqual([]);
  }
});

const typeText = (text: string) => ({ type: 'palette/edit', event: { kind: 'char', text } }) as const;
const moveDown = (by: number) => ({ type: 'row/move', by, count: 99 }) as const;

/** Lists the last words of a line of a file. Where the line wraps, a sign stands between them. */
const listLastWords = (line: string) => [...new Set(line.trim().split(' '))].slice(-4);

/** Creates the overlays: a state with the overlay open, and the texts that it contains. */
function createOverlays(): Readonly<Record<string, readonly [WizardState, readonly string[]]>> {
  const nodes = createState('nodes');
  const words = catalogue();
  const networks = createState('networks');
  const change = { kind: 'network', from: '172.16.0.0/24', to: '10.20.30.0/24' } as const;
  const domain = { kind: 'domain', from: LONG_DOMAIN, to: `x${LONG_DOMAIN.slice(1)}` } as const;
  const createFollowUpOffer = (of: typeof change | typeof domain): readonly [WizardState, readonly string[]] => {
    const { question, lines } = describeFollowUpOffer(networks.document, of);
    return [
      { ...networks, overlay: { kind: 'follow', path: '', change: of, top: 0, isFresh: false } },
      [question, ...lines],
    ];
  };
  const page = {
    title: 'What is wrong: 1 finding',
    lines: [
      `1. The name of ${FQDN} is wrong (certain)`,
      `   Do this: Put the zone in place: \`${SCP}\` Then reload it: \`rndc reload\``,
      '   To be sure:',
      `     $ dig +short ${FQDN} @172.16.0.102`,
    ],
  };
  const notes = Array.from({ length: 5 }, (_, index) => `${index}: the key platform.${FQDN} was left out.`);
  const imported = applyInputs(
    nodes,
    { type: 'import/open', from: 'file' },
    {
      type: 'import/offered',
      offer: {
        path: `/home/user/${lengthenName('m1')}.json`,
        kind: 'install-config',
        document: {
          cluster: { name: 'ocp46' },
          nodes: [{ name: lengthenName('w7'), role: 'compute', ip: '172.16.0.77' }],
        },
        notes,
        secrets: ['pull-secret.txt'],
      },
    },
  );
  const message = `${FQDN} holds an installation already: name another directory, or remove that one.`;
  const confirmation = {
    question: `Put everything back on ${lengthenName('lb1')} as it was before the first run?`,
    lines: Array.from({ length: 6 }, (_, index) => `  ~ /etc/haproxy/${index}.cfg on ${FQDN}`),
    alternatives: [],
  };
  const undo = applyInputs(
    createState('infra needed'),
    { type: 'step/ask', action: 'undo', subject: 'label' },
    { type: 'step/previewed', step: 'infra', action: 'undo', subject: 'label', confirmation },
  );
  const { log } = bootstrapView;
  const long = log.lines.slice(0, 6).map((line, index) => ({ ...line, text: `${line.text}; the end of ${index}` }));
  const logTexts = long.map(({ text }) => text);
  const logState = stepState('bootstrap', 'waiting', { view: { ...bootstrapView, log: { ...log, lines: long } } });
  const logView = { lines: long, firstNumber: 0, rows: 1 };
  const addedLine = `    server bs 172.16.0.11:6443 check check-ssl verify none ${'inter 10s fall 3 rise 2 '.repeat(4)}the-last-word`;
  const files = generateView.hosts.map((host) => ({
    ...host,
    files: host.files.map((file) => ({ ...file, content: `${file.content}${addedLine}\n` })),
  }));
  const filesState = applyInputs(stepState('generate', 'needed', { view: { hosts: files } }), moveDown(5));
  const fileChange = {
    object: 'lb1/etc/haproxy/haproxy.cfg',
    isFile: true,
    what: 'bs leaves',
    before: `${addedLine}\n`,
    after: '',
  };
  const removal = applyInputs(
    stepState('bootstrap-removal', 'needed', { plan: { changes: [fileChange], isDangerous: true, instructions: [] } }),
    { type: 'step/ask', action: 'apply' },
  );
  const typedAnswer = applyInputs(createState('certificates needed'), {
    type: 'step/ask',
    action: 'apply-one',
    subject: 'csr-evil0',
    words: [lengthenName('w9')],
  });
  return {
    quit: [applyInputs(nodes, { type: 'overlay/open', overlay: 'quit' }), [...words.screens.quit.details]],
    'follow a network': createFollowUpOffer(change),
    'follow a domain': createFollowUpOffer(domain),
    diagnosis: [
      { ...createState('hosts waiting'), overlay: { kind: 'page', subject: 'diagnosis', page, top: 0 } },
      [page.title, ...page.lines.slice(0, 3), `\`${page.lines[3]?.trim().slice(2)}\``],
    ],
    'import offered': [imported, notes],
    'install refused': [
      applyInputs(createState('welcome rehearsal'), { type: 'install/open' }, { type: 'install/refused', message }),
      [message],
    ],
    install: [
      applyInputs(createState('welcome rehearsal'), { type: 'install/open' }),
      [words.rehearsal.install.explanation],
    ],
    'fill down': [
      applyInputs(nodes, { type: 'node/move', by: 1 }, { type: 'node/fill-open' }),
      [words.screens.nodes.fill.explanation],
    ],
    'plan of an undo': [undo, [confirmation.question, ...confirmation.lines]],
    'a typed answer': [typedAnswer, [words.screens.step.nodePrompt]],
    palette: [
      applyInputs(nodes, { type: 'palette/open' }, ...['w', '3'].map(typeText)),
      [lengthenName('w3'), words.screens.palette.node('compute', words.screens.sidebar.nodes)],
    ],
    log: [applyInputs(logState, { type: 'log/whole' }, { type: 'log/jump', to: 'start', log: logView }), logTexts],
    'file of a host': [filesState, listLastWords(addedLine)],
    'difference of a file': [removal, ['lb1: /etc/haproxy/haproxy.cfg: bs leaves', ...listLastWords(addedLine)]],
    'plan of a move': [createState('infra asking'), [words.screens.step.question.apply(words.steps.titles.infra)]],
  };
}

const OVERLAYS = createOverlays();

bySize('at %s an overlay is complete, or can be read to its end', async (_name, size) => {
  const wrong: string[] = [];
  for (const [name, [at, texts]] of Object.entries(OVERLAYS)) {
    const key = name.startsWith('import') || name === 'file of a host' ? 'right' : 'page-down';
    const frames = await readFrames(at, size, key);
    for (const text of texts)
      if (frames.every((body) => findMissing(body, [text]).length > 0)) wrong.push(`${name}: ${text}`);
  }
  expect(wrong).toEqual([]);
});

/** Wrong input that a user may type by mistake. */
const TYPOS = ['', 'x', '172.16.0.0/33', `not-a-name_${'x'.repeat(60)}`, '999', '/nowhere/at all'];

/** Form states with wrong input: one per rule and length, since the same sentence is as long elsewhere. */
function createErrorStates(): WizardState[] {
  const knownKinds = new Set<string>();
  return (Object.keys(FORMS) as (keyof typeof FORMS)[]).flatMap((page) =>
    FORMS[page].flatMap((field) =>
      TYPOS.flatMap((typo) => {
        const state = applyInputs(wizardState({ [field.path]: typo }), {
          type: 'screen/go',
          screen: page,
          field: field.path,
        });
        const focused = getFocusedField(state);
        const [problem] = focused === null ? [] : listActiveFieldProblems(state, focused);
        if (problem === undefined || focused?.path !== field.path) return [];
        const kind = `${problem.rule} ${Math.ceil(formatProblem(problem, state.document).length / 40)}`;
        if (knownKinds.has(kind)) return [];
        knownKinds.add(kind);
        return [state];
      }),
    ),
  );
}

const getProblemLength = (state: WizardState) => {
  const field = getFocusedField(state);
  const [problem] = field === null ? [] : listActiveFieldProblems(state, field);
  return problem === undefined ? 0 : formatProblem(problem, state.document).length;
};
const ERROR_STATES = createErrorStates();

/** In a larger window the longest ones are enough. */
const LONGEST = ERROR_STATES.toSorted((a, b) => getProblemLength(b) - getProblemLength(a)).slice(0, 4);

bySize('at %s the error of a field is complete below it, with its correction', async (_name, size) => {
  const wrong: string[] = [];
  expect(ERROR_STATES.length).toBeGreaterThan(10);
  for (const state of size === SIZES[0] ? ERROR_STATES : LONGEST) {
    const field = getFocusedField(state);
    const [problem] = field === null ? [] : listActiveFieldProblems(state, field);
    if (!field || !problem || !getActiveForm(state)) continue;
    const text = formatProblem(problem, state.document);
    const body = getBody(state, await renderState(state, size), size);
    for (const part of findMissing(stripLabels(body), [text])) {
      if (!body.some((line) => line.includes(catalogue().ui.restInHelp))) wrong.push(`${field.path}: ${part}`);
      else
        for (const rest of findMissing(await readHelp(state, size), [text])) wrong.push(`${field.path}, help: ${rest}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Removes the label in front of the first line of a notice. */
const stripLabels = (body: readonly string[]) =>
  body.map((line) => line.replace(new RegExp(`^(?:${Object.values(catalogue().ui.notices).join('|')}) +`), ''));

bySize('at %s the review shows each problem whole, or says where it is', async (_name, size) => {
  const broken = wizardState(
    {
      'cluster.baseDomain': LONG_DOMAIN,
      'endpoints.api': 'x',
      'nodes.0.name': lengthenName('bs'),
      'nodes.0.vcpu': 1,
      'nodes.1.ip': '172.16.0.11',
      'nodes.2.mac': '00',
      'networks.cluster.0.cidr': '172.16.0.0/14',
      'services.dns.forwarders': ['nowhere'],
    },
    { screen: 'review' },
  );
  const problems = listReviewProblems(broken);
  expect(problems.length).toBeGreaterThan(6);
  const kinds = new Set<string>();
  for (const [row, { subject, message, fix }] of problems.entries()) {
    const kind = `${fix.slice(0, 20)}`;
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    const state = applyInputs(broken, { type: 'review/move', by: row });
    const text = catalogue().pages.problem([...subject, message].join(': '), fix);
    const body = getBody(state, await renderState(state, size), size);
    if (findMissing(body, [text]).length === 0) continue;
    expect(body.join('\n')).toContain(catalogue().ui.restInHelp);
    expect(findMissing(await readHelp(state, size), [text])).toEqual([]);
  }
});

bySize('at %s the failing check of a host is complete', async (_name, size) => {
  const view = withLongNames(stepState('hosts', 'waiting', { view: hostsView }));
  const failing = view.runs.hosts.probe?.view as typeof hostsView | undefined;
  const failingCheck = failing?.hosts[0]?.checks.find(({ isOk }) => !isOk);
  if (!failingCheck) throw new Error('no failing check');
  const frames = await readFrames(view, size, 'right');
  // The text may need more rows than there are. Then consecutive frames contain it completely.
  const text = stripSpaces(`${failingCheck.queryText}: ${failingCheck.detail}`);
  for (let from = 0; from < text.length; from += 20)
    expect(
      frames.some((body) => stripSpaces(body.join('')).includes(text.slice(from, from + 40))),
      text.slice(from, from + 40),
    ).toBe(true);
});

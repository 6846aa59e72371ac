import { afterEach, expect, test } from 'vitest';
import { renderChanges, renderDifference } from '../../screens/shared/step/changes.ts';
import { collectNotes } from '../../screens/shared/step/step-lines.ts';
import type { Finding } from '../../src/checks/check.ts';
import { setAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { csr } from '../../src/i18n/en/csr.ts';
import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import type { Confirmation } from '../../src/steps/contract.ts';
import type { HostsView } from '../../src/steps/hosts/index.ts';
import { listReviewProblems } from '../../src/wizard/design/review.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { applyInputs, START, wizardState } from '../support/wizard-state.ts';
import {
  bootstrapView,
  bootView,
  certificatesView,
  hostsView,
  operatorsView,
  reportView,
  stepState,
  unknownMac,
} from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

async function show(state: WizardState, cols = 80, rows = 24): Promise<string> {
  await app?.unmount();
  app = await mountWizard(state, { cols, rows, style: { hasColour: false } });
  return app.screen();
}

const withRehearsal = (state: WizardState, speed: number): WizardState => ({
  ...state,
  welcome: { ...state.welcome, rehearsal: { speed, isPaused: false } },
});

test('while a step waits, its Enter is marked without colour too; once it is done, Enter continues', async () => {
  expect(await show(stepState('operators', 'waiting'))).toContain(' Enter next (not yet)  ');
  expect(await show(stepState('operators', 'done'))).toContain(' Enter next  ');
});

test('a notice on the page of a step begins with the sign of its kind', async () => {
  const withNotice = (kind: 'info' | 'warning' | 'error') =>
    show({ ...stepState('operators', 'waiting'), notice: { kind, text: `a notice ${'of words '.repeat(9)}` } });
  expect(await withNotice('error')).toContain(' ✖ a notice of words');
  expect(await withNotice('info')).toContain(' • a notice of words');
  expect(await withNotice('warning')).toMatch(/ ! a notice of words .* of\n {4}words/);
});

test('after openshift-install rejected an answer, a key opens that answer', async () => {
  const userError = {
    code: 'installer-install-config',
    title: 'openshift-install rejected install-config.yaml',
    cause: 'networking.serviceNetwork[0]: Invalid value: "x": invalid CIDR address: x',
    remedy: 'Correct it in the design.',
  };
  const failed = applyInputs(stepState('prepare', 'needed'), {
    type: 'step/failed',
    step: 'prepare',
    during: 'run',
    userError,
  });
  expect(await show(failed)).toContain('Enter try again  e correct it ');
  await app?.press('e');
  const state = app?.store.getState();
  expect(state?.screen).toBe('networks');
  expect(state?.notice).toEqual({ kind: 'error', text: userError.cause });
  expect(app?.screen()).toMatch(/▸ Service network/);
});

test('the title of a rehearsal says in words that its time is paused, and that it waits while something is read or answered', async () => {
  const running = withRehearsal(stepState('operators', 'waiting'), 60);
  const title = async (state: WizardState) => (await show(state)).split('\n')[0];
  expect(await title(running)).toContain(' REHEARSAL 60x ');
  expect(await title(applyInputs(running, { type: 'rehearsal/pause' }))).toContain(' REHEARSAL paused ');
  expect(await title(applyInputs(running, { type: 'overlay/open', overlay: 'help' }))).toContain(' REHEARSAL waits ');
});

test('the title of a paused rehearsal keeps the name of the product at 80 columns', async () => {
  const paused = applyInputs(withRehearsal(stepState('certificates', 'waiting'), 240), { type: 'rehearsal/pause' });
  expect((await show(paused)).split('\n')[0]).toContain(' REHEARSAL paused  ocp45.example.localdomain    Certificates');
});

test('the clock in the edge says what it counts from, beside a step that is done too', async () => {
  const done = { ...stepState('operators', 'done'), firstPowerOnAt: START - 35 * MINUTE };
  expect(await show(done)).toMatch(/35 min since power-on, then Infra nodes: 10–40 min ─/);
  const later = applyInputs(done, { type: 'clock/ticked', now: START + 60 * MINUTE });
  expect(await show(later)).toMatch(/─ ━+╸?·+ {2}1 h 35 min since power-on, then Infra nodes: 10–40 min ─/);
  const last = { ...stepState('infra', 'done'), firstPowerOnAt: START - 35 * MINUTE };
  expect(await show(last)).not.toContain('power-on');
});

test('hosts: one that is not set up yet has nothing that failed; one that is shows what fails', async () => {
  const [ns1, ...others] = hostsView.hosts;
  if (ns1 === undefined) throw new Error('the view has this host');
  const view = (host: HostsView['hosts'][number]) =>
    show(stepState('hosts', 'needed', { view: { ...hostsView, hosts: [host, ...others] } }));
  const fresh = await view({ ...ns1, state: 'not-set-up', isSetUp: false });
  expect(fresh).toContain('ns1 is not set up yet. What it answers now:');
  expect(fresh).toMatch(/◦ m1\.ocp45\.example\.localdomain: no answer/);
  expect(fresh).not.toContain('✖');
  expect(await view(ns1)).toMatch(/✖ m1\.ocp45\.example\.localdomain: no answer/);
});

test('hosts: one whose file is not the generated one is marked, and the file is named', async () => {
  const hosts = hostsView.hosts.map((host): HostsView['hosts'][number] =>
    host.name === 'ns1' ? { ...host, state: 'changed', changedFiles: ['/etc/named.conf'] } : host,
  );
  const shown = await show(stepState('hosts', 'done', { view: { ...hostsView, hosts } }));
  expect(shown).toMatch(/ns1 +! not as generated/);
  expect(shown).toContain('Not as generated: /etc/named.conf');
});

test('hosts: the page opens at a host whose file is not the generated one', async () => {
  const hosts = hostsView.hosts.map((host): HostsView['hosts'][number] =>
    host.name === 'lb1' ? { ...host, state: 'changed', checks: [] } : { ...host, state: 'answers', checks: [] },
  );
  expect(await show(stepState('hosts', 'done', { view: { ...hostsView, hosts } }))).toMatch(/▸ \d+\. lb1/);
});

test('hosts: a set-up that would change nothing is said, and not asked', async () => {
  const nothingToDo = 'Nothing to do on ns1: the files there are the generated ones.';
  const confirmation = { question: 'Run install.sh on ns1 from here?', lines: [], nothingToDo, alternatives: [] };
  const state = applyInputs(
    stepState('hosts', 'done'),
    { type: 'step/ask', action: 'set-up', subject: 'ns1' },
    { type: 'step/previewed', step: 'hosts', action: 'set-up', subject: 'ns1', confirmation },
  );
  expect(state.runs.hosts.phase).not.toBe('asking');
  const screen = await show(state);
  expect(screen).toContain(nothingToDo);
  expect(screen).not.toContain('Run install.sh');
});

test('hosts: a service of others that answers nothing as designed awaits them; one that answers in part fails', async () => {
  const createCheck = (queryText: string, isOk: boolean) =>
    ({ kind: 'dns', server: '192.168.124.1', queryText, isOk, detail: '' }) as const;
  const view = (...checks: HostsView['externalServices'][number]['checks']) =>
    show(
      stepState('hosts', 'waiting', {
        view: {
          ...hostsView,
          hosts: [],
          externalServices: [
            { role: 'DNS', addresses: ['192.168.124.1'], filesDir: '/f', isEnteredAutomatically: true, checks },
          ],
        },
      }),
    );
  const unanswered = await view(createCheck('api', false), createCheck('api-int', false));
  expect(unanswered).toMatch(/◦ does not answer yet[\s\S]*◦ api/);
  expect(unanswered).not.toContain('✖');
  expect(await view(createCheck('api', true), createCheck('api-int', false))).toMatch(/✖ does not answer yet/);
});

test('an API that does not answer is reported once on a page: by the list, or by the finding below it', async () => {
  const title = 'The API does not answer yet';
  const cause = 'api.ocp45.example.localdomain:6443: the connection was refused';
  const finding: Finding = {
    ...{ code: 'cluster-refused', state: 'failed', severity: 'warning', subject: null },
    ...{ title, cause, remedy: 'Check the load balancer.' },
  };
  const screens = (apiDetail: string, findings: readonly Finding[]) => [
    stepState('operators', 'waiting', {
      view: { ...operatorsView, operators: [], clusterVersion: null, apiDetail },
      findings,
    }),
    stepState('certificates', 'waiting', { view: { ...certificatesView, requests: [], apiDetail }, findings }),
  ];
  const count = (text: string, part: string) => text.split(part).length - 1;
  for (const state of screens(`${title} (for 42 s, normal so far): ${cause}`, []))
    expect(count(await show(state, 120, 40), title)).toBe(1);
  for (const state of screens(`${title} (for 22 min, longer than usual): ${cause}`, [finding])) {
    const text = await show(state, 120, 40);
    expect(count(text, title)).toBe(1);
    expect(text).toContain('The API cannot be read now; the reason is below.');
  }
});

test('hosts: an answer names what was asked once', async () => {
  const [ns1, lb1, ...others] = hostsView.hosts;
  if (ns1 === undefined || lb1 === undefined) throw new Error('the view has these hosts');
  const name = 'm1.ocp45.example.localdomain';
  const { probe } = catalogue().bastion;
  const noName = catalogue().diagnosis.hosts.expected('172.16.0.21', probe.dnsNoName('172.16.0.102', name));
  const view = (...hosts: HostsView['hosts']) => stepState('hosts', 'waiting', { view: { ...hostsView, hosts } });
  const dns = { kind: 'dns', server: '172.16.0.102', queryText: name, isOk: false, detail: noName } as const;
  const port = {
    kind: 'port',
    server: '172.16.0.111',
    queryText: '172.16.0.111:443',
    isOk: false,
    detail: probe.refused(probe.hostAndPort('172.16.0.111', 443)),
  } as const;
  const shown = await show(view({ ...ns1, state: 'wrong', checks: [dns, port] }, lb1, ...others));
  const answers = shown.slice(shown.indexOf('What ns1 answers'), shown.indexOf('Waiting'));
  expect(answers.replaceAll(/\s+/g, ' ')).toContain(
    `172.16.0.102 reports that ${name} does not exist (expected 172.16.0.21)`,
  );
  expect(answers.split(name)).toHaveLength(2);
  expect(answers).toContain('✖ 172.16.0.111:443 refuses connections: nothing listens');
  expect(answers.split('172.16.0.111')).toHaveLength(2);
  // An address that only begins like another one is not named yet.
  const silent = {
    ...dns,
    kind: 'reverse',
    queryText: '172.16.0.10',
    detail: probe.dnsTimeout(probe.nameServer('172.16.0.102')),
  } as const;
  const other = await show(view({ ...ns1, state: 'wrong', checks: [silent] }, lb1, ...others));
  expect(other).toContain('172.16.0.10: the name server 172.16.0.102 does not answer');
});

test('a list item of the report keeps its marker beside a command, which has a line of its own', async () => {
  const section = {
    ...{ id: 'open', heading: 'Open points' },
    lines: ['- Remove the password: `oc delete secret kubeadmin -n kube-system`', '- Second point'],
  } as const;
  const text = await show(stepState('report', 'done', { view: { ...reportView, sections: [section] } }), 80, 30);
  expect(text).toMatch(
    /- Remove the password:[ │]*\n[ │]+oc delete secret kubeadmin -n kube-system[ │]*\n[ │]+- Second point/,
  );
});

test('the report shows each node in one line where the page has the columns, before anything stands beside it', async () => {
  const { columns, bootstrapState, ready } = catalogue().report;
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const node = (name: string, state: string) =>
    row([`${name}.ocp45.example.localdomain`, 'control-plane', '172.16.0.21', '00:50:56:96:37:c8', '4', '16', state]);
  const table = [row(columns), row(columns.map(() => '---')), node('bs', bootstrapState(true)), node('m1', ready)];
  const section = { id: 'nodes', heading: '## Nodes', lines: table } as const;
  const state = stepState('report', 'done', { view: { ...reportView, sections: [section] } });
  const wide = await show(state, 200, 60);
  expect(wide).toMatch(/bs\.ocp45\.example\.localdomain {2}control-plane .* 16 {3}temporary, removed +│/);
  expect(wide).toContain('What can go wrong:');
  const narrower = await show(state, 140, 40);
  expect(narrower).toMatch(/bs\.ocp45\.example\.localdomain {2}control-plane .* 16 {3}temporary, removed/);
  // A table that fits nowhere is folded, and its page keeps the help beside it.
  const narrow = await show(state, 120, 40);
  expect(narrow).toMatch(/bs\.ocp45\.example\.localdomain +│/);
});

test('a check that the user repeats is shown at once, in the place of the result, and nothing else moves', async () => {
  for (const step of ['prepare', 'hosts', 'boot', 'certificates', 'operators', 'infra'] as const) {
    const state = stepState(step, 'done');
    const before = (await show(state)).split('\n');
    const during = (await show(applyInputs(state, { type: 'step/probe' }))).split('\n');
    const changed = before.flatMap((line, index) => (line === during[index] ? [] : [index]));
    expect(during.slice(1, 8).join('\n'), step).toContain('checking again');
    expect(changed.length, step).toBeLessThanOrEqual(3);
    expect(during.length).toBe(before.length);
  }
});

test('after the last probe the screen shows the time of the last observation, not a growing age', async () => {
  const seenAt = formatTimeOfDay(START - 3 * MINUTE);
  expect(await show(stepState('boot', 'waiting', { findings: [] }))).toMatch(/Last seen .*\n.* bs .* 3 min|180 s/);
  const done = await show(applyInputs(stepState('boot', 'done'), { type: 'clock/ticked', now: START + 600 * MINUTE }));
  expect(done).toContain('Last seen at');
  expect(done).toMatch(new RegExp(` bs .* ${seenAt} `));
  const findColumn = (screen: string) =>
    screen
      .split('\n')
      .find((line) => line.includes('Last seen'))
      ?.indexOf('Role');
  expect(findColumn(done), 'no column moves').toBe(
    findColumn(await show(stepState('boot', 'waiting', { findings: [] }))),
  );
});

test('> continues past machines that the step still waits for, but not before they are powered on', async () => {
  await show(stepState('boot', 'needed'));
  await app?.press('n');
  expect(app?.store.getState().screen).toBe('boot');
  expect(await show(stepState('boot', 'waiting'))).toContain('> skip');
  await app?.press('>');
  expect(app?.screen()).toContain('Not finished yet. Press > again to continue anyway');
  expect(app?.store.getState().screen).toBe('boot');
  await app?.press('>');
  expect(app?.store.getState().screen).toBe('bootstrap');
});

test('X asks for the reason to override failed checks, and accepts no shorter text', async () => {
  const finding: Finding = {
    ...{ code: 'dns-api', state: 'failed', severity: 'fatal', subject: 'api', title: 'api leads elsewhere' },
    ...{ cause: '172.16.0.1', remedy: 'mend the zone' },
  };
  const createBlocked = (count: number) => {
    const run = stepState('prepare', 'blocked', { findings: [finding] });
    const { probe } = run.runs.prepare;
    if (probe === null) throw new Error('no probe');
    const overridableChecks = Array.from({ length: count }, () => finding);
    return applyInputs(run, {
      type: 'step/probed',
      step: 'prepare',
      probe: { ...probe, overridableChecks },
      plan: null,
    });
  };
  expect(await show(createBlocked(0))).not.toContain('override');
  expect(await show(createBlocked(6))).toContain('X override');
  expect(app?.screen()).toContain('X overrides this check, with a reason that you type');
  expect(app?.screen()).toMatch(/Do this: mend the zone[\s\S]*X overrides this check/);
  expect(await show(createBlocked(6), 60, 20)).toContain('X override');
  await app?.press('X');
  await app?.press('n');
  await app?.press('\r');
  expect(app?.store.getState().runs.prepare.phase).toBe('asking');
  expect(app?.screen()).toMatch(
    /one sentence why[\s\S]*- api leads elsewhere: 172.16.0.1[\s\S]*and 2 more checks[\s\S]*Reason: n\s/,
  );
});

test('a stage that was done before the first probe shows as not timed; a running one shows its duration', async () => {
  const [first, second, ...others] = bootstrapView.stages;
  if (!first || !second) throw new Error('the view has no stages');
  const stages = [
    { ...first, startedAt: null, doneAt: START },
    { ...second, startedAt: START - MINUTE, doneAt: START - MINUTE },
    ...others,
  ];
  const screen = await show(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, stages } }), 80, 40);
  expect(screen.match(/not timed(?!:)/g)).toHaveLength(2);
  expect(screen).toContain('not timed: the stage ended between two checks, or while no wizard watched it.');
  expect(screen).not.toContain('not watched');
});

test('a stage that was done at the same probe as a watched one was done at once', async () => {
  const [first, second, ...others] = bootstrapView.stages;
  if (!first || !second) throw new Error('the view has no stages');
  const stages = [
    { ...first, startedAt: START - 9 * MINUTE, doneAt: START },
    { ...second, startedAt: null, doneAt: START },
    ...others,
  ];
  const screen = await show(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, stages } }), 110, 32);
  expect(screen).toMatch(/API answers .* at once/);
});

test('the stages begin with the first, unless the running one or the next is below the end', async () => {
  const listShown = async (running: number, rows: number) => {
    const stages = bootstrapView.stages.map((stage, index) => ({
      ...stage,
      state: index < running ? ('done' as const) : index === running ? ('running' as const) : ('pending' as const),
    }));
    const screen = await show(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, stages } }), 80, rows);
    return stages.flatMap(({ title }, index) => (screen.includes(title.slice(0, 24)) ? [index] : []));
  };
  const count = bootstrapView.stages.length;
  // After the last stage, no stage runs.
  for (const running of [0, 2, count]) expect((await listShown(running, 22))[0], `${running}`).toBe(0);
  for (const running of [0, 2, 4, count - 1]) {
    const shown = await listShown(running, 18);
    expect(shown, `${running}`).toEqual(expect.arrayContaining([running, Math.min(running + 1, count - 1)]));
  }
});

test('an accelerated rehearsal states that all times are those of the site', async () => {
  const waiting = stepState('bootstrap', 'waiting', { findings: [] });
  const getText = async (state: WizardState) => (await show(state)).replace(/\s+/g, ' ');
  expect(await getText(waiting)).toMatch(/Usually [^.]*\. └─/);
  expect(await getText(withRehearsal(waiting, 1))).toMatch(/Usually [^.]*\. └─/);
  expect(await getText(withRehearsal(waiting, 60))).toContain(
    'Times are simulated, 60 times as fast (+ and - change that).',
  );
  expect(await getText(withRehearsal(wizardState(), 1))).toContain('the site is simulated, in real time.');
  expect(await getText(withRehearsal(wizardState(), 60))).toContain('and time runs 60 times as fast.');
});

test('the first reason of a refused request is complete, and the others can be read on', async () => {
  const [request] = certificatesView.requests;
  if (!request) throw new Error('the view has no requests');
  const reasons = ['USAGES', 'SUBJECT_O', 'CLIENT_SAN', 'NODE_EXISTS'] as const;
  const reasonTexts = reasons.map((code) => csr.reasons[code]);
  const refused = { ...request, verdict: 'refused' as const, reasons: [...reasons], reasonTexts };
  const view = { ...certificatesView, requests: [refused] };
  const screen = await show(stepState('certificates', 'waiting', { view, findings: [] }), 80, 15);
  expect(screen).toMatch(/csr-7xk2p {2}Its usages are not those of a node\./);
  const whole = await show(stepState('certificates', 'waiting', { view, findings: [] }));
  expect(whole.replaceAll(/\s+/g, ' ')).toContain(reasonTexts.join(' '));
});

test('while services are awaited, the first host with a wrong answer is selected', async () => {
  const [first, second, ...others] = hostsView.hosts;
  if (!first || !second) throw new Error('the view has no hosts');
  const failed = {
    kind: 'port',
    server: '172.16.0.110',
    queryText: '172.16.0.110:22623',
    isOk: false,
    detail: 'no',
  } as const;
  const hosts = [{ ...first, checks: [] }, { ...second, checks: [failed] }, ...others];
  const view = { ...hostsView, hosts };
  expect(await show(stepState('hosts', 'waiting', { view }))).toMatch(/▸ 2\. lb1/);
  expect(await show(stepState('hosts', 'needed', { view }))).toMatch(/▸ 1\. ns1/);
});

test('the page of the operators has their count and the share of the release once, in the state line', async () => {
  const screen = await show(stepState('operators', 'waiting'), 80, 40);
  expect(screen).toContain('73 % applied, 30 of 33 operators healthy');
  expect(screen).toMatch(/Working towards 4\.18\.11: 640 of 869 done\s*[│▐]?$/m);
  expect(screen.match(/of 33 operators/g)).toEqual(['of 33 operators']);
  expect(screen.match(/73 ?%/g)).toEqual(['73 %']);
});

test('until the user moves, the machine or host with the problem is selected, and H acts on it', async () => {
  const failed = {
    kind: 'port',
    server: '172.16.0.110',
    queryText: '172.16.0.110:22623',
    isOk: false,
    detail: 'no',
  } as const;
  const hosts = hostsView.hosts.map((host) => ({
    ...host,
    isSetUp: true,
    state: host.name === 'lb1' ? ('wrong' as const) : ('answers' as const),
    checks: host.name === 'lb1' ? [failed] : [],
  }));
  const hostsPage = await show(stepState('hosts', 'needed', { view: { ...hostsView, hosts } }), 120, 30);
  expect(hostsPage).toMatch(/▸ 2\. lb1/);
  expect(hostsPage).toContain('H set up  M all hosts');
  const findings = [{ ...unknownMac, subject: 'm2' }];
  expect(await show(stepState('boot', 'waiting', { findings }), 80, 40)).toMatch(/▸ m2/);
  const moved = applyInputs(stepState('boot', 'waiting', { findings }), {
    type: 'row/move',
    from: 2,
    by: -1,
    count: 4,
    id: 'm1',
  });
  expect(await show(moved, 80, 40)).toMatch(/▸ m1/);
});

test('a wait that is stuck before the user started it has the sign of a warning', async () => {
  const state = stepState('bootstrap', 'needed');
  const { probe } = state.runs.bootstrap;
  if (probe === null) throw new Error('no probe');
  const stuck = { type: 'step/probed', step: 'bootstrap', probe: { ...probe, isStuck: true }, plan: null } as const;
  expect(await show(applyInputs(state, stuck))).toContain(`! ${probe.summary.slice(0, 40)}`);
  await app?.unmount();
  expect(await show(state)).toContain(`◦ ${probe.summary.slice(0, 40)}`);
});

test('the last page names the steps that an answer has changed since they were done', async () => {
  const done = (['generate', 'hosts', 'operators', 'report'] as const).map((step) => {
    const probe = stepState(step, 'done').runs[step].probe;
    if (probe === null) throw new Error('no probe');
    return { type: 'step/probed', step, probe, plan: null } as const;
  });
  const finished = applyInputs(wizardState({}, { screen: 'report' }), ...done);
  const sentence = 'The design has changed since these steps were done';
  expect(await show(finished)).not.toContain(sentence);
  const document = setAt(finished.document, 'nodes.4.mac', '00:50:56:00:00:99');
  const changed = { ...finished, inForce: finished.inForce && { ...finished.inForce, document } };
  await app?.unmount();
  expect((await show(changed)).replaceAll(/[│\s]+/g, ' ')).toContain(`${sentence}. Check them again: Generate, Hosts.`);
});

test('a question that needs consent to overwrite offers only the keys that work', async () => {
  const question = 'Run install.sh on ns1 from here?';
  const overwrite = {
    key: 'overwrite',
    label: 'allow overwriting',
    target: { kind: 'hosts', names: ['ns1'] },
  } as const;
  const ask = (confirmation: Partial<Confirmation>) =>
    applyInputs(
      stepState('hosts', 'waiting'),
      { type: 'step/ask', action: 'set-up', subject: 'ns1' },
      {
        ...({ type: 'step/previewed', step: 'hosts', action: 'set-up', subject: 'ns1' } as const),
        confirmation: { question, lines: [], alternatives: [], ...confirmation },
      },
    );
  const blockedReason = 'A file was changed by hand there.';
  const alternatives = [{ ...overwrite, target: { ...overwrite.target, options: ['overwrite'] } }] as const;
  const blocked = (await show(ask({ blockedReason, alternatives }), 80)).split('\n');
  expect(blocked.filter((line) => /\by yes\b/.test(line))).toEqual([]);
  expect(blocked.join('\n')).toContain('O allow overwriting   n no');
  expect(blocked.findLast((line) => line.trim() !== '')).toContain('O allow overwriting  n no');
  const allowed = (await show(ask({ yesLabel: 'overwrite and run' }), 80)).split('\n');
  expect(allowed.join('\n')).toContain('y overwrite and run   n no');
  expect(allowed.findLast((line) => line.trim() !== '')).toContain('y overwrite and run  n no');
});

test('before a host is set up, the rows of a long line of a diff keep its sign', async () => {
  const server = 'server m1 172.16.0.21:6443 check check-ssl verify none inter 10s fall 3 rise';
  const confirmation = {
    question: 'Run install.sh on lb1 from here?',
    lines: [
      'lb1 172.16.0.112',
      ...['@@ -1,2 +1,2 @@', ' head', `-${server} 2 up`, `+${server} 5 up`].map((diffLine) => ({ diffLine })),
    ],
    alternatives: [],
  };
  const asking = applyInputs(
    stepState('hosts', 'waiting'),
    { type: 'step/ask', action: 'set-up', subject: 'lb1' },
    { type: 'step/previewed', step: 'hosts', action: 'set-up', subject: 'lb1', confirmation },
  );
  const screen = await show(asking, 60);
  expect(screen).toMatch(/^ {10}@@ -1,2 \+1,2 @@$/m);
  expect(screen).toMatch(/^ {8}- server m1 .*\n {8}- ↳ .*rise 2 up\n {8}\+ server m1 .*\n {8}\+ ↳ .*rise 5 up$/m);
});

test('a long line of a difference wraps, and a very long one shows the part that differs', () => {
  const createLine = (end: string) =>
    `    server bs 172.16.0.11:6443 check check-ssl verify none inter 10s fall 3 rise ${end}`;
  const diff = renderDifference(`head\n${createLine('2 up')}\ntail\n`, `head\n${createLine('5 up')}\ntail\n`, 60);
  expect(diff.map(({ text }) => text)).toEqual([
    '  head',
    '-     server bs 172.16.0.11:6443 check check-ssl verify',
    '-     ↳ none inter 10s fall 3 rise 2 up',
    '+     server bs 172.16.0.11:6443 check check-ssl verify',
    '+     ↳ none inter 10s fall 3 rise 5 up',
    '  tail',
  ]);
  const far = renderDifference(`${'abc '.repeat(90)}one\n`, `${'abc '.repeat(90)}two\n`, 60).map(({ text }) => text);
  expect(far).toEqual(['- abc abc abc abc abc …abc abc abc abc one', '+ abc abc abc abc abc …abc abc abc abc two']);
  const deep = renderDifference(null, `${' '.repeat(80)}x${'y'.repeat(40)}\n`, 40).map(({ text }) => text);
  expect(Math.max(...deep.map((text) => text.length))).toBeLessThanOrEqual(40);
  expect(deep.map((text) => text.replace(/^\+ +(?:↳ )?/, '')).join('')).toBe(`x${'y'.repeat(40)}`);
  const short = renderDifference(createLine('2 up'), createLine('5 up'), 100);
  expect(short.map(({ text }) => text)).toEqual([`- ${createLine('2 up')}`, `+ ${createLine('5 up')}`]);
  const early = renderDifference(`a ${createLine('')}`, `b ${createLine('')}`, 60);
  expect(early.map(({ text }) => text.slice(0, 4))).toEqual(['- a ', '- ↳ ', '+ b ', '+ ↳ ']);
  const copy = { object: 'MachineSet ns/of-zone-a', text: 'name: of-zone-a\nreplicas: 3\nami: x\n' };
  const copyLines = renderChanges([
    { object: 'MachineSet ns/new', before: null, after: 'name: new\nreplicas: 3\nami: x\n', copyOf: copy },
  ]);
  // Common lines appear only next to a difference.
  expect(copyLines.map(({ text }) => text)).toEqual([
    'MachineSet ns/new; a copy of MachineSet ns/of-zone-a, except for',
    ...['- name: of-zone-a', '+ name: new', '  replicas: 3'],
  ]);
  const unpaired = renderChanges(
    [{ object: 'x', before: `${createLine('1')}\n${createLine('2')}\n`, after: `${createLine('3')}\n` }],
    60,
  );
  expect(unpaired.map(({ text }) => text.slice(0, 12))).toEqual([
    'x',
    ...['-     server', '-     ↳ none', '-     server', '-     ↳ none'],
    ...['+     server', '+     ↳ none'],
  ]);
  const file = { object: 'lb1/etc/haproxy/haproxy.cfg', isFile: true, before: null, after: null };
  expect(renderChanges([file])).toMatchObject([{ text: 'lb1: /etc/haproxy/haproxy.cfg' }]);
});

test('the effects of a change stand below it, one line each, in the colour of text', () => {
  const change = { object: 'router', what: 'Routers move.\nOutage: None', before: null, after: null };
  expect(renderChanges([change], 40)).toEqual([
    { text: 'router: Routers move.', tone: 'accent' },
    { text: '  Outage: None', tone: 'text' },
  ]);
});

test('planned changes are listed under their heading, and lines that do not fit are counted', async () => {
  const createLines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');
  const change = { object: 'haproxy.cfg', what: 'a server leaves', before: createLines(30), after: 'line 0\n' };
  const plan = { changes: [change], isDangerous: true, instructions: [] };
  const prompt = applyInputs(stepState('bootstrap-removal', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const screen = await show(prompt);
  expect(screen).toMatch(
    /make these changes\?\n.*\n {2}What will change:\n {4}haproxy\.cfg: a server leaves\n {6}line 0\n {4}- line 1\n/,
  );
  expect(screen).toMatch(/make these changes\? *\n *1–\d+ of \d+ \(Right\)\n.*\n\n {2}y yes {3}n no\n/s);
});

test('after the design was changed from a step, Enter leads to the review and from there back to the step', async () => {
  await show(stepState('report', 'done'));
  expect(app?.screen()).toContain('a nodes');
  await app?.press('a');
  expect(app?.screen()).toContain('Enter back to review');
  await app?.press('\r');
  expect(app?.screen()).toContain('No problems. Enter returns to Report.');
  expect(app?.screen()).toContain('Enter on to Report');
  await app?.press('\r');
  expect(app?.store.getState().screen).toBe('report');
  await show(stepState('operators', 'waiting', { findings: [] }));
  await app?.press('v');
  expect(app?.store.getState().screen).toBe('review');
});

test('removal shows what it has done and does now, and u says why it is not undone', async () => {
  const plan = { changes: [], isDangerous: true, instructions: [] };
  const { checkingBootstrap, balancer, noUndo } = catalogue().steps.removal;
  const lines = [checkingBootstrap, balancer('lb1', 1, 2), 'putting the files of lb1 in place', balancer('lb2', 2, 2)];
  const running = applyInputs(
    stepState('bootstrap-removal', 'needed', { plan }),
    { type: 'step/ask', action: 'apply' },
    { type: 'step/answer', isYes: true },
    ...lines.map((line) => ({ type: 'step/reported', step: 'bootstrap-removal', line }) as const),
  );
  const screen = await show(running);
  const position = screen.split('\n').findIndex((line) => line.includes('▸ load balancer 2 of 2: lb2'));
  expect(position).toBeGreaterThan(0);
  const shownLines = screen
    .split('\n')
    .slice(position + 2)
    .map((line) => line.trim());
  expect(shownLines.slice(0, 3)).toEqual(lines.slice(0, 3));
  await show(stepState('bootstrap-removal', 'needed', { plan }));
  await app?.press('u');
  expect(app?.store.getState().notice?.text).toBe(noUndo);
});

test('a yes that was typed before its question appeared does not answer it', async () => {
  const plan = { changes: [], isDangerous: true, instructions: [] };
  app = await mountWizard(stepState('bootstrap-removal', 'needed', { plan }));
  const isAsking = () => app?.store.getState().runs['bootstrap-removal'].phase === 'asking';
  // The second key comes in the same read as the first.
  await app.press('\ryy');
  expect(isAsking()).toBe(true);
  expect(app.screen().replaceAll(/\s+/g, ' ')).toContain(catalogue().screens.step.typedAhead);
  await app.press('y');
  expect(isAsking()).toBe(false);
});

test('a question whose changes do not fit is read before it is answered', async () => {
  const before = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join('');
  const plan = { changes: [{ object: 'f', what: 'goes', before, after: '' }], isDangerous: true, instructions: [] };
  await show(applyInputs(stepState('bootstrap-removal', 'needed', { plan }), { type: 'step/ask', action: 'apply' }));
  expect(app?.screen()).not.toContain('line 39');
  for (let press = 0; press < 9; press += 1) await app?.press('\u001b[C');
  expect(app?.screen()).toContain('make these changes?');
  expect(app?.screen()).toContain('- line 39');
  expect(app?.screen()).not.toContain('more line');
  for (let press = 0; press < 9; press += 1) await app?.press('\u001b[D');
  expect(app?.screen()).toContain('What will change:');
  for (const key of ['x', '\r']) {
    await app?.press(key);
    expect(app?.screen()).toContain(catalogue().screens.step.yesOrNo);
    expect(app?.store.getState().runs['bootstrap-removal'].phase).toBe('asking');
  }
  await app?.press('n');
  expect(app?.screen()).not.toContain(catalogue().screens.step.yesOrNo);
  expect(app?.store.getState().runs['bootstrap-removal'].phase).toBe('ready');
});

test('a window that is too small shows that in complete words', async () => {
  await show(stepState('operators', 'waiting'));
  await app?.resize(40, 10);
  const lines = app?.lines().map((line) => line.trim()) ?? [];
  expect(lines.join(' ')).toContain('Make it 60 by 15 or larger: nothing is lost.');
  await app?.resize(80, 24);
  expect(app?.screen()).toContain('Operators  15/17');
});

test('a problem of the design is shown completely, and so is the action of Enter', async () => {
  const design = wizardState({
    'networks.machine': [
      { cidr: '172.16.0.0/24', gateway: '172.16.0.254' },
      { cidr: 'fd00:172:16::/64', gateway: 'fd00:172:16::fe' },
    ],
  });
  const screen = await show(applyInputs(design, { type: 'screen/go', screen: 'review' }));
  const [first] = listReviewProblems(app?.store.getState() ?? design);
  const text = screen.replace(/^.*?│ ?/gm, '').replace(/\s+/g, ' ');
  expect(text).toContain(first?.fix);
  expect(text).toMatch(/\d errors?(, \d warnings?)?\. Enter opens the selected one\./);
});

test('once all nodes have joined, the time of their requests is shown, if it is of today', async () => {
  expect(await show(stepState('certificates', 'waiting', { findings: [] }))).toMatch(/Age .*\n.* 4 min /);
  const done = await show(stepState('certificates', 'done'));
  expect(done).toMatch(/Sent +Verdict/);
  expect(done).toMatch(new RegExp(` w1 +to join +${formatTimeOfDay(START - 4 * MINUTE)} `));
  const late = await show(
    applyInputs(stepState('certificates', 'done'), { type: 'clock/ticked', now: START + 3000 * MINUTE }),
  );
  expect(late).toMatch(/ w1 +to join +2 d /);
});

test('a request of a node of the design has its short name, any other the whole one', async () => {
  const screen = await show(stepState('certificates', 'waiting', { findings: [] }), 100, 40);
  expect(screen).toMatch(/ w2 +to serve /);
  expect(screen).toMatch(/ w9\.ocp45\.example/);
});

test('the row of a host in setup shows that, however old the last probe is; an earlier result waits for a new probe', async () => {
  const startSetup = (subject: string): WizardState =>
    applyInputs(
      stepState('hosts', 'needed', { findings: [] }),
      { type: 'step/ask', action: 'set-up', subject },
      { type: 'step/answer', isYes: true },
    );
  const one = await show(startSetup('ns1'));
  expect(one).toMatch(/1\. ns1 .*a run is in progress/);
  expect(one).toMatch(/2\. lb1 .*copied, not run/);
  expect(await show(startSetup('ns1,lb1 side-by-side'))).toMatch(/1\. ns1 .*in this run.*\n.*2\. lb1 .*in this run/);

  const [ns1, ...others] = hostsView.hosts;
  if (ns1 === undefined) throw new Error('no host');
  const lastRun = {
    state: 'ended',
    areFilesMissing: false,
    isFollowed: false,
    statusText: 'Confirmed: the changes stay.',
    revertsAt: null,
  } as const;
  const view = { ...hostsView, hosts: [{ ...ns1, run: lastRun }, ...others] };
  const afterRun = stepState('hosts', 'needed', { view, findings: [] });
  expect(await show(afterRun)).toContain('Last run from here: Confirmed');
  const undone = applyInputs(
    afterRun,
    { type: 'step/ask', action: 'undo', subject: 'ns1' },
    { type: 'step/answer', isYes: true },
    { type: 'step/applied', step: 'hosts' },
  );
  expect(await show(undone)).not.toContain('Confirmed');
});

test('after the files were put in place, the state names the hosts whose services are checked', async () => {
  const probing = applyInputs(
    stepState('hosts', 'needed', { findings: [] }),
    { type: 'step/ask', action: 'apply' },
    { type: 'step/applied', step: 'hosts' },
  );
  expect(probing.runs.hosts.phase).toBe('probing');
  expect(await show(probing)).toContain('checking the services of ns1, lb1, bastion');
});

test('at 60 columns the state of a step is whole', async () => {
  const state = stepState('prepare', 'needed');
  const { probe } = state.runs.prepare;
  if (probe === null) throw new Error('no probe');
  const summary = 'ignition files are ready and served; their certificates last 23 h 59 min';
  const withSummary = applyInputs(state, {
    type: 'step/probed',
    step: 'prepare',
    probe: { ...probe, summary },
    plan: null,
  });
  expect((await show(withSummary, 60, 20)).replace(/\s+/g, ' ')).toContain(summary);
});

test('a finished step with a lost node is neither ticked nor called done, and the sign it expects is not next', async () => {
  const signs = [{ sign: 'ready', at: START - 90 * MINUTE }] as const;
  const nodes = bootView.nodes.map((node, index) => ({
    ...node,
    stage: 'ready' as const,
    isLost: index === 1,
    likelyCause: null,
    timeline: { signs, next: { sign: 'ready', since: START - 5 * MINUTE, isSlow: false, isLate: false } as const },
  }));
  const done = stepState('boot', 'done', { findings: [], view: { ...bootView, nodes } });
  const { probe } = done.runs.boot;
  if (probe === null) throw new Error('the step was probed');
  const shown = await show(
    applyInputs(done, { type: 'step/probed', step: 'boot', probe: { ...probe, awaitsRepair: true }, plan: null }),
    100,
  );
  expect(shown).not.toContain(`✔ ${probe.summary}`);
  expect(shown).toContain(`! ${probe.summary}`);
  expect(shown).not.toContain('Done.');
  expect(shown).toContain(catalogue().screens.step.pressEnterUnrepaired);
  expect(shown).not.toContain('Next:');
  expect(shown).not.toContain('✔ Boot');
});

test('a finished step with a warning in its table has the mark of that row', async () => {
  const done = stepState('hosts', 'done', { findings: [] });
  const { probe } = done.runs.hosts;
  if (probe === null) throw new Error('the step was probed');
  const shown = await show(
    applyInputs(done, { type: 'step/probed', step: 'hosts', probe: { ...probe, hasWarning: true }, plan: null }),
    100,
  );
  expect(shown).not.toContain(`✔ ${probe.summary}`);
  expect(shown).toContain(`! ${probe.summary}`);
  expect(shown).not.toContain('Done.');
});

test('the time since a step began is shown from 10 s on: a shorter one would stand still', async () => {
  const waiting = stepState('boot', 'waiting', { findings: [] });
  const since = (ago: number): WizardState => ({
    ...waiting,
    runs: { ...waiting.runs, boot: { ...waiting.runs.boot, appliedAt: START - ago } as typeof waiting.runs.boot },
  });
  expect(await show(since(9000))).not.toMatch(/ since \w+ began/);
  expect(await show(since(30_000))).toMatch(/30 s\s+since\s+Boot\s+began/);
});

test('a changed file begins with the change that has an effect; a changed comment comes below it', () => {
  const file = (stage: string, ...members: readonly string[]) =>
    [`# for the stage ${stage}`, 'global', '  maxconn 8000', 'backend api', ...members, ''].join('\n');
  const change = {
    object: 'lb1/etc/haproxy/haproxy.cfg',
    before: file('install', '  server bs 172.16.0.11:6443', '  server m1 172.16.0.21:6443'),
    after: file('bootstrap-removed', '  server m1 172.16.0.21:6443'),
  };
  const render = (isFile: boolean) =>
    renderChanges([{ ...change, isFile }], 80)
      .map(({ text }) => text)
      .slice(1);
  const [removal, comment] = [
    ['  backend api', '-   server bs 172.16.0.11:6443', '    server m1 172.16.0.21:6443'],
    ['- # for the stage install', '+ # for the stage bootstrap-removed', '  global'],
  ];
  expect(render(true)).toEqual([...removal, ...comment]);
  expect(render(false), 'other texts keep their order').toEqual([...comment, ...removal]);
});

test('a change of a file is shown under its section, and unchanged lines take one row each', () => {
  const member = `    server m1 172.16.0.21:6443 check check-ssl verify none ${'inter 5s '.repeat(6)}`;
  const createFile = (...added: readonly string[]) =>
    ['global', '    maxconn 8000', '# API', 'backend api', '    balance roundrobin', ...added, member, ''].join('\n');
  const change = {
    object: 'haproxy.cfg',
    isFile: true,
    before: createFile('    server bs 1.2.3.4:6443'),
    after: createFile(),
  };
  expect(renderChanges([change], 60).map(({ text }) => text)).toEqual([
    'haproxy.cfg',
    '  backend api',
    '      balance roundrobin',
    '-     server bs 1.2.3.4:6443',
    '      server m1 172.16.0.21:6443 check check-ssl verify non…',
  ]);
});

test.each(['generate', 'prepare', 'hosts'] as const)('%s: the row at which Enter acts stays selected', async (step) => {
  const page = await mountWizard(stepState(step, 'needed'));
  const getSelection = () => {
    const { row, rowId } = page.store.getState().runs[step];
    return { row, rowId };
  };
  await page.press('\u001b[B\u001b[B');
  const selection = getSelection();
  expect(selection.row).toBeGreaterThan(0);
  page.store.dispatch({ type: 'step/ask', action: 'apply' });
  page.store.dispatch({ type: 'step/answer', isYes: true });
  expect(page.store.getState().runs[step].phase).toBe('applying');
  expect(getSelection()).toEqual(selection);
  page.store.dispatch({ type: 'step/applied', step });
  expect(getSelection()).toEqual(selection);
  await page.unmount();
});

test('after a stop, a page that still watches says so: its spinner and the notice agree', () => {
  const notes = (step: 'waiting' | 'needed') => {
    const state = stepState('certificates', step, { findings: [] });
    const run = { ...state.runs.certificates, wasStopped: true };
    return collectNotes(state, { id: 'certificates' }, run).map(({ text }) => text);
  };
  const { stops } = catalogue().screens.step;
  expect(notes('waiting')).toContain(stops.stoppedWatching);
  expect(notes('waiting')).not.toContain(stops.stopped);
  expect(notes('needed')).toContain(stops.stopped);
});

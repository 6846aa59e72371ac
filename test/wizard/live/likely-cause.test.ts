import { expect, test } from 'vitest';
import { collectNotes } from '../../../screens/shared/step/step-lines.ts';
import type { Finding } from '../../../src/checks/check.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { describeNext, formatDiagnosisPage } from '../../../src/steps/diagnose/index.ts';
import type { Event } from '../../../src/wizard/intents.ts';
import { findLikelyCause, needsRepair } from '../../../src/wizard/live/likely-cause.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { complete, request, withCluster } from '../../checks/rules/base-evidence.ts';
import { bootView } from '../../screens/views.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { applyInputs, buildProbe, getEffects, START, wizardState } from '../../support/wizard-state.ts';

const createFinding = (code: string, title: string): Finding => ({
  code,
  state: 'failed',
  severity: 'fatal',
  subject: 'm1',
  title,
  cause: 'no request for 12 min',
  remedy: 'Check power and cables.',
});
const silent = createFinding('boot-silent', 'm1 has sent no request');
const oldZone: Finding = {
  ...createFinding('dns-old-file', 'The name server has an old file (certain)'),
  remedy: 'Reload the zone.',
};
const probe = (findings: readonly Finding[], state: 'waiting' | 'done' = 'waiting') =>
  ({
    type: 'step/probed',
    step: 'boot',
    probe: buildProbe(state, bootView, { findings }),
    plan: null,
  }) as const;
const boot = () => wizardState({}, { screen: 'boot' });
const getCauseEffects = (state: WizardState, input: Event) =>
  getEffects(state, input).filter(({ type }) => type === 'find-cause');

test('a waiting step with a failed finding is diagnosed once, again after minutes, and again for another finding', () => {
  expect(getCauseEffects(boot(), probe([silent]))).toHaveLength(1);
  const asked = applyInputs(boot(), probe([silent]));
  expect(getCauseEffects(asked, probe([silent]))).toEqual([]);
  const later = applyInputs(asked, { type: 'clock/ticked', now: START + 6 * MINUTE });
  expect(getCauseEffects(later, probe([silent]))).toHaveLength(1);
  expect(getCauseEffects(asked, probe([{ ...silent, subject: 'm2' }]))).toHaveLength(1);
  expect(getCauseEffects(boot(), probe([]))).toEqual([]);
});

test('the cause is kept while it is diagnosed again, and dropped when nothing is failed any more', () => {
  const asked = applyInputs(boot(), probe([silent]));
  const { request } = asked.likelyCause!;
  const cause = applyInputs(asked, { type: 'diagnosis/cause-found', step: 'boot', request, likelyCause: oldZone });
  expect(findLikelyCause(cause, 'boot', cause.runs.boot)).toEqual(oldZone);
  const later = applyInputs(cause, { type: 'clock/ticked', now: START + 6 * MINUTE }, probe([silent]));
  expect(findLikelyCause(later, 'boot', later.runs.boot)).toEqual(oldZone);
  expect(applyInputs(later, probe([])).likelyCause).toBeNull();
  // A result about earlier findings does not count.
  expect(
    applyInputs(later, { type: 'diagnosis/cause-found', step: 'boot', request, likelyCause: silent }).likelyCause
      ?.finding,
  ).toBe(oldZone);
  const same = applyInputs(asked, { type: 'diagnosis/cause-found', step: 'boot', request, likelyCause: silent });
  expect(findLikelyCause(same, 'boot', same.runs.boot)).toBeNull();
});

test('one fault is shown once: a certain cause replaces the finding of a probe, and any other cause gives way to it', () => {
  const unknownMac = { ...createFinding('boot-unknown-mac', 'A machine with another MAC'), subject: 'w3' };
  const wrongMac: Finding = { ...createFinding('wrong-mac', 'The MAC address differs'), subject: 'w3' };
  const show = (likelihood: 'certain' | 'likely', findings: readonly Finding[] = [unknownMac, silent]) => {
    const asked = applyInputs(boot(), probe(findings));
    const { request } = asked.likelyCause!;
    const likelyCause = { ...wrongMac, likelihood };
    const state = applyInputs(asked, { type: 'diagnosis/cause-found', step: 'boot', request, likelyCause });
    return collectNotes(state, { id: 'boot' }, state.runs.boot).map(({ text }) => text);
  };
  expect(show('likely')).toEqual(expect.arrayContaining([unknownMac.title, silent.title]));
  expect(show('likely')).not.toContain(wrongMac.title);
  expect(show('certain')).toEqual(expect.arrayContaining([wrongMac.title, silent.title]));
  expect(show('certain')).not.toContain(unknownMac.title);
  // The same fault of another machine is another fault.
  const other = { ...unknownMac, subject: 'w2' };
  expect(show('likely', [other])).toEqual(expect.arrayContaining([wrongMac.title, other.title]));
});

test('a wait without findings and without progress is diagnosed after minutes, and only a certain cause is shown', () => {
  const at = (minutes: number) => ({ type: 'clock/ticked', now: START + minutes * MINUTE }) as const;
  const quiet = applyInputs(boot(), probe([]), at(4));
  expect(getCauseEffects(quiet, probe([]))).toEqual([]);
  const late = applyInputs(quiet, at(6));
  expect(getCauseEffects(late, probe([]))).toHaveLength(1);
  const asked = applyInputs(late, probe([]));
  expect(getCauseEffects(asked, probe([]))).toEqual([]);
  expect(getCauseEffects(applyInputs(asked, at(11)), probe([]))).toHaveLength(1);
  const find = (likelihood: 'certain' | 'likely') =>
    applyInputs(asked, {
      type: 'diagnosis/cause-found',
      step: 'boot',
      request: asked.likelyCause!.request,
      likelyCause: { ...oldZone, likelihood },
    });
  expect(find('likely').likelyCause?.finding).toBeNull();
  const certain = find('certain');
  expect(findLikelyCause(certain, 'boot', certain.runs.boot)?.code).toBe('dns-old-file');
  // Without a cause on the page, progress ends the diagnosis.
  const moved = { ...probe([]), probe: { ...probe([]).probe, summary: '5 of 10 machines' } };
  expect(applyInputs(find('likely'), moved).likelyCause).toBeNull();
});

test('a wait that is stuck shows a likely cause, too', () => {
  const stuckProbe = { ...probe([]), probe: { ...probe([]).probe, isStuck: true } };
  const later = applyInputs(boot(), stuckProbe, { type: 'clock/ticked', now: START + 6 * MINUTE }, stuckProbe);
  const found = applyInputs(later, {
    type: 'diagnosis/cause-found',
    step: 'boot',
    request: later.likelyCause!.request,
    likelyCause: { ...oldZone, likelihood: 'likely' },
  });
  expect(findLikelyCause(found, 'boot', found.runs.boot)?.code).toBe('dns-old-file');
});

test('a cause stays on the page while it lasts, whatever changes, and ends when a diagnosis does not find it', () => {
  const at = (minutes: number) => ({ type: 'clock/ticked', now: START + minutes * MINUTE }) as const;
  const record = (state: WizardState, likelyCause: Finding | null) =>
    applyInputs(state, {
      type: 'diagnosis/cause-found',
      step: 'boot',
      request: state.likelyCause!.request,
      likelyCause,
    });
  const certain: Finding = { ...oldZone, likelihood: 'certain' };
  const shown = record(applyInputs(boot(), probe([]), at(6), probe([])), certain);
  // The wait makes progress.
  const moved = { ...probe([]), probe: { ...probe([]).probe, summary: '5 of 10 machines' } };
  expect(getCauseEffects(shown, moved)).toHaveLength(1);
  const afterwards = applyInputs(shown, moved);
  expect(findLikelyCause(afterwards, 'boot', afterwards.runs.boot)).toEqual(certain);
  expect(getCauseEffects(afterwards, moved)).toEqual([]);
  expect(getCauseEffects(applyInputs(afterwards, at(11)), moved)).toHaveLength(1);
  // Further progress may be that of a repair: it does not wait for the next diagnosis.
  const repaired = { ...moved, probe: { ...moved.probe, summary: '6 of 10 machines' } };
  const minuteLater = applyInputs(afterwards, at(7));
  expect(getCauseEffects(minuteLater, moved)).toEqual([]);
  expect(getCauseEffects(minuteLater, repaired)).toHaveLength(1);
  expect(record(afterwards, certain).likelyCause?.finding).toEqual(certain);
  const ended = record(afterwards, null);
  expect(findLikelyCause(ended, 'boot', ended.runs.boot)).toBeNull();
  // The findings of the step change.
  const failed = record(applyInputs(boot(), probe([silent])), certain);
  const other = applyInputs(failed, probe([silent, { ...silent, subject: 'm2' }]));
  expect(findLikelyCause(other, 'boot', other.runs.boot)).toEqual(certain);
  expect(record(other, null).likelyCause?.finding).toBeNull();
  expect(applyInputs(shown, probe([silent])).likelyCause?.finding).toEqual(certain);
});

test('a wait that gave up is diagnosed at once, and needs a repair', () => {
  const ended = { ...createFinding('wait-gave-up', 'openshift-install gave up'), severity: 'warning' } as const;
  const gaveUp = { ...probe([ended]), probe: buildProbe('needed', bootView, { findings: [ended] }) };
  expect(getCauseEffects(boot(), gaveUp)).toHaveLength(1);
  expect(needsRepair(applyInputs(boot(), gaveUp), 'boot')).toBe(true);
  expect(needsRepair(applyInputs(boot(), probe([])), 'boot')).toBe(false);
  const stuck = { ...probe([]), probe: { ...buildProbe('waiting', bootView), isStuck: true } };
  expect(needsRepair(applyInputs(boot(), stuck), 'boot')).toBe(true);
  // A wait that the user has not started is stuck as well.
  const unwatched = { ...stuck, probe: { ...stuck.probe, state: 'needed' } } as const;
  expect(needsRepair(applyInputs(boot(), unwatched), 'boot')).toBe(true);
});

test('the cause of a wait that gave up ends when its stages go on, or when a diagnosis does not find it', () => {
  const at = (minutes: number) => ({ type: 'clock/ticked', now: START + minutes * MINUTE }) as const;
  const ended = { ...createFinding('wait-gave-up', 'openshift-install gave up'), severity: 'warning' } as const;
  const gaveUp = (share: number) =>
    ({
      ...probe([ended]),
      probe: buildProbe('needed', bootView, {
        findings: [ended],
        progress: [{ usualMinutes: [1, 2], share, startedAt: START }],
      }),
    }) as const;
  const certain: Finding = { ...oldZone, likelihood: 'certain' };
  const record = (state: WizardState, likelyCause: Finding | null) =>
    applyInputs(state, {
      type: 'diagnosis/cause-found',
      step: 'boot',
      request: state.likelyCause!.request,
      likelyCause,
    });
  const shown = record(applyInputs(boot(), gaveUp(0.2)), certain);
  expect(getCauseEffects(applyInputs(shown, at(1)), gaveUp(0.2))).toEqual([]);
  // The stages go on: the cause may be repaired.
  const moved = applyInputs(shown, at(1), gaveUp(0.5));
  expect(getCauseEffects(applyInputs(shown, at(1)), gaveUp(0.5))).toHaveLength(1);
  expect(findLikelyCause(moved, 'boot', moved.runs.boot)).toEqual(certain);
  expect(needsRepair(moved, 'boot')).toBe(true);
  // Further progress does not discard the result of a diagnosis that runs.
  const repaired = applyInputs(moved, at(2), gaveUp(0.6), {
    type: 'diagnosis/cause-found',
    step: 'boot',
    request: moved.likelyCause!.request,
    likelyCause: null,
  });
  expect(findLikelyCause(repaired, 'boot', repaired.runs.boot)).toBeNull();
  expect(needsRepair(repaired, 'boot')).toBe(false);
  // Nothing is wrong until the next diagnosis is complete, either.
  expect(needsRepair(applyInputs(repaired, at(3), gaveUp(0.7)), 'boot')).toBe(false);

  // On another page, the diagnosis that the user requests is about the whole installation.
  const elsewhere = applyInputs(shown, { type: 'screen/go', screen: 'hosts' });
  const page = { title: '', lines: [] };
  const known = applyInputs(elsewhere, { type: 'diagnosis/ready', page, step: 'hosts', likelyCause: null });
  expect(needsRepair(known, 'boot')).toBe(false);
  expect(findLikelyCause(known, 'boot', known.runs.boot)).toBeNull();
  // The probes of that page repeat the diagnosis at its interval.
  const hosts = { ...probe([], 'done'), step: 'hosts' } as const;
  expect(getCauseEffects(applyInputs(elsewhere, at(4)), hosts)).toEqual([]);
  expect(getCauseEffects(applyInputs(elsewhere, at(6)), hosts)).toMatchObject([{ step: 'boot' }]);
});

test('of two steps that wait, the one on the screen is diagnosed, and the other does not displace its cause', () => {
  const other = { ...probe([silent]), step: 'certificates' } as const;
  const asked = applyInputs(boot(), other, probe([silent]));
  expect(asked.likelyCause?.step).toBe('boot');
  expect(applyInputs(asked, other).likelyCause).toBe(asked.likelyCause);
  expect(applyInputs(asked, probe([], 'done'), other).likelyCause?.step).toBe('certificates');
});

test('a page shows the certain finding of a diagnosis that the user has requested, until something changes', () => {
  const certain = { ...oldZone, likelihood: 'certain' } as const;
  const page = { title: '', lines: [] };
  const known = applyInputs(boot(), probe([]), { type: 'diagnosis/ready', page, step: 'boot', likelyCause: certain });
  expect(findLikelyCause(known, 'boot', known.runs.boot)).toEqual(certain);
  expect(applyInputs(known, probe([])).likelyCause?.finding).toEqual(certain);
  expect(applyInputs(known, probe([], 'done')).likelyCause).toBeNull();
  const unsure = { ...certain, likelihood: 'likely' } as const;
  expect(
    applyInputs(boot(), probe([]), { type: 'diagnosis/ready', page, step: 'boot', likelyCause: unsure }).likelyCause,
  ).toBeNull();
});

test('the page shows the first finding of the diagnosis, and no remedy that leads elsewhere', async () => {
  const asked = applyInputs(boot(), probe([silent]));
  const app = await mountWizard(asked);
  expect(app.screen()).toContain('Check power and cables.');
  app.store.dispatch({
    type: 'diagnosis/cause-found',
    step: 'boot',
    request: asked.likelyCause!.request,
    likelyCause: oldZone,
  });
  await app.waitUntilDrawn();
  expect(app.screen()).toContain('The name server has an old file (certain)');
  expect(app.screen()).toContain('Reload the zone.');
  expect(app.screen()).toContain('m1 has sent no request');
  expect(app.screen()).not.toContain('Check power and cables.');
  await app.unmount();
});

test('the page of the diagnosis never says that nothing is wrong while the screen shows a failure', () => {
  const nothing = formatDiagnosisPage([], []);
  expect(nothing.title).toBe('What is wrong: nothing found');
  const nextText = describeNext(withCluster(complete, { requests: [request({ verdict: 'expected' })] }));
  expect(formatDiagnosisPage([], [], nextText).lines.join(' ')).toBe(
    'No problem can be seen from this machine. 1 certificate request waits for your approval: E on Certificates, or in a terminal: `upi-wizard csr approve --expected`',
  );
  const { title, lines } = formatDiagnosisPage([], [silent]);
  expect(title).toBe('What is wrong: 1 finding');
  expect(lines[0]).toBe('1. m1 has sent no request');
  expect(lines.join('\n')).toContain('Check power and cables.');
  expect(lines.join('\n')).not.toContain('No problem can be seen');
});

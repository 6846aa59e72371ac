// The live pages while a control plane node, and with it a member of etcd, is lost.
import { afterEach, expect, test } from 'vitest';
import { fitNotes, wrapNotes } from '../../screens/shared/step/step-lines.ts';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { closeWizard, showState } from './show-state.ts';
import { certificatesView, stepState } from './views.ts';

afterEach(closeWizard);

const { title, cause, remedy } = catalogue().diagnosis.causes['etcd-member-lost'];
const memberLost: Finding = {
  code: 'etcd-member-lost',
  state: 'failed',
  severity: 'fatal',
  subject: 'etcd',
  title: `${title} (certain)`,
  cause: `${cause} Seen: EtcdMembersDegraded: 2 of 3 members are available, m2.ocp45.example.localdomain is unhealthy`,
  remedy,
  likelihood: 'certain',
};

/** Adds the cause that the diagnosis of a step found. */
const withCause = (state: WizardState, step: 'certificates' | 'operators'): WizardState => ({
  ...state,
  likelyCause: { step, key: 'test', finding: memberLost },
});

const flatten = (lines: readonly string[]) => lines.map((line) => line.trim()).join(' ');

test('a finding below a short list gets the rows that the list leaves empty', async () => {
  const view = {
    ...certificatesView,
    requests: [],
    missingNodes: [],
    nodes: certificatesView.nodes.map((node) => ({
      ...node,
      hasJoined: node.name !== 'm2',
      isReady: node.name !== 'm2',
    })),
  };
  const state = withCause(stepState('certificates', 'waiting', { view, findings: [] }), 'certificates');
  const lines = await showState(state, [80, 24]);
  const text = flatten(lines);
  expect(text).toContain(`Do this: ${remedy.slice(0, 60)}`);
  expect(text).toContain(remedy.slice(-40));
  const first = lines.findIndex((line) => line.includes(title));
  expect(first).toBeGreaterThan(0);
});

test('a finding that is cut keeps its remedy before its cause, and no command without its sentence', () => {
  const part = (text: string, name: 'cause' | 'remedy' | 'evidence') => ({ text, part: name });
  const notes = wrapNotes(
    [{ text: 'title' }, part('  why', 'cause'), part('  do this', 'remedy'), part('`oc get nodes`', 'evidence')].map(
      (note) => ({ ...note, mustBeVisible: true }),
    ),
    80,
  );
  const fitTexts = (most: number) => fitNotes(notes, most).map(({ text }) => text.trim());
  const more = catalogue().screens.step.moreNotes;
  expect(fitTexts(4)).toEqual(['title', 'why', 'do this', 'oc get nodes']);
  expect(fitTexts(3)).toEqual(['title', 'do this', more]);
});

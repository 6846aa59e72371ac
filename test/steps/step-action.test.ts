import { expect, test } from 'vitest';
import type { StepAction } from '../../src/steps/contract.ts';
import { formatAction, parseAction } from '../../src/steps/step-action.ts';

/** Every form of a subject that journals and saved questions have, with its step. */
const FORMS: readonly (readonly [string, string, StepAction])[] = [
  ['infra', 'router', { type: 'apply-one', target: { kind: 'move', name: 'router', consent: null } }],
  ['infra', 'router', { type: 'undo', target: { kind: 'move', name: 'router', consent: null } }],
  ['infra', 'router overwrite', { type: 'undo', target: { kind: 'move', name: 'router', consent: 'overwrite' } }],
  ['infra', 'lb-add defaults', { type: 'undo', target: { kind: 'move', name: 'lb-add', consent: 'defaults' } }],
  ['hosts', 'ns1', { type: 'apply-one', target: { kind: 'hosts', names: ['ns1'], options: [] } }],
  ['hosts', 'ns1,lb1', { type: 'set-up', target: { kind: 'hosts', names: ['ns1', 'lb1'], options: [] } }],
  ['hosts', 'ns1 overwrite', { type: 'undo', target: { kind: 'hosts', names: ['ns1'], options: ['overwrite'] } }],
  [
    'hosts',
    'ns1,lb1 side-by-side overwrite',
    { type: 'set-up', target: { kind: 'hosts', names: ['ns1', 'lb1'], options: ['side-by-side', 'overwrite'] } },
  ],
  [
    'hosts',
    'ns1,lb1 overwrite side-by-side',
    { type: 'undo', target: { kind: 'hosts', names: ['ns1', 'lb1'], options: ['overwrite', 'side-by-side'] } },
  ],
  ['certificates', 'csr-x', { type: 'apply-one', target: { kind: 'request', name: 'csr-x', node: null } }],
  ['certificates', 'csr-x/w1.a.b', { type: 'apply-one', target: { kind: 'request', name: 'csr-x', node: 'w1.a.b' } }],
  ['certificates', '/expected', { type: 'apply-one', target: { kind: 'expected-requests' } }],
  ['boot', 'w1', { type: 'apply-one', target: { kind: 'machine', name: 'w1' } }],
  ['boot', '/ask', { type: 'apply-one', target: { kind: 'network-test' } }],
  ['boot', 'ignition/w1', { type: 'apply-one', target: { kind: 'ignition', node: 'w1' } }],
  ['bootstrap', 'bootstrap', { type: 'apply-one', target: { kind: 'part', name: 'bootstrap' } }],
  ['bootstrap-removal', 'lb1, lb2', { type: 'apply-one', target: { kind: 'part', name: 'lb1, lb2' } }],
  ['report', 'follow', { type: 'apply-one', target: { kind: 'approval-job', change: 'start' } }],
  ['report', 'follow-stop', { type: 'apply-one', target: { kind: 'approval-job', change: 'stop' } }],
  ['prepare', 'the DNS team does it tonight', { type: 'override', reason: 'the DNS team does it tonight' }],
];

test.each(FORMS)('%s: the subject %s is read and written in the form that journals have', (step, subject, action) => {
  expect(parseAction(step, action.type, subject)).toEqual(action);
  expect(formatAction(action)).toEqual({ action: action.type, subject });
});

test('an action on the whole step has no subject', () => {
  expect(parseAction('boot', 'apply', null)).toEqual({ type: 'apply' });
  expect(formatAction({ type: 'apply' })).toEqual({ action: 'apply', subject: null });
  expect(parseAction('infra', 'undo', null)).toEqual({ type: 'undo', target: null });
  expect(formatAction({ type: 'undo', target: null })).toEqual({ action: 'undo', subject: null });
});

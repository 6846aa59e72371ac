import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordTraffic } from '../../../../src/steps/infra/move-execution.ts';
import { createProbeCache } from '../../../../src/steps/probe-cache.ts';
import {
  createRecordingState,
  findMoveFailure,
  type MoveRequest,
  mergeJobFacts,
  openMoveRecords,
  readMoveRun,
  replaceMoveRecords,
} from '../../../../src/steps/shared/moves/move-run.ts';
import { createStepState, type StepFacts } from '../../../../src/steps/step-state.ts';

const REQUEST: MoveRequest = {
  type: 'order',
  id: 'run-1',
  at: 0,
  action: 'apply',
  subject: null,
  moves: ['lb-add'],
  shown: null,
  toDefaults: false,
  overwrites: false,
};

function createRecords(request = REQUEST) {
  const dir = mkdtempSync(join(tmpdir(), 'upi-moves-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  replaceMoveRecords(dir, request);
  return { dir, file: openMoveRecords(dir) };
}

test('facts of the job reach the session once, and leave what the session recorded meanwhile', () => {
  const { dir, file } = createRecords();
  const saved: StepFacts = {
    stage: 'bootstrap-removed',
    'put-files': { lb1: 'old', ns1: 'a' },
    'host-runs': { lb1: 1 },
  };
  const session = createStepState(saved);
  const job = createRecordingState(createStepState({ ...saved }), file);
  job.set('stage', 'infra-added');
  job.set('put-files', { lb1: 'new', ns1: 'a' });
  job.set('host-runs', {});
  expect(job.get('stage')).toBe('infra-added');
  // Meanwhile the session puts files on another host.
  session.set('put-files', { lb1: 'old', ns1: 'b' });
  mergeJobFacts({ dir, stepState: session });
  const merged = { stage: 'infra-added', 'put-files': { lb1: 'new', ns1: 'b' }, 'host-runs': {} };
  expect(saved).toEqual({ ...merged, 'moves-run': { id: 'run-1', facts: 3 } });
  // A later change of the session stays.
  session.set('stage', 'infra-only');
  mergeJobFacts({ dir, stepState: session });
  expect(session.get('stage')).toBe('infra-only');
  job.set('traffic', { router: { requests: 9, failed: 1, failure: 'refused' } });
  mergeJobFacts({ dir, stepState: session });
  expect(session.get('traffic')).toEqual({ router: { requests: 9, failed: 1, failure: 'refused' } });
  expect(session.get('stage')).toBe('infra-only');
});

test('all facts are merged with one save; a program that is killed meanwhile merges them again, with the same result', () => {
  const { dir, file } = createRecords();
  const job = createRecordingState(createStepState({}), file);
  job.set('stage', 'infra-added');
  job.setAll({ stage: 'infra-only', 'put-at': { lb1: 5 } });
  job.set('put-at', { lb1: 5, lb2: 6 });
  let saves = 0;
  const dying = createStepState({}, () => {
    saves += 1;
    throw new Error('killed');
  });
  expect(() => mergeJobFacts({ dir, stepState: dying })).toThrow('killed');
  const saved: StepFacts = {};
  const state = createStepState(saved, () => {
    saves += 1;
  });
  mergeJobFacts({ dir, stepState: state });
  mergeJobFacts({ dir, stepState: state });
  expect(saves).toBe(2);
  expect(saved).toEqual({
    stage: 'infra-only',
    'put-at': { lb1: 5, lb2: 6 },
    'moves-run': { id: 'run-1', facts: 3 },
  });
});

test('facts of another shape are left out', () => {
  const { dir, file } = createRecords();
  file.append([{ type: 'fact', change: { stage: 'elsewhere', unknown: 1, 'put-at': { lb1: 5 } } }]);
  const saved: StepFacts = {};
  mergeJobFacts({ dir, stepState: createStepState(saved) });
  expect(saved).toEqual({ 'put-at': { lb1: 5 }, 'moves-run': { id: 'run-1', facts: 1 } });
});

test('a question is open until it is answered, or the job has ended; damaged lines are left out', () => {
  const { dir, file } = createRecords();
  expect(readMoveRun(dir)).toMatchObject({ hasBegun: false, question: null, end: null, isAcknowledged: false });
  const question = { type: 'question', id: 'q1', move: 'router', changes: [] };
  file.append([{ type: 'begun' }, question, { type: 'answer', question: 'other', isYes: true }, { type: 'report' }]);
  expect(readMoveRun(dir)).toMatchObject({ hasBegun: true, question: { id: 'q1' } });
  file.append([{ type: 'answer', question: 'q1', isYes: false }]);
  expect(readMoveRun(dir)?.question).toBeNull();
  file.append([{ ...question, id: 'q2' }]);
  expect(readMoveRun(dir)?.question).toMatchObject({ id: 'q2' });
  file.append([{ type: 'end', end: 'cancelled' }]);
  expect(readMoveRun(dir)).toMatchObject({ question: null, end: { end: 'cancelled' } });
  expect(readMoveRun(join(dir, 'elsewhere'))).toBeNull();
});

test('the failure of a run names the move that was begun; a blocked move, and an undo, did not fail', () => {
  const userError = { code: 'move-failed', title: 'X', cause: 'not finished', remedy: 'z' };
  const end = { type: 'end', end: 'failed', userError, at: 7 } as const;
  const reportItem = (state: 'begun' | 'done') => ({ type: 'report', line: '', item: { subject: 'router', state } });
  const find = (...records: object[]) => {
    const { dir, file } = createRecords();
    file.append(records);
    const run = readMoveRun(dir);
    return run && findMoveFailure(run);
  };
  expect(find(reportItem('begun'), end)).toEqual({ move: 'router', reason: 'not finished', at: 7 });
  expect(find(reportItem('begun'))).toBeNull();
  expect(find(reportItem('begun'), reportItem('done'), end)).toBeNull();
  expect(find(reportItem('begun'), { type: 'end', end: 'cancelled' })).toBeNull();
});

test('the last counters of the traffic are recorded at the end, however short the move was', () => {
  const { dir, file } = createRecords();
  const probeCache = createProbeCache();
  const stop = recordTraffic({ probeCache }, file);
  probeCache.traffic = { move: 'lb-add', requests: 118, failed: 0, failure: null };
  stop();
  expect(readMoveRun(dir)?.records).toContainEqual({
    ...{ type: 'traffic', move: 'lb-add' },
    traffic: { requests: 118, failed: 0, failure: null },
  });
});

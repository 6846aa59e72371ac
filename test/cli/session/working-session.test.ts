import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExampleDocument, openWorkingSession } from '../../../src/cli/session/working-session.ts';
import { checkDocument } from '../../../src/design/parse.ts';
import { setAt } from '../../../src/design/paths.ts';
import { openSession } from '../../../src/session/session.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-saved-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const open = () => openWorkingSession(openSession(dir));

test('a new directory starts with the documented example, and nothing is written before something is saved', () => {
  const saved = open();
  expect(saved.isResumed).toBe(false);
  expect(saved.getState().design).toEqual(createExampleDocument());
  expect(checkDocument(saved.getState().design).design).not.toBeNull();
  expect(open().isResumed).toBe(false);
});

test('answers, place and step state are restored together', () => {
  const saved = open();
  const design = setAt(saved.getState().design, 'cluster.name', 'prod');
  saved.update({ design, place: { screen: 'boot', field: null } });
  saved.stepState.set('powered-on', { bs: 1 });
  const again = open();
  expect(again.isResumed).toBe(true);
  expect(again.getState().design).toEqual(design);
  expect(again.getState().place).toEqual({ screen: 'boot', field: null });
  expect(again.stepState.get('powered-on')).toEqual({ bs: 1 });
});

test('a fact is on the disk at once, and a later save of the answers does not lose it', () => {
  const saved = open();
  saved.stepState.set('stage', 'install');
  expect(open().stepState.get('stage')).toBe('install');
  saved.update({ place: { screen: 'hosts', field: null } });
  saved.stepState.set('stage', 'bootstrap-removed');
  saved.update({ place: { screen: 'certificates', field: null } });
  const again = open();
  expect(again.stepState.get('stage')).toBe('bootstrap-removed');
  expect(again.getState().place.screen).toBe('certificates');
});

test('an invalid document is saved as it was typed', () => {
  const saved = open();
  const design = { cluster: 'nonsense', nodes: [null, 7], 'key with.dots': { a: [] } };
  saved.update({ design });
  expect(open().getState().design).toEqual(design);
});

test('the facts of one directory are not those of another', () => {
  const other = mkdtempSync(join(tmpdir(), 'upi-saved-'));
  try {
    open().stepState.set('stage', 'infra-only');
    expect(openWorkingSession(openSession(other)).stepState.get('stage')).toBeUndefined();
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('unknown facts are reported and dropped, and the rest is used', () => {
  const session = openSession(dir);
  session.save({
    ...session.load(),
    design: createExampleDocument(),
    memory: { stage: 'install', 'powered-on': { bs: 'now' } },
  });
  const saved = open();
  expect(saved.isResumed).toBe(true);
  expect(saved.stepState.get('stage')).toBe('install');
  expect(saved.stepState.get('powered-on')).toBeUndefined();
  expect(saved.notices).toMatchObject([{ code: 'facts-dropped', cause: 'These were left out: powered-on.' }]);
  saved.update({});
  expect(open().notices).toEqual([]);
});

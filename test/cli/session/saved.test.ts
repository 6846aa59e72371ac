import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleDocument, openSaved } from '../../../src/cli/session/saved.ts';
import { checkDocument } from '../../../src/design/parse.ts';
import { openSession } from '../../../src/session/store.ts';
import { setAt } from '../../../src/wizard/design/document.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-saved-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const open = () => openSaved(openSession(dir));

test('a new directory starts with the documented example, and nothing is written before something is saved', () => {
  const saved = open();
  expect(saved.isResumed).toBe(false);
  expect(saved.current().design).toEqual(exampleDocument());
  expect(checkDocument(saved.current().design).design).not.toBeNull();
  expect(open().isResumed).toBe(false);
});

test('answers, place and facts come back together', () => {
  const saved = open();
  const design = setAt(saved.current().design, 'cluster.name', 'prod');
  saved.update({ design, place: { screen: 'boot', field: null } });
  saved.memory.set('powered-on', { bs: 1 });
  const again = open();
  expect(again.isResumed).toBe(true);
  expect(again.current().design).toEqual(design);
  expect(again.current().place).toEqual({ screen: 'boot', field: null });
  expect(again.memory.get('powered-on')).toEqual({ bs: 1 });
});

test('a fact is on the disk at once, and a later save of the answers does not lose it', () => {
  const saved = open();
  saved.memory.set('stage', 'install');
  expect(open().memory.get('stage')).toBe('install');
  saved.update({ place: { screen: 'hosts', field: null } });
  saved.memory.set('stage', 'bootstrap-removed');
  saved.update({ place: { screen: 'certificates', field: null } });
  const again = open();
  expect(again.memory.get('stage')).toBe('bootstrap-removed');
  expect(again.current().place.screen).toBe('certificates');
});

test('a document that is wrong is kept as it was typed', () => {
  const saved = open();
  const design = { cluster: 'nonsense', nodes: [null, 7], 'key with.dots': { a: [] } };
  saved.update({ design });
  expect(open().current().design).toEqual(design);
});

test('the facts of one directory are not those of another', () => {
  const other = mkdtempSync(join(tmpdir(), 'upi-saved-'));
  try {
    open().memory.set('stage', 'infra-only');
    expect(openSaved(openSession(other)).memory.get('stage')).toBeUndefined();
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('facts that are not understood are told, and the rest is gone on with', () => {
  const session = openSession(dir);
  session.save({
    ...session.load(),
    design: exampleDocument(),
    memory: { stage: 'install', 'powered-on': { bs: 'now' } },
  });
  const saved = open();
  expect(saved.isResumed).toBe(true);
  expect(saved.memory.get('stage')).toBe('install');
  expect(saved.memory.get('powered-on')).toBeUndefined();
  expect(saved.notices).toMatchObject([{ code: 'facts-dropped', cause: 'these were left out: powered-on.' }]);
  saved.update({});
  expect(open().notices).toEqual([]);
});

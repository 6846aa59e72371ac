import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseWidthReport, readSavedWidth, saveWidth } from '../../src/terminal/capabilities.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'width-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = () => join(home, '.config/upi-wizard/terminals.json');
const login = (client: string) => ({ HOME: home, TERM: 'xterm', SSH_CONNECTION: `${client} 50000 10.0.0.1 22` });

test('a terminal is remembered by its TERM and its client address', () => {
  expect(readSavedWidth(login('10.0.0.9'))).toBeNull();
  saveWidth(login('10.0.0.9'), 'wide');
  saveWidth(login('10.0.0.8'), 'narrow');
  expect(readSavedWidth({ ...login('10.0.0.9'), SSH_CONNECTION: '10.0.0.9 50001 10.0.0.1 22' })).toBe('wide');
  expect(readSavedWidth(login('10.0.0.8'))).toBe('narrow');
  expect(readSavedWidth({ ...login('10.0.0.9'), TERM: 'screen' })).toBeNull();
  saveWidth(login('10.0.0.9'), 'narrow');
  expect(readSavedWidth(login('10.0.0.9'))).toBe('narrow');
  expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
});

test('the file stays small, and an invalid file is ignored', () => {
  for (let client = 1; client <= 60; client += 1) saveWidth(login(`10.0.0.${client}`), 'wide');
  expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')) as object)).toHaveLength(50);
  expect(readSavedWidth(login('10.0.0.60'))).toBe('wide');
  for (const text of ['', '{', '[]', 'null', '{"xterm  10.0.0.60":"huge"}']) {
    writeFileSync(file(), text);
    expect(readSavedWidth(login('10.0.0.60')), text).toBeNull();
  }
});

test('a home directory that is not writable causes no error', () => {
  expect(() => saveWidth({ HOME: '/proc/nothing', TERM: 'xterm' }, 'wide')).not.toThrow();
});

test('the column after one character gives its width, and other reports give null', () => {
  expect([2, 3, 1, 80].map(parseWidthReport)).toEqual(['narrow', 'wide', null, null]);
});

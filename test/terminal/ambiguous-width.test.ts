import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  parseBackgroundReport,
  parseColorFgBg,
  parseWidthReport,
  readSavedReports,
  saveReport,
} from '../../src/terminal/terminal-reports.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'width-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = () => join(home, '.config/upi-wizard/terminals.json');
const login = (client: string) => ({ HOME: home, TERM: 'xterm', SSH_CONNECTION: `${client} 50000 10.0.0.1 22` });

test('a terminal is remembered by its TERM and its client address', () => {
  expect(readSavedReports(login('10.0.0.9')).width).toBeNull();
  saveReport(login('10.0.0.9'), { width: 'wide' });
  saveReport(login('10.0.0.8'), { width: 'narrow' });
  expect(readSavedReports({ ...login('10.0.0.9'), SSH_CONNECTION: '10.0.0.9 50001 10.0.0.1 22' }).width).toBe('wide');
  expect(readSavedReports(login('10.0.0.8')).width).toBe('narrow');
  expect(readSavedReports({ ...login('10.0.0.9'), TERM: 'screen' }).width).toBeNull();
  saveReport(login('10.0.0.9'), { width: 'narrow' });
  expect(readSavedReports(login('10.0.0.9')).width).toBe('narrow');
  expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
});

test('the file stays small, and an invalid file is ignored', () => {
  for (let client = 1; client <= 60; client += 1) saveReport(login(`10.0.0.${client}`), { width: 'wide' });
  expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')) as object)).toHaveLength(50);
  expect(readSavedReports(login('10.0.0.60')).width).toBe('wide');
  for (const text of ['', '{', '[]', 'null', '{"xterm  10.0.0.60":"huge"}']) {
    writeFileSync(file(), text);
    expect(readSavedReports(login('10.0.0.60')).width, text).toBeNull();
  }
});

test('a home directory that is not writable causes no error', () => {
  expect(() => saveReport({ HOME: '/proc/nothing', TERM: 'xterm' }, { width: 'wide' })).not.toThrow();
});

test('the column after one character gives its width, and other reports give null', () => {
  expect([2, 3, 1, 80].map(parseWidthReport)).toEqual(['narrow', 'wide', null, null]);
});

test('the background is kept beside the width, and a file of a version without it is read', () => {
  saveReport(login('10.0.0.9'), { width: 'narrow' });
  expect(readSavedReports(login('10.0.0.9'))).toEqual({ width: 'narrow', background: null });
  saveReport(login('10.0.0.9'), { background: 'light' });
  expect(readSavedReports(login('10.0.0.9'))).toEqual({ width: 'narrow', background: 'light' });
  saveReport(login('10.0.0.8'), { background: 'dark' });
  expect(readSavedReports(login('10.0.0.8'))).toEqual({ width: null, background: 'dark' });
});

test.each([
  ['rgb:ffff/ffff/ffff', 'light'],
  ['rgb:fdfd/f6f6/e3e3', 'light'],
  ['rgb:0000/2b2b/3636', 'dark'],
  ['rgb:1e/1e/1e', 'dark'],
  ['rgba:ffff/ffff/dddd/ffff', 'light'],
  ['?', null],
  ['', null],
] as const)('a terminal that reports %j has a %s background', (colour, expected) => {
  expect(parseBackgroundReport(colour)).toBe(expected);
});

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;7', 'light'],
  ['7;8', 'dark'],
  ['', null],
  [undefined, null],
] as const)('COLORFGBG=%s means %s', (value, expected) => {
  expect(parseColorFgBg(value)).toBe(expected);
});

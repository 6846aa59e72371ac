// Every command explains a system error in a sentence, without its code. An error in a design names its page.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runForExitCode } from '../../src/cli/shared/io.ts';
import type { ProcessIo } from '../../src/cli/shared/process-io.ts';
import { readAnswersFile } from '../../src/cli/wizard/answers-file.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { describeSystemError } from '../../src/i18n/user-error.ts';
import { runCommand } from '../support/run-command.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'reasons-'));
  writeFileSync(join(dir, 'file'), 'x');
  writeFileSync(join(dir, 'design.yaml'), renderExampleDesign({}));
  mkdirSync(join(dir, 'folder'));
  symlinkSync(join(dir, 'circle'), join(dir, 'circle'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Paths that cannot be read, and paths that cannot be written to. */
const UNREADABLE = ['absent', 'folder', 'file/below', 'circle', `${'n'.repeat(300)}`];
const UNWRITABLE = ['file', 'file/below', 'circle', 'circle/below', '/proc/none/below', `${'n'.repeat(300)}`];

async function captureRun(command: (io: ProcessIo) => Promise<number>): Promise<{ text: string; code: number }> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const io: ProcessIo = {
    stdout: write,
    stderr: write,
    env: { HOME: dir, XDG_CONFIG_HOME: dir, PATH: dir },
    cwd: dir,
    ask: null,
    signal: new AbortController().signal,
    canRedraw: false,
    columns: 80,
  };
  const code = await runForExitCode(io, () => command(io));
  return { text, code };
}

/** A system error code, or Node.js's own wording of one. */
const CODES = /\bE[A-Z0-9]{3,}\b(?!:\/\/)|\berrno\b|\bsyscall\b|no such file or directory, |operation on a directory/;

test('for an unreadable or unwritable path, every command prints the reason and no error code', async () => {
  const commands: [string, (io: ProcessIo) => Promise<number>][] = [
    ...UNREADABLE.flatMap((name): [string, (io: ProcessIo) => Promise<number>][] => [
      [`design check ${name}`, (io) => runCommand(['design', 'check', name], io)],
      [`design import ${name}`, (io) => runCommand(['design', 'import', name], io)],
      [`generate ${name}`, (io) => runCommand(['generate', name, '--out', 'out'], io)],
      [`check ${name}`, (io) => runCommand(['check', name], io)],
      [`status --design ${name}`, (io) => runCommand(['status', '--design', name, '--kubeconfig', name], io)],
      [
        `status --kubeconfig ${name}`,
        (io) => runCommand(['status', '--design', 'design.yaml', '--kubeconfig', name], io),
      ],
      [`infra apply ${name}`, (io) => runCommand(['infra', 'apply', name, '--kubeconfig', name], io)],
      [`diagnose --bundle ${name}`, (io) => runCommand(['diagnose', '--bundle', name], io)],
      [`diagnose --bundle ${name} --online`, (io) => runCommand(['diagnose', '--bundle', name, '--online'], io)],
      [`rehearse --answers ${name}`, async (io) => (readAnswersFile(name, io).isReadable ? 0 : 2)],
    ]),
    ...UNWRITABLE.map((name): [string, (io: ProcessIo) => Promise<number>] => [
      `generate --out ${name}`,
      (io) => runCommand(['generate', 'design.yaml', '--out', name], io),
    ]),
  ];
  for (const [name, command] of commands) {
    const { text, code } = await captureRun(command);
    expect(code, `${name}: ${text}`).not.toBe(0);
    expect(code, `${name}: ${text}`).not.toBe(1);
    expect(text.replaceAll(dir, ''), name).not.toMatch(CODES);
    expect(text.trim(), name).not.toBe('');
    if (name.includes('--out')) expect(text, name).toMatch(/[Cc]hoose another path with --out\.$/m);
  }
});

test('the reason why a program cannot be started is a sentence', async () => {
  const reasons = await Promise.all(
    ['absent', 'folder', 'file'].map(async (name) => {
      return await new Promise<string>((resolve) => {
        execFile(join(dir, name), (error) => resolve(describeSystemError(error, 'run')));
      });
    }),
  );
  expect(reasons).toEqual([
    'it does not exist, or is not in PATH',
    'permission to run it was denied',
    'permission to run it was denied',
  ]);
});

test('an unknown system error is shown without its code and system call', () => {
  const busy = Object.assign(new Error("ENODEV: no such device, open '/dev/x'"), { code: 'ENODEV' });
  expect(describeSystemError(busy)).toBe('no such device');
  expect(describeSystemError(Object.assign(new Error('spawn EUNATCH'), { code: 'EUNATCH' }))).toBe('spawn');
  expect(describeSystemError(new Error('It is so.'))).toBe('It is so');
});

test('errors of a design that is played in plain lines name pages and questions, not paths', async () => {
  const design = renderExampleDesign({})
    .replace('172.16.0.0/24', '10.128.0.0/24')
    .replace('172.16.0.21', 'nonsense')
    .replace(/^( *)mac: .*$/m, '$1mac: "00:00"');
  writeFileSync(join(dir, 'wrong.yaml'), design);
  const { text } = await captureRun(async (io) => (readAnswersFile('wrong.yaml', io).design === null ? 3 : 0));
  expect(text).toContain('Networks > Gateway: ');
  expect(text).toMatch(/Nodes > m1: Address: .*nonsense/);
  expect(text).toMatch(/Nodes > bs: MAC address: /);
  expect(text).not.toMatch(/\b(?:networks|nodes|endpoints|services|credentials)\.\w/);
});

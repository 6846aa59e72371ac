// What the system refuses is said in words, whichever command meets it; and a mistake in a design is named by its page.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkCommand } from '../../src/cli/check.ts';
import { designCommand } from '../../src/cli/design.ts';
import { diagnoseCommand } from '../../src/cli/diagnose.ts';
import { generateCommand } from '../../src/cli/generate.ts';
import { infraCommand } from '../../src/cli/infra.ts';
import { exitCode } from '../../src/cli/shared/exit-code.ts';
import type { LiveIo } from '../../src/cli/shared/live-io.ts';
import { statusCommand } from '../../src/cli/status.ts';
import { readAnswers } from '../../src/cli/wizard/answers.ts';
import { exampleDesign } from '../../src/design/example.ts';
import { systemReason } from '../../src/text/system-reason.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'reasons-'));
  writeFileSync(join(dir, 'file'), 'x');
  writeFileSync(join(dir, 'design.yaml'), exampleDesign({}));
  mkdirSync(join(dir, 'folder'));
  symlinkSync(join(dir, 'circle'), join(dir, 'circle'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What cannot be read, and what cannot be written to. */
const BAD = ['absent', 'folder', 'file/below', 'circle', `${'n'.repeat(300)}`];
const NOWHERE = ['file', 'file/below', 'circle', 'circle/below', '/proc/none/below', `${'n'.repeat(300)}`];
const NO_PROGRAMS = { bootServer: '', executable: '', site: '', standIn: '' };

async function said(command: (io: LiveIo) => Promise<number>): Promise<{ text: string; code: number }> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const io: LiveIo = {
    stdout: write,
    stderr: write,
    env: { HOME: dir, XDG_CONFIG_HOME: dir, PATH: dir },
    cwd: dir,
    ask: null,
    signal: new AbortController().signal,
    hasScreen: false,
    columns: 80,
  };
  const code = await exitCode(io, () => command(io));
  return { text, code };
}

/** A code of the system, Node's way to say it, and a path into a document. */
const CODES = /\bE[A-Z0-9]{3,}\b(?!:\/\/)|\berrno\b|\bsyscall\b|no such file or directory, |operation on a directory/;

test('whatever cannot be read or written, no command says a code for it, and each says why', async () => {
  const commands: [string, (io: LiveIo) => Promise<number>][] = [
    ...BAD.flatMap((name): [string, (io: LiveIo) => Promise<number>][] => [
      [`design check ${name}`, (io) => designCommand(['check', name], io)],
      [`design import ${name}`, (io) => designCommand(['import', name], io)],
      [`generate ${name}`, (io) => generateCommand([name, '--out', 'out'], io)],
      [`check ${name}`, (io) => checkCommand([name], io, NO_PROGRAMS)],
      [`status --design ${name}`, (io) => statusCommand(['--design', name, '--kubeconfig', name], io, NO_PROGRAMS)],
      [
        `status --kubeconfig ${name}`,
        (io) => statusCommand(['--design', 'design.yaml', '--kubeconfig', name], io, NO_PROGRAMS),
      ],
      [`infra apply ${name}`, (io) => infraCommand(['apply', name, '--kubeconfig', name], io, NO_PROGRAMS)],
      [`diagnose --bundle ${name}`, (io) => diagnoseCommand(['--bundle', name], io, NO_PROGRAMS)],
      [`diagnose --bundle ${name} --online`, (io) => diagnoseCommand(['--bundle', name, '--online'], io, NO_PROGRAMS)],
      [`rehearse --answers ${name}`, async (io) => (readAnswers(name, io).isReadable ? 0 : 2)],
    ]),
    ...NOWHERE.map((name): [string, (io: LiveIo) => Promise<number>] => [
      `generate --out ${name}`,
      (io) => generateCommand(['design.yaml', '--out', name], io),
    ]),
  ];
  for (const [name, command] of commands) {
    const { text, code } = await said(command);
    expect(code, `${name}: ${text}`).not.toBe(0);
    expect(code, `${name}: ${text}`).not.toBe(1);
    expect(text.replaceAll(dir, ''), name).not.toMatch(CODES);
    expect(text.trim(), name).not.toBe('');
  }
});

test('a program that cannot be started says so in words', async () => {
  const words = await Promise.all(
    ['absent', 'folder', 'file'].map(async (name) => {
      return await new Promise<string>((resolve) => {
        execFile(join(dir, name), (error) => resolve(systemReason(error, 'run')));
      });
    }),
  );
  expect(words).toEqual(['it is not there, or not in PATH', 'it may not be run', 'it may not be run']);
});

test('what has no words of ours loses its code and its call', () => {
  const busy = Object.assign(new Error("ENODEV: no such device, open '/dev/x'"), { code: 'ENODEV' });
  expect(systemReason(busy)).toBe('no such device');
  expect(systemReason(Object.assign(new Error('spawn EUNATCH'), { code: 'EUNATCH' }))).toBe('spawn');
  expect(systemReason(new Error('It is so.'))).toBe('It is so');
});

test('errors of a design that is played in plain lines name pages and questions, not paths', async () => {
  const design = exampleDesign({})
    .replace('172.16.0.0/24', '10.128.0.0/24')
    .replace('172.16.0.21', 'nonsense')
    .replace(/^( *)mac: .*$/m, '$1mac: "00:00"');
  writeFileSync(join(dir, 'wrong.yaml'), design);
  const { text } = await said(async (io) => (readAnswers('wrong.yaml', io).design === null ? 3 : 0));
  expect(text).toContain('Networks > Gateway: ');
  expect(text).toMatch(/Nodes > m1: Address: .*nonsense/);
  expect(text).toMatch(/Nodes > bs: MAC address: /);
  expect(text).not.toMatch(/\b(?:networks|nodes|endpoints|services|credentials)\.\w/);
});

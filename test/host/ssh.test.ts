import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runOverSsh } from '../../src/host/ssh.ts';

const TARGET = { host: '127.0.0.1', port: null, user: null, options: [] };

/** Runs a program in place of ssh, and returns the lines that it passed on, and its end. */
async function runAs(script: string) {
  const dir = mkdtempSync(join(tmpdir(), 'ssh-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const program = join(dir, 'ssh');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const lines: string[] = [];
  const { signal } = new AbortController();
  const end = await runOverSsh({ program, target: TARGET, command: 'true', signal, onLine: (line) => lines.push(line) })
    .then(({ exitCode }) => exitCode)
    .catch((error: { readonly userError: { readonly code: string } }) => error.userError.code);
  return { lines, end };
}

test('the messages of ssh itself are not lines of the host', async () => {
  const words = 'ssh: connect to host 172.16.0.101 port 22: Connection timed out';
  expect(await runAs(`echo "${words}" >&2; exit 255`)).toEqual({ lines: [], end: 'ssh-unreachable' });
  const broken = 'echo one; echo "client_loop: send disconnect: Broken pipe" >&2; exit 255';
  expect(await runAs(broken)).toEqual({ lines: ['one'], end: 'ssh-other' });
  expect(await runAs('echo one; echo two')).toEqual({ lines: ['one', 'two'], end: 0 });
});

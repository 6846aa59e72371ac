import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rehearseFullScreen } from '../../../src/cli/rehearse-screens.ts';
import { openDirectory } from '../../../src/cli/session/open-directory.ts';
import { servePeersOfProgram } from '../../../src/cli/session/session-holder.ts';
import type { Launcher } from '../../../src/cli/shared/context.ts';
import type { CommandIo } from '../../../src/cli/shared/io.ts';
import { setAt } from '../../../src/design/paths.ts';
import { openSession } from '../../../src/session/session.ts';
import { getSessionFile } from '../../../src/session/session-file.ts';

let base: string;
let io: CommandIo;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'upi-open-'));
  io = { stdout: vi.fn(), stderr: vi.fn(), env: { HOME: base }, cwd: base };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
const launcher: Launcher = {
  loadPlain: vi.fn(),
  loadScreens: vi.fn(),
  programs: { bootServer: '', executable: '', site: '', standIn: '' },
};
const open = (dir: string) => openDirectory(dir, io, 'upi-wizard', launcher.programs);
const locked = expect.objectContaining({ userError: expect.objectContaining({ code: 'session-locked' }) });

test('a wizard that starts while another leaves reads what that one saved last', async () => {
  const dir = join(base, 'cluster');
  const first = await open(dir);
  // While the first holds the lock, a second one reads nothing: it would work on, and save, outdated answers.
  await expect(open(dir)).rejects.toEqual(locked);
  first.session.update({ design: setAt(first.session.getState().design, 'cluster.name', 'last-answer') });
  first.lock.release();
  const second = await open(dir);
  expect(second.session.getState().design).toMatchObject({ cluster: { name: 'last-answer' } });
  second.lock.release();
});

test('a session that cannot be read leaves its directory unlocked', async () => {
  const dir = join(base, 'cluster');
  const first = await open(dir);
  first.session.update({});
  first.lock.release();
  const text = readFileSync(getSessionFile(dir), 'utf8');
  writeFileSync(getSessionFile(dir), '{"schemaVersion":99}');
  const newer = expect.objectContaining({ userError: expect.objectContaining({ code: 'session-newer' }) });
  await expect(open(dir)).rejects.toEqual(newer);
  writeFileSync(getSessionFile(dir), text);
  (await open(dir)).lock.release();
});

test('a full-screen rehearsal reads the state of its directory only when it holds the lock', async () => {
  const dir = join(base, 'rehearsal');
  const first = await open(dir);
  servePeersOfProgram(first.lock, null);
  const ask = vi.fn(async () => 'quit' as const);
  const opened = { run: vi.fn(), close: vi.fn(), ask, watch: vi.fn(), options: [] };
  const options = { dir, speed: 60, seed: 1, faults: [], cloud: null };
  expect(await rehearseFullScreen(options, { document: { cluster: {} }, screen: 'review' }, io, launcher, opened)).toBe(
    0,
  );
  expect(ask).toHaveBeenCalledOnce();
  expect(openSession(dir).load().design).toBeNull();
  first.lock.release();
});

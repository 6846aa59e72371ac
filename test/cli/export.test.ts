import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { captureCommand } from '../support/run-command.ts';

test('an export needs the design of a rehearsal, and not its site: a stopped site does not matter', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'upi-export-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const dir = join(cwd, 'site');
  openSession(dir).save({
    ...freshState,
    design: parseDesign(renderExampleDesign({})).document,
    place: { screen: 'hosts', field: null },
    rehearsal: { siteDir: join(dir, '.upi-wizard/site'), seed: 1, speed: 60, faults: [] },
  });
  const exported = await captureCommand(['export', 'ansible', 'roles', '--dir', dir], { cwd });
  // Without the credentials the bastion's installer files are left out.
  expect(exported).toMatchObject({ code: 4, stderr: expect.stringContaining('install-config.yaml') });
  expect(readFileSync(join(cwd, 'roles/inventory.yml'), 'utf8')).toContain('ns1');
  expect(existsSync(join(cwd, 'roles/files/ns1/etc/named.conf'))).toBe(true);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PLACEHOLDER_PULL_SECRET } from '../../src/design/credentials.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { createSandbox, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

test('a rehearsal of OKD goes from the example to the report, without a pull secret and anything of Red Hat', async () => {
  const dir = sandbox.dir('okd');
  const answers = sandbox.file('okd.yaml', renderExampleDesign({ version: '4.20.0-okd-scos.3' }));
  const { code, stdout } = await startRehearsal(dir, { sandbox, answers }).exit;
  expect(code).toBe(0);
  expect(stdout).toContain('Everything is done and verified.');
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
  const read = (ending: string) =>
    files.filter((path) => path.endsWith(ending)).map((path) => readFileSync(path, 'utf8'));
  expect(read('/report.md')).toEqual([expect.stringContaining('OKD: 4.20.0-okd-scos.3')]);
  expect(read('/install-config.yaml')[0]).toContain(JSON.stringify(PLACEHOLDER_PULL_SECRET));
  expect(read('.ipxe').join('')).toContain('scos-10.0.20251103-0-live-kernel.x86_64');
  // The programs keep their names, and the settings of the cluster theirs.
  const written = [stdout, ...read('/report.md'), ...read('.ipxe'), ...read('/infra.yaml'), ...read('-notes.md')];
  expect(written.join('\n')).not.toMatch(/OpenShift \d|RHCOS|rhcos|Red Hat|redhat\.com|ocp-release/);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { createSandbox, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

test('a single node with a bootstrap node goes from the example to the report', async () => {
  const dir = sandbox.dir('single');
  const answers = sandbox.file(
    'single.yaml',
    renderExampleDesign({ topology: 'single-node-bootstrap', version: '4.20.4' }),
  );
  const { code, stdout } = await startRehearsal(dir, { sandbox, answers }).exit;
  expect(stdout).toContain('Everything is done and verified.');
  expect(code).toBe(0);
  expect(stdout).toContain('openshift-install create ignition-configs');
  expect(stdout.match(/power on \w+/g)).toEqual(['power on bs', 'power on m1']);
  expect(stdout).toContain('bootstrap leaves the pools of 6443 and 22623');
  const config = readFileSync(join(dir, 'files/bastion/root/upi-wizard/install-config.yaml'), 'utf8');
  expect(config).toMatch(/^controlPlane:\n {2}name: "master"\n {2}replicas: 1$/m);
  expect(config).not.toContain('bootstrapInPlace');
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(/^\| bs\.ocp45\S+ \| bootstrap \| .* \| temporary, removed \|$/m);
  expect(report).toMatch(/^\| m1\.ocp45\S+ \| control-plane \| .* \| Ready \|$/m);
  expect(report).toMatch(/^\| api\.ocp45\S+:6443 \| \S+ \| bs m1 \| m1 \| m1 \| m1 \|$/m);
  expect(report).not.toContain('Replace a control plane node');
});

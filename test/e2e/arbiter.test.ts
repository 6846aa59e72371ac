import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { createSandbox, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

test('two control plane nodes and an arbiter go from the example to the report', async () => {
  const dir = sandbox.dir('arbiter');
  const answers = sandbox.file('arbiter.yaml', renderExampleDesign({ topology: 'arbiter', version: '4.22.3' }));
  const { code, stdout } = await startRehearsal(dir, { sandbox, answers }).exit;
  expect(stdout).toContain('Everything is done and verified.');
  expect(code).toBe(0);
  // The arbiter boots while the bootstrap node serves its configuration: without it, etcd has no third member.
  const boot = stdout.slice(stdout.indexOf('] Boot'), stdout.indexOf('] Bootstrap'));
  expect(boot.match(/power on \w+/g)).toEqual(['power on bs', 'power on m1', 'power on m2', 'power on a1']);
  expect(boot).toContain('arbiter.ign is offered to 172.16.0.24');
  expect(stdout).toContain('all 3 nodes joined, with certificates for their planned addresses');
  expect(readFileSync(join(dir, 'arbiter.ign'), 'utf8')).toContain(':22623/config/arbiter"');
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(/^\| a1\.ocp45\.example\.localdomain \| arbiter \| 172\.16\.0\.24 \| .* \| Ready \|$/m);
  expect(report).toMatch(/^\| api\.ocp45\S+:6443 \| \S+ \| bs m1 m2 \| m1 m2 \| m1 m2 \| m1 m2 \|$/m);
  expect(report).toContain('`rm arbiter.ign`');
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { reportStep } from '../../src/steps/report.ts';
import { exampleCredentials } from '../support/example-design.ts';
import { type StepWorld, stepWorld } from '../support/step-world.ts';

let world: StepWorld;
afterEach(() => world.remove());

test('the report names the cluster, every node and host, and is written for its owner only', async () => {
  world = stepWorld();
  const first = await reportStep.probe(world.context);
  expect(first).toMatchObject({ state: 'needed', view: { isWritten: false } });
  const lines: string[] = [];
  await reportStep.apply(world.context, (line) => lines.push(line));
  const path = join(world.dir, 'report.md');
  expect(lines).toEqual([`written to ${path}`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('2024-03-01T12:00:00.000Z');
  expect(text).toContain('https://api.ocp45.example.localdomain:6443');
  expect(text).toContain('*.apps.ocp45.example.localdomain');
  for (const name of ['bs', 'm1', 'w3', 'i3'])
    expect(text).toMatch(new RegExp(`^\\|.*\\b${name}\\.ocp45\\..*\\|$`, 'm'));
  for (const host of ['bastion', 'ns1', 'lb1']) expect(text).toContain(`- ${host}.example.localdomain 172.16.0.`);
  expect(await reportStep.probe(world.context)).toMatchObject({ state: 'done', view: { isWritten: true } });
});

test('the report holds no secret, and says of the cluster only what was seen', async () => {
  world = stepWorld();
  const { view } = await reportStep.probe(world.context);
  const text = view.lines.join('\n');
  expect(text).not.toContain('dXNlcjpwYXNz');
  expect(text).not.toContain(exampleCredentials.sshKey.split(' ')[1]);
  expect(text).not.toMatch(/https:\/\/console/);
  expect(text).not.toMatch(/\| Ready \|/);
});

test('every row of its table has the same cells', async () => {
  world = stepWorld();
  const { view } = await reportStep.probe(world.context);
  const rows = view.lines.filter((line) => line.startsWith('|'));
  expect(rows).toHaveLength(12);
  expect(new Set(rows.map((row) => row.split('|').length)).size).toBe(1);
});

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { generateStep } from '../../../src/steps/generate.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { testWith } from '../../support/programs.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture;
afterEach(() => fixture.remove());

const ignoreLine = () => undefined;

async function findFile(file: string) {
  const { view } = await generateStep.probe(fixture.context);
  return view.hosts.flatMap(({ files }) => files).find((found) => found.file === file);
}

test('files are listed under their hosts, in setup order; nothing is on disk yet', async () => {
  fixture = createStepFixture({ isManual: true });
  const { state, view } = await generateStep.probe(fixture.context);
  expect(state).toBe('needed');
  expect(view.hosts.map(({ name, roles }) => `${name} ${roles.join('+')}`)).toEqual([
    'ns1 DNS+DHCP',
    'lb1 LB',
    'bastion bastion',
  ]);
  expect(view.hosts[0]?.instructions.at(-1)).toContain('install.sh');
  const files = view.hosts.flatMap((host) => host.files);
  expect(new Set(files.map((file) => file.state))).toEqual(new Set(['new']));
  expect(files.every(({ check }) => check === null)).toBe(true);
});

test('a hand-edited file is shown next to its replacement, and backed up when it is replaced', async () => {
  fixture = createStepFixture();
  await generateStep.apply(fixture.context, ignoreLine);
  const path = join(workspace(fixture.dir).filesDir, 'lb1/etc/haproxy/haproxy.cfg');
  const generated = readFileSync(path, 'utf8');
  writeFileSync(path, `${generated}# mine\n`);
  expect(await findFile('lb1/etc/haproxy/haproxy.cfg')).toMatchObject({
    state: 'edited',
    content: generated,
    before: `${generated}# mine\n`,
  });
  await generateStep.apply(fixture.context, ignoreLine);
  expect(readFileSync(path, 'utf8')).toBe(generated);
  expect(readFileSync(`${path}.1.orig`, 'utf8')).toBe(`${generated}# mine\n`);
});

test('a file without our file list counts as hand-edited, and is backed up when it is replaced', async () => {
  fixture = createStepFixture();
  fixture.write('files/lb1/etc/haproxy/haproxy.cfg', '# mine\n');
  expect(await findFile('lb1/etc/haproxy/haproxy.cfg')).toMatchObject({ state: 'edited', before: '# mine\n' });
  await generateStep.apply(fixture.context, ignoreLine);
  const backup = join(workspace(fixture.dir).filesDir, 'lb1/etc/haproxy/haproxy.cfg.1.orig');
  expect(readFileSync(backup, 'utf8')).toBe('# mine\n');
});

test('without a credential the other files are written, and the step reports the missing credential', async () => {
  fixture = createStepFixture();
  const { credentials } = fixture.context;
  const context = { ...fixture.context, credentials: { ...credentials, pullSecretFile: join(fixture.dir, 'none') } };
  const lines: string[] = [];
  await generateStep.apply(context, (line) => lines.push(line));
  expect(lines.join('\n')).toContain('left out: /root/upi-wizard/install-config.yaml');
  const { state, findings, hasWarning, summary } = await generateStep.probe(context);
  expect([state, hasWarning]).toEqual(['done', true]);
  expect(summary).toMatch(/^\d+ files on disk; missing: install-config\.yaml$/);
  expect(findings).toMatchObject([{ code: 'credential-missing', severity: 'warning' }]);
  expect((await generateStep.probe(fixture.context)).state).toBe('needed');
});

test('a run that was interrupted after its last file is not done until its list is written', async () => {
  fixture = createStepFixture();
  await generateStep.apply(fixture.context, ignoreLine);
  const list = join(workspace(fixture.dir).filesDir, 'files.json');
  renameSync(list, `${list}.begun`);
  expect((await generateStep.probe(fixture.context)).state).toBe('needed');
  await generateStep.apply(fixture.context, ignoreLine);
  expect((await generateStep.probe(fixture.context)).state).toBe('done');
  expect([existsSync(list), existsSync(`${list}.begun`)]).toEqual([true, false]);
});

test('files with secrets are listed, and their content is never shown', async () => {
  fixture = createStepFixture();
  const { view } = await generateStep.probe(fixture.context);
  const secret = view.hosts.flatMap(({ files }) => files).filter(({ isSecret }) => isSecret);
  expect(secret.map(({ file }) => file)).toContain('bastion/root/upi-wizard/install-config.yaml');
  expect(secret.every(({ content, before }) => content === '' && before === null)).toBe(true);
});

testWith('haproxy', 'named-checkzone')(
  'files on disk carry the check results of their programs at each probe',
  async () => {
    fixture = createStepFixture();
    await generateStep.apply(fixture.context, ignoreLine);
    expect((await findFile('lb1/etc/haproxy/haproxy.cfg'))?.check).toEqual({
      program: 'haproxy',
      state: 'ok',
      output: '',
    });
    const { summary } = await generateStep.probe(fixture.context);
    expect(summary).toMatch(/checked here by the programs that read them$/);
  },
);

test('without its program here a file is left for the host to check', async () => {
  fixture = createStepFixture();
  await generateStep.apply(fixture.context, ignoreLine);
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    const { view } = await generateStep.probe(fixture.context);
    const checks = view.hosts.flatMap(({ files }) => files.flatMap(({ check }) => check ?? []));
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.every(({ state }) => state !== 'refused')).toBe(true);
  } finally {
    process.env.PATH = path;
  }
});

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { generateStep } from '../../../src/steps/generate/index.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { testWith } from '../../support/programs.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let world: StepWorld;
afterEach(() => world.remove());

const quiet = () => undefined;

async function fileView(file: string) {
  const { view } = await generateStep.probe(world.context);
  return view.hosts.flatMap(({ files }) => files).find((found) => found.file === file);
}

test('files stand under their hosts, in the order in which those are set up; nothing is on disk yet', async () => {
  world = stepWorld({ isPerson: true });
  const { state, view } = await generateStep.probe(world.context);
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

test('a file that a person changed is shown beside what would replace it, and kept when it is replaced', async () => {
  world = stepWorld();
  await generateStep.apply(world.context, quiet);
  const path = join(workspace(world.dir).files, 'lb1/etc/haproxy/haproxy.cfg');
  const generated = readFileSync(path, 'utf8');
  writeFileSync(path, `${generated}# mine\n`);
  expect(await fileView('lb1/etc/haproxy/haproxy.cfg')).toMatchObject({
    state: 'edited',
    content: generated,
    before: `${generated}# mine\n`,
  });
  await generateStep.apply(world.context, quiet);
  expect(readFileSync(path, 'utf8')).toBe(generated);
  expect(readFileSync(`${path}.1.orig`, 'utf8')).toBe(`${generated}# mine\n`);
});

test('a file that lies there without a list of ours is a person’s, and kept when it is replaced', async () => {
  world = stepWorld();
  world.write('files/lb1/etc/haproxy/haproxy.cfg', '# mine\n');
  expect(await fileView('lb1/etc/haproxy/haproxy.cfg')).toMatchObject({ state: 'edited', before: '# mine\n' });
  await generateStep.apply(world.context, quiet);
  const kept = join(workspace(world.dir).files, 'lb1/etc/haproxy/haproxy.cfg.1.orig');
  expect(readFileSync(kept, 'utf8')).toBe('# mine\n');
});

test('without a credential the other files are written, and the step says what waits for it', async () => {
  world = stepWorld();
  const { credentials } = world.context;
  const context = { ...world.context, credentials: { ...credentials, pullSecretFile: join(world.dir, 'none') } };
  const said: string[] = [];
  await generateStep.apply(context, (line) => said.push(line));
  expect(said.join('\n')).toContain('left out: /root/upi-wizard/install-config.yaml');
  const { state, findings } = await generateStep.probe(context);
  expect(state).toBe('done');
  expect(findings).toMatchObject([{ code: 'credential-missing', severity: 'warning' }]);
  expect((await generateStep.probe(world.context)).state).toBe('needed');
});

test('a run that was interrupted after its last file is not done until its list is written', async () => {
  world = stepWorld();
  await generateStep.apply(world.context, quiet);
  const list = join(workspace(world.dir).files, 'files.json');
  renameSync(list, `${list}.begun`);
  expect((await generateStep.probe(world.context)).state).toBe('needed');
  await generateStep.apply(world.context, quiet);
  expect((await generateStep.probe(world.context)).state).toBe('done');
  expect([existsSync(list), existsSync(`${list}.begun`)]).toEqual([true, false]);
});

test('what holds a secret is named and never shown', async () => {
  world = stepWorld();
  const { view } = await generateStep.probe(world.context);
  const secret = view.hosts.flatMap(({ files }) => files).filter(({ isSecret }) => isSecret);
  expect(secret.map(({ file }) => file)).toContain('bastion/root/upi-wizard/install-config.yaml');
  expect(secret.every(({ content, before }) => content === '' && before === null)).toBe(true);
});

testWith('haproxy', 'named-checkzone')(
  'files on disk carry what their programs say, each time they are looked at',
  async () => {
    world = stepWorld();
    await generateStep.apply(world.context, quiet);
    expect((await fileView('lb1/etc/haproxy/haproxy.cfg'))?.check).toEqual({
      program: 'haproxy',
      state: 'ok',
      output: '',
    });
    const { summary } = await generateStep.probe(world.context);
    expect(summary).toMatch(/checked by their programs here$/);
  },
);

test('a program that is not here leaves its file to the host', async () => {
  world = stepWorld();
  await generateStep.apply(world.context, quiet);
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    const { view } = await generateStep.probe(world.context);
    const checks = view.hosts.flatMap(({ files }) => files.flatMap(({ check }) => check ?? []));
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.every(({ state }) => state !== 'refused')).toBe(true);
  } finally {
    process.env.PATH = path;
  }
});

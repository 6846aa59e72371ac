import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildAnsibleProject } from '../../../src/artifacts/ansible.ts';
import { generateFiles } from '../../../src/artifacts/generate.ts';
import type { Design } from '../../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../../support/example-design.ts';

test('the variables of each host match its install.sh, and the inventory has its connection', () => {
  const design = exampleSite();
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  const { files, setups } = generateFiles({ ...input, design });
  const project = buildAnsibleProject(design, setups, files);
  const read = (file: string) => {
    const found = project.find((each) => each.file === file);
    if (found === undefined) throw new Error(`no ${file}`);
    return parse(found.content);
  };
  const { service_hosts: hosts, load_balancers: balancers } = read('inventory.yml').all.children;
  expect(hosts.hosts).toEqual({
    ns1: { ansible_host: '172.16.0.102' },
    lb1: { ansible_host: '172.16.0.112' },
    bastion: { ansible_connection: 'local' },
  });
  expect(Object.keys(balancers.hosts)).toEqual(['lb1']);
  for (const { host } of setups) {
    const vars = read(`host_vars/${host.name}.yml`);
    const own = files.filter((file) => file.host === host.name);
    expect(vars.service_host_files.map(({ path }: { path: string }) => path).sort()).toEqual(
      own.map(({ path }) => path).sort(),
    );
    for (const { check, reload } of own) {
      if (check !== null) expect(vars.service_host_checks).toContainEqual(check);
      const [program, verb, unit] = reload ?? [];
      if (program === 'systemctl' && verb !== 'daemon-reload')
        expect(vars.service_host_reloads).toContainEqual(
          expect.objectContaining({ unit, state: verb === 'restart' ? 'restarted' : 'reloaded' }),
        );
    }
    const script = own.find(({ path }) => path.endsWith('/install.sh'))?.content;
    expect(script).toContain(`packages=(${vars.service_host_packages.join(' ')})`);
    expect(script).toContain(`units=(${vars.service_host_units.join(' ')})`);
  }
  const { service_answers_names: names } = read('host_vars/ns1.yml');
  expect(names).toContainEqual({ name: 'test.apps.ocp45.example.localdomain', type: 'A', answers: ['172.16.0.111'] });
  expect(names).toContainEqual({
    name: '21.0.16.172.in-addr.arpa',
    type: 'PTR',
    answers: ['m1.ocp45.example.localdomain.'],
  });
  expect(read('host_vars/lb1.yml').service_answers_listens).toContainEqual({ host: '172.16.0.110', port: 22623 });
  // Only their owner can read files with secrets.
  const secret = project.find(({ file }) => file.endsWith('/install-config.yaml'));
  expect(secret?.mode).toBe('0600');
});

test('host names that YAML 1.1 reads as another type stay strings; no group has a valid host name', () => {
  const text = JSON.stringify(exampleSite()).replaceAll('"ns1"', '"yes"').replaceAll('"lb1"', '"2024-01-01"');
  const design = JSON.parse(text) as Design;
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  const { files, setups } = generateFiles({ ...input, design });
  const project = buildAnsibleProject(design, setups, files);
  const { content = '' } = project.find(({ file }) => file === 'inventory.yml') ?? {};
  const { children } = parse(content, { version: '1.1' }).all;
  expect(Object.keys(children.service_hosts.hosts).sort()).toEqual(['2024-01-01', 'bastion', 'yes']);
  for (const group of Object.keys(children)) expect(group).toContain('_');
  expect(project.map(({ file }) => file)).toContain('host_vars/yes.yml');
});

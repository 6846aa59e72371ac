import { expect, test } from 'vitest';
import { generateFiles } from '../../../src/artifacts/generate.ts';
import { STAGES, type Stage } from '../../../src/design/choices.ts';
import type { Design } from '../../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite, generateFileText } from '../../support/example-design.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';

/** Members by backend, `*` marking a backup. */
function listMembers(design: Design, stage: Stage): Record<string, string> {
  const sections = generateFileText(design, FILE, stage)
    .split(/^(?=backend )/m)
    .slice(1);
  return Object.fromEntries(
    sections.map((section) => [
      /^backend (\S+)/.exec(section)?.[1] ?? '',
      [...section.matchAll(/^ +server (\S+) .*$/gm)]
        .map(([line, name]) => (line.endsWith(' backup') ? `${name}*` : name))
        .join(' '),
    ]),
  );
}

test('each stage has its members', () => {
  const control = 'm1 m2 m3';
  const table = (api: string, ingress: string) => ({
    api,
    'machine-config': api,
    'ingress-https': ingress,
    'ingress-http': ingress,
  });
  expect(listMembers(exampleSite(), 'install')).toEqual(table(`bs* ${control}`, 'w1 w2 w3'));
  expect(listMembers(exampleSite(), 'bootstrap-removed')).toEqual(table(control, 'w1 w2 w3'));
  expect(listMembers(exampleSite(), 'infra-added')).toEqual(table(control, 'w1 w2 w3 i1 i2 i3'));
  expect(listMembers(exampleSite(), 'infra-only')).toEqual(table(control, 'i1 i2 i3'));
});

test('workers stay members when the design requires it, and when no infra node can replace them', () => {
  const infra = { ...exampleSite().infra, removeWorkersFromLoadBalancer: false };
  expect(listMembers(exampleSite({ infra }), 'infra-only')['ingress-http']).toBe('w1 w2 w3 i1 i2 i3');
  const nodes = exampleSite().nodes.filter(({ role }) => role !== 'infra');
  expect(listMembers(exampleSite({ nodes }), 'infra-only')['ingress-http']).toBe('w1 w2 w3');
});

test('a compact cluster sends its routes to the control plane', () => {
  const nodes = exampleSite().nodes.filter(({ role }) => role === 'bootstrap' || role === 'control-plane');
  expect(listMembers(exampleSite({ topology: 'compact', nodes }), 'install')['ingress-https']).toBe('m1 m2 m3');
});

test('listens on the addresses of the design, and serves machine configs on the api-int address only', () => {
  const binds = [...generateFileText(exampleSite(), FILE).matchAll(/^ +bind (\S+)$/gm)].map(([, address]) => address);
  expect(binds).toEqual([
    '172.16.0.112:9000',
    '172.16.0.111:6443',
    '172.16.0.110:6443',
    '172.16.0.110:22623',
    '172.16.0.111:443',
    '172.16.0.111:80',
  ]);
});

test('uses addresses, checks readiness, and keeps HTTP to the status page', () => {
  const text = generateFileText(exampleSite(), FILE);
  expect(text.replace(/^#.*$/gm, '')).not.toContain('example.localdomain');
  expect(text).toContain('option httpchk GET /readyz');
  expect(text).not.toMatch(/forwardfor|http-server-close|ssl-hello-chk/);
  const proxySections = text.replace(/^frontend stats\n(?: .*\n)+/m, '');
  expect(proxySections).not.toMatch(/mode http|httplog/);
});

test('keepalived manages the endpoint addresses that no balancer has itself', () => {
  const text = generateFileText(exampleSite(), 'lb1/etc/keepalived/keepalived.conf');
  expect(text).toContain('172.16.0.111/32');
  expect(text).toContain('172.16.0.110/32');
  const own = exampleSite({
    endpoints: { api: ['172.16.0.112'], apiInt: ['172.16.0.112'], ingress: ['172.16.0.112'] },
  });
  const input = { credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  expect(
    generateFiles({ ...input, design: own, stage: 'install' }).files.some(({ kind }) => kind === 'keepalived'),
  ).toBe(false);
});

test('stages differ in nothing but the load balancer', () => {
  const input = {
    design: exampleSite(),
    credentials: exampleCredentials,
    images: exampleImages,
    previous: null,
  } as const;
  const others = STAGES.map((stage) =>
    generateFiles({ ...input, stage }).files.filter(({ kind }) => kind !== 'haproxy'),
  );
  for (const files of others) expect(files).toEqual(others[0]);
});

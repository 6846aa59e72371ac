import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { exampleSite, generated } from '../support/example-design.ts';

const NOTES = 'bastion/root/upi-wizard/network-notes.md';

test('the way back to the machine network, where the design names a router', () => {
  expect(generated(exampleSite(), NOTES)).toContain('ip route add 172.16.0.0/24 via 192.168.124.254');
  const { networks } = exampleSite();
  const without = generated(exampleSite({ networks: { ...networks, router: null } }), NOTES);
  expect(without).not.toContain('ip route add');
  expect(without).toContain('no route to add');
});

test('says which nodes would not start iPXE', () => {
  expect(generated(exampleSite(), NOTES)).not.toContain('Secure Boot');
  const nodes = exampleSite().nodes.map((node) => ({ ...node, secureBoot: node.name === 'm2' }));
  expect(generated(exampleSite({ nodes }), NOTES)).toContain('Secure Boot is on for m2.');
});

test('the environment puts the install directory first, once however often it is sourced', () => {
  const text = generated(exampleSite(), 'bastion/root/upi-wizard/env.sh');
  const script = `${text}\n${text}\nprintf '%s %s' "$PATH" "$KUBECONFIG"`;
  const { stdout } = spawnSync('/bin/sh', ['-eu', '-c', script], { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' });
  expect(stdout).toBe('/root/upi-wizard/cluster/bin:/usr/bin:/bin /root/upi-wizard/cluster/auth/kubeconfig');
});

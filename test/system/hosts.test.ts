import { expect } from 'vitest';
import { testOnDebian } from '../support/debian-host.ts';
import { serviceMachine } from '../support/service-machine.ts';

interface Seen {
  readonly hosts: readonly {
    readonly name: string;
    readonly state: string;
    readonly changes: readonly { readonly kind: string; readonly what: string; readonly how: string | null }[];
    readonly trouble: { readonly code: string } | null;
  }[];
}

const json = ({ all }: { readonly all: string }) => JSON.parse(all) as Seen;

testOnDebian('sshd', 'ssh')('a host is looked at over SSH, and nothing is written there', async () => {
  const { hosts, shell, snapshot } = await serviceMachine();
  const before = await snapshot();
  const said = await hosts('plan', '--host', 'ns1');
  expect(said.exitCode, said.all).toBe(0);
  expect(said.all).toMatch(/^ns1 \(172\.16\.0\.101\)\n/);
  expect(said.all).toMatch(/^ {4}\/etc\/haproxy\/haproxy\.cfg: other than generated\n {6}@@/m);
  expect(said.all).toContain('    systemctl start named\n');
  const [seen] = json(await hosts('plan', '--host', 'ns1', '--json')).hosts;
  expect(seen).toMatchObject({ name: 'ns1', state: 'new', trouble: null });
  expect(seen?.changes).toContainEqual({
    kind: 'file',
    what: '/etc/dhcp/dhcpd.conf',
    how: 'changed',
    diff: expect.anything(),
  });
  expect(await snapshot()).toBe(before);
  expect((await shell('ls /tmp /run/upi-wizard 2>&1; true')).all).not.toMatch(/tmp\.|files/);

  // Who cannot log in is told what to do, and the other hosts are looked at all the same.
  await shell('mv /tmp/lab/keys/user.pub /tmp/lab/keys/away');
  const refused = await hosts('plan', '--host', 'ns1', '--json');
  expect(refused.exitCode).toBe(4);
  expect(json(refused).hosts[0]).toMatchObject({ state: 'unknown', trouble: { code: 'ssh-login' } });
});

import { expect } from 'vitest';
import { testOnDebian } from '../support/debian-host.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';
import { createServiceMachine } from '../support/service-machine.ts';

const ZONE = '/var/lib/bind/example.localdomain.zone';

testOnDebian(
  'sshd',
  'ssh',
  'rndc',
)(
  'a service that runs with an older file is reported, also one that does not run, and "hosts apply" mends both',
  async () => {
    const { lab, hosts, expectShell } = await createServiceMachine();
    const apply = async () => {
      const applied = await hosts('apply', '--host', 'ns1', '--yes');
      expect(applied.exitCode, applied.all).toBe(0);
      return applied.all;
    };
    const check = async () => {
      const { all } = await lab.run(
        'admin',
        `env PATH="$LAB/bin:$PATH" HOME="$LAB/home" ${process.execPath} ${wizardExecutable} check "$LAB/site.json" --phase hosts --json`,
      );
      const { checks } = JSON.parse(all) as { checks: { id: string; subject: string; result: string }[] };
      return checks.filter(({ id, subject }) => id.startsWith('host-service-') && subject.startsWith('ns1 '));
    };
    const listResults = async (result: string) =>
      (await check()).flatMap((each) => (each.result === result ? `${each.id} ${each.subject}` : []));

    await apply();
    expect(await listResults('failed')).toEqual([]);
    expect(await listResults('ok')).toEqual(
      expect.arrayContaining([
        ...['named', 'dhcpd', 'haproxy'].flatMap((name) =>
          ['runs', 'current'].map((part) => `host-service-${part} ns1 ${name}`),
        ),
      ]),
    );
    expect(await apply()).toContain('Nothing to do');

    // Each service reads a wrong file; then the right one is put back, without a reload.
    const zone = (await expectShell(`ls ${ZONE} /var/lib/bind/*example* 2>/dev/null | head -1`)).trim();
    await expectShell(`
      cp -a ${zone} /tmp/zone; sed -i /^m2/d ${zone}; systemctl reload named; sleep 1.1; cp -a /tmp/zone ${zone}
      cfg=/etc/haproxy/haproxy.cfg; cp -a $cfg /tmp/cfg; sed -i "/server bs /d" $cfg; systemctl reload haproxy; sleep 1.1; cp -a /tmp/cfg $cfg
      touch /etc/dhcp/dhcpd.conf`);
    expect(await listResults('failed')).toEqual([
      'host-service-current ns1 named',
      'host-service-current ns1 dhcpd',
      'host-service-current ns1 haproxy',
    ]);
    expect(await apply()).toContain('systemctl restart named');
    expect(await listResults('failed')).toEqual([]);

    await expectShell('systemctl stop named');
    expect(await listResults('failed')).toEqual(['host-service-runs ns1 named']);
    await apply();
    expect(await listResults('failed')).toEqual([]);
  },
);

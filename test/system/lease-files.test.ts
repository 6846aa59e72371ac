import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatSectionHeader, parseBootProbeOutput } from '../../src/checks/boot/boot-activity.ts';
import { renderProbeScript } from '../../src/steps/shared/machines/service-probe.ts';
import { exampleSite } from '../support/example-design.ts';
import { CLIENT_LINK, runInNamespace, testInNamespace, writeHostFiles } from '../support/namespace.ts';

const CLIENT = join(import.meta.dirname, '../support/dhcp-client.ts');

/** A pool, because dhcpd writes no lease for a fixed address. */
const POOL = `authoritative;
subnet 172.16.0.0 netmask 255.255.255.0 {
  range 172.16.0.21 172.16.0.22;
}
`;

const SERVERS = {
  dhcpd: {
    start:
      'host ns1 bash -c "touch /var/lib/dhcp/dhcpd.leases; exec dhcpd -4 -f -d -cf $FILES/pool.conf -lf $FILES/seen/var/lib/dhcp/dhcpd.leases"',
    prepare: 'mkdir -p "$FILES/seen/var/lib/dhcp"; touch "$FILES/seen/var/lib/dhcp/dhcpd.leases"',
    leases: 'seen/var/lib/dhcp/dhcpd.leases',
  },
  'kea-dhcp4': {
    start:
      'host ns1 bash -c "mount --bind $FILES/seen/var/lib/kea /var/lib/kea; exec kea-dhcp4 -c /etc/kea/kea-dhcp4.conf"',
    prepare: 'mkdir -p "$FILES/seen/var/lib/kea"',
    leases: 'seen/var/lib/kea/kea-leases4.csv',
  },
} as const;

for (const program of ['dhcpd', 'kea-dhcp4'] as const) {
  testInNamespace(program)(
    `the leases that ${program} writes are read as they are, with its log and the neighbour table`,
    async () => {
      const kind = program === 'dhcpd' ? 'isc-dhcpd' : 'kea';
      const design = exampleSite({ services: { ...exampleSite().services, dhcp: { kind, server: 'ns1' } } });
      const mac = design.nodes.find(({ name }) => name === 'm1')?.mac ?? '';
      const files = writeHostFiles(design, { 'pool.conf': POOL });
      const { start, prepare, leases } = SERVERS[program];
      const machine = JSON.stringify([{ mac, architecture: 7, acceptsOffer: true }]);
      const before = Date.now();
      const output = await runInNamespace(
        files,
        `
trap 'cat "$FILES/dhcp.log" >&2' EXIT
${prepare}
${CLIENT_LINK}
${start} >"$FILES/dhcp.log" 2>&1 &
until_true grep -qE 'Sending on +LPF/nodes|DHCP4_STARTED|DHCPSRV_CFGMGR_SOCKET_RAW' "$FILES/dhcp.log"
nsenter -t $client -n '${process.execPath}' '${CLIENT}' '${machine}' >&2
until_true grep -q '${mac}' "$FILES/${leases}"
mkdir -p "$FILES/seen/var/log"; sed 's/^/dhcpd: /' "$FILES/dhcp.log" >"$FILES/seen/var/log/messages"
ip neigh replace 172.16.0.21 lladdr ${mac} dev nodes nud reachable
cat > "$FILES/look.sh" <<'LOOK'
${renderProbeScript(join(files, 'seen'))}
LOOK
sh "$FILES/look.sh"
`,
      );
      const { leases: found, neighbours } = parseBootProbeOutput(output);
      const [first] = found;
      expect(first).toMatchObject({ mac, address: '172.16.0.21' });
      // The time is that of the daemon's clock.
      expect(Math.abs((first?.at ?? 0) - before)).toBeLessThan(120_000);
      // Its log reports the same lease.
      expect(found.filter(({ mac: each }) => each === mac).length).toBeGreaterThan(1);
      expect(neighbours).toContainEqual({ mac, address: '172.16.0.21', isFresh: expect.any(Boolean) });
    },
  );
}

test('a host without any of these files leaves their parts out, and does not fail', () => {
  const output = execFileSync('sh', ['-c', renderProbeScript('/nowhere')], { encoding: 'utf8' });
  expect(output).toContain(formatSectionHeader('neighbours'));
  expect(output).not.toContain(formatSectionHeader('dhcpd'));
  expect(output).not.toContain(formatSectionHeader('kea'));
});

import type { SiteFault } from './fault.ts';
import { WAIT_FOR_ADDRESSES } from './virtual-addresses.ts';

/** Faults whose remedy is followed word for word, and what `hosts` says. */
export const REMEDY_FAULTS: readonly SiteFault[] = [
  {
    id: 'haproxy-stopped',
    kind: 9,
    title: 'HAProxy does not run on lb1',
    async plant(site) {
      await site.change('lb1', 'systemctl stop haproxy', `systemctl start haproxy; ${WAIT_FOR_ADDRESSES}`);
    },
    expects: { pattern: /(?:haproxy|HAProxy).*(?:does not run|is not running|start|stopped)/ },
    symptoms: /^lb-listens/,
  },
  {
    id: 'tftp-stopped',
    kind: 9,
    title: 'The TFTP server does not run on the bastion',
    plant: (site) => site.change('bastion', 'systemctl stop tftpd-hpa', 'systemctl start tftpd-hpa'),
    expects: { pattern: /^(?:tftp-server|host-services?) .*(?:172\.16\.0\.101|bastion|tftpd)/ },
  },
  {
    id: 'own-server-is-first',
    kind: 9,
    title: "The zone lacks api-int, and the cluster's name server is this machine's first already",
    file: /example\.localdomain\.zone/,
    plant: (site) => site.edit('ns1', '/var/lib/bind/example.localdomain.zone', /^api-int\.ocp45\s.*\n/gm, '', 'named'),
    expects: { pattern: /^dns-api-int .*api-int\.ocp45/ },
  },
  {
    id: 'verify-dhcp-stopped',
    kind: 10,
    title: 'dhcpd does not run on ns1, and `hosts verify` must say so',
    plant: (site) => site.change('ns1', 'systemctl stop isc-dhcp-server', 'systemctl start isc-dhcp-server'),
    async ask(site) {
      const { exitCode, all } = await site.wizard('hosts', 'verify', '--host', 'ns1', '--dir', '/tmp/lab/site');
      const result = exitCode === 0 ? 'ok' : 'failed';
      return [
        {
          id: 'hosts-verify',
          title: all,
          subject: 'ns1',
          result,
          severity: 'fatal',
          evidence: null,
          remedy: null,
          command: null,
        },
      ];
    },
    expects: { pattern: /dhcp/i },
  },
];

import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import {
  ago,
  BOOTSTRAP,
  booting,
  bootRequest,
  bootstrapping,
  failedCheck,
  MASTERS,
  machine,
  passedCheck,
} from './base-evidence.ts';
import { leaseLine, withMachine } from './machine-cases.ts';
import type { RuleCase } from './rule-case.ts';

const [M1 = ''] = MASTERS;
const dhcp = (from: string | RegExp, to: string): Evidence => ({
  ...booting,
  files: booting.files.map((file) =>
    file.kind === 'isc-dhcpd' ? { ...file, text: file.text.replace(from, to) } : file,
  ),
});
/**
 * The control plane had its ignition files and its last lease before the files of the DHCP server were put in place.
 */
const correctedLate: Evidence = {
  ...bootstrapping,
  lines: MASTERS.map((name) => leaseLine(name, ago(14))),
  filesInstalledAt: { ns1: ago(11) },
};
const dhcpKea = (nextServer: string): Evidence['files'][number] => {
  const text = (server: string) => JSON.stringify({ Dhcp4: { 'client-classes': [{ 'next-server': server }] } });
  return {
    host: 'ns1',
    kind: 'kea-dhcp4',
    path: '/etc/kea/kea-dhcp4.conf',
    text: text(nextServer),
    plannedText: text('172.16.0.101'),
  };
};
const leasesOnly: Evidence = {
  ...booting,
  checks: [...booting.checks, passedCheck('tftp')],
  machines: booting.machines.map((each) => {
    const isOn = each.role === 'bootstrap' || each.role === 'control-plane';
    return isOn ? machine(each.name, { stage: 'lease', poweredOnAt: ago(14), requestExpectedSince: null }) : each;
  }),
};

export const DHCP_CASES: readonly RuleCase[] = [
  [
    'dhcp-boot-wrong',
    [
      [dhcp('next-server 172.16.0.101', 'next-server 172.16.0.254'), 'certain'],
      [dhcp(/filename "ipxe/g, 'filename "pxelinux'), 'certain'],
      [dhcp(/^ +next-server .*\n/m, ''), 'certain'],
      [{ ...booting, files: [dhcpKea('172.16.0.254')] }, 'certain'],
      [leasesOnly, 'likely'],
    ],
    [
      { ...booting, files: [dhcpKea('172.16.0.101')] },
      { ...leasesOnly, checks: [failedCheck('tftp', 'ipxe.efi')] },
      withMachine(leasesOnly, M1, { stage: 'script', requests: [bootRequest('/boot.ipxe')] }),
      dhcp('default-lease-time 86400', 'default-lease-time 600'),
    ],
  ],
  [
    'tftp-silent',
    [[{ ...leasesOnly, checks: [failedCheck('tftp-server', '172.16.0.101')] }, 'likely']],
    [leasesOnly, { ...booting, checks: [failedCheck('tftp-server', '172.16.0.101')] }],
  ],
  [
    'boot-program-missing',
    [[{ ...leasesOnly, checks: [failedCheck('tftp', 'ipxe.efi')] }, 'likely']],
    [
      leasesOnly,
      { ...booting, checks: [failedCheck('tftp', 'ipxe.efi')] },
      withMachine({ ...leasesOnly, checks: [failedCheck('tftp', 'ipxe.efi')] }, M1, {
        stage: 'script',
        requests: [bootRequest('/boot.ipxe')],
      }),
    ],
  ],
  [
    'dhcp-options-wrong',
    [
      [dhcp(/domain-name-servers .*;/, 'domain-name-servers 8.8.8.8;'), 'certain'],
      [dhcp('host-name "m2.', 'host-name "m7.'), 'certain'],
      [dhcp(/^ +fixed-address 172\.16\.0\.22;\n/m, ''), 'certain'],
      [{ ...booting, checks: [...booting.checks, failedCheck('dhcp-leases', 'm1 00:50:56:96:37:c8')] }, 'certain'],
      [correctedLate, 'likely'],
      // Stuck before the correction, a moment ago.
      [
        {
          ...correctedLate,
          machines: correctedLate.machines.map((each) => ({ ...each, lastRequest: null })),
          lines: MASTERS.map((name) => leaseLine(name, ago(40))),
          filesInstalledAt: { ns1: ago(1) },
        },
        'likely',
      ],
    ],
    [
      dhcp(/^ +option host-name "m2.*\n/m, ''),
      dhcp('max-lease-time 604800', 'max-lease-time 7200'),
      { ...correctedLate, filesInstalledAt: { lb1: ago(11) } },
      // Too early to tell; restarted since; waiting for the bootstrap node.
      { ...correctedLate, filesInstalledAt: { ns1: ago(9) } },
      { ...correctedLate, lines: MASTERS.map((name) => leaseLine(name, ago(10))) },
      { ...correctedLate, ports: correctedLate.ports.filter(({ host }) => host !== BOOTSTRAP) },
    ],
  ],
];

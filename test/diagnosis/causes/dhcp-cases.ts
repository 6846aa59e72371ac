import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { Case } from './case.ts';
import { ago, booting, failing, fetched, MASTERS, machine, right } from './healthy.ts';
import { only } from './machine-cases.ts';

const [M1 = ''] = MASTERS;
const dhcp = (from: string | RegExp, to: string): Evidence => ({
  ...booting,
  files: booting.files.map((file) =>
    file.kind === 'isc-dhcpd' ? { ...file, text: file.text.replace(from, to) } : file,
  ),
});
const dhcpKea = (nextServer: string): Evidence['files'][number] => {
  const text = (server: string) => JSON.stringify({ Dhcp4: { 'client-classes': [{ 'next-server': server }] } });
  return {
    host: 'ns1',
    kind: 'kea-dhcp4',
    path: '/etc/kea/kea-dhcp4.conf',
    text: text(nextServer),
    planned: text('172.16.0.101'),
  };
};
const allLeased: Evidence = {
  ...booting,
  checks: [...booting.checks, right('tftp')],
  machines: booting.machines.map((each) => {
    const isOn = each.role === 'bootstrap' || each.role === 'control-plane';
    return isOn ? machine(each.name, { stage: 'lease', poweredOnAt: ago(14), awaitedSince: null }) : each;
  }),
};

export const DHCP_CASES: readonly Case[] = [
  [
    'dhcp-boot-wrong',
    [
      [dhcp('next-server 172.16.0.101', 'next-server 172.16.0.254'), 'certain'],
      [dhcp(/filename "ipxe/g, 'filename "pxelinux'), 'certain'],
      [dhcp(/^ +next-server .*\n/m, ''), 'certain'],
      [{ ...booting, files: [dhcpKea('172.16.0.254')] }, 'certain'],
      [allLeased, 'likely'],
    ],
    [
      { ...booting, files: [dhcpKea('172.16.0.101')] },
      { ...allLeased, checks: [failing('tftp', 'ipxe.efi')] },
      only(allLeased, M1, { stage: 'script', requests: [fetched('/boot.ipxe')] }),
      dhcp('default-lease-time 86400', 'default-lease-time 600'),
    ],
  ],
  [
    'tftp-silent',
    [[{ ...allLeased, checks: [failing('tftp-server', '172.16.0.101')] }, 'likely']],
    [allLeased, { ...booting, checks: [failing('tftp-server', '172.16.0.101')] }],
  ],
  [
    'boot-program-missing',
    [[{ ...allLeased, checks: [failing('tftp', 'ipxe.efi')] }, 'likely']],
    [
      allLeased,
      { ...booting, checks: [failing('tftp', 'ipxe.efi')] },
      only({ ...allLeased, checks: [failing('tftp', 'ipxe.efi')] }, M1, {
        stage: 'script',
        requests: [fetched('/boot.ipxe')],
      }),
    ],
  ],
  [
    'dhcp-options-wrong',
    [
      [dhcp(/domain-name-servers .*;/, 'domain-name-servers 8.8.8.8;'), 'certain'],
      [dhcp('host-name "m2.', 'host-name "m7.'), 'certain'],
      [dhcp(/^ +fixed-address 172\.16\.0\.22;\n/m, ''), 'certain'],
      [{ ...booting, checks: [...booting.checks, failing('dhcp-leases', 'm1 00:50:56:96:37:c8')] }, 'certain'],
    ],
    [dhcp(/^ +option host-name "m2.*\n/m, ''), dhcp('max-lease-time 604800', 'max-lease-time 7200')],
  ],
];

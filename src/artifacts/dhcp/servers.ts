import template from '../../../templates/dhcpd.conf.eta';
import { findDhcpHost } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { getOsProfile } from '../hosts/os.ts';
import type { FileGenerator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { type DhcpBoot, type DhcpNode, type DhcpSettings, type DhcpSubnet, deriveDhcpSettings } from './settings.ts';

const DHCPD_PATH = '/etc/dhcp/dhcpd.conf';

/** dhcpd.conf of ISC dhcpd. */
export const dhcpd: FileGenerator<'isc-dhcpd'> = {
  kind: 'isc-dhcpd',
  host: 'dhcp',
  paths: [DHCPD_PATH],
  getRequirements: (profile) => profile.dhcpd,
  files({ design }) {
    const host = findDhcpHost(design);
    if (!host || design.services.dhcp.kind !== 'isc-dhcpd') return [];
    return [
      {
        host,
        path: DHCPD_PATH,
        content: renderTemplate(template, buildDhcpdValues(design)),
        check: ['dhcpd', '-t', '-cf', DHCPD_PATH],
        reload: ['systemctl', 'restart', getOsProfile(host.os).dhcpd.unit],
      },
    ];
  },
};

/**
 * Builds the template values; nodes with Secure Boot are listed separately, because they start signed programs only.
 */
function buildDhcpdValues(design: Design) {
  const settings = deriveDhcpSettings(design);
  const nodes = settings.subnets.flatMap((subnet) => subnet.nodes);
  const usesSecureBoot = ({ secureBoot }: DhcpNode) => secureBoot && settings.boot !== null;
  return {
    ...settings,
    nodes: nodes.filter((node) => !usesSecureBoot(node)),
    secureNodes: nodes.filter(usesSecureBoot),
  };
}

const KEA_PATH = '/etc/kea/kea-dhcp4.conf';

/**
 * Makes iPXE not wait for a proxy DHCP server: its option 176, `no-pxedhcp`, encapsulated in 175
 * (ipxe.org/howto/dhcpd).
 */
const NO_PXEDHCP_OPTION = { code: 175, 'csv-format': false, data: 'b00101' } as const;

/** kea-dhcp4.conf: Kea replaces ISC dhcpd on RHEL 10. */
export const kea: FileGenerator<'kea-dhcp4'> = {
  kind: 'kea-dhcp4',
  host: 'dhcp',
  paths: [KEA_PATH],
  getRequirements: (profile) => profile.kea,
  files({ design }) {
    const host = findDhcpHost(design);
    if (!host || design.services.dhcp.kind !== 'kea') return [];
    return [
      {
        host,
        path: KEA_PATH,
        content: `${JSON.stringify(buildKeaConfig(deriveDhcpSettings(design)), null, 2)}\n`,
        check: ['kea-dhcp4', '-t', KEA_PATH],
        reload: ['systemctl', 'restart', getOsProfile(host.os).kea.unit],
      },
    ];
  },
};

function buildKeaConfig(settings: DhcpSettings) {
  return {
    Dhcp4: {
      'interfaces-config': { interfaces: ['*'] },
      'lease-database': { type: 'memfile', persist: true },
      authoritative: true,
      'valid-lifetime': 86_400,
      'host-reservation-identifiers': ['hw-address'],
      // Firmware, iPXE and RHCOS of one machine send different client identifiers. Matching by MAC gives the machine
      // the same lease for all three.
      'match-client-id': false,
      ...(settings.boot ? { 'client-classes': buildClientClasses(settings.boot) } : {}),
      // No pools: only machines with a reservation get an address.
      subnet4: settings.subnets.map((subnet, index) => buildSubnet(settings, subnet, index + 1)),
    },
  };
}

/** The client class of reservations for nodes with Secure Boot. */
const SECURE_BOOT_CLASS = 'secure-boot';

/**
 * Firmware gets iPXE, or shim under Secure Boot; iPXE itself gets its script by HTTP. Of the classes that a machine is
 * in, the first with a boot file decides. Tests for KNOWN are evaluated once the reservation is found.
 */
function buildClientClasses({ server, script, firmware }: DhcpBoot) {
  const ipxeTest = "option[175].exists or substring(option[77].hex,0,4) == 'iPXE'";
  const nextServer = { 'next-server': server };
  const classes = firmware.flatMap(({ codes, isHttp, program, signedProgram }) => {
    const name = `firmware-${codes.join('-').replaceAll(':', '')}`;
    const firmwareTest = codes.map((code) => `option[93].hex == 0x${code.replaceAll(':', '')}`).join(' or ');
    const test = `not member('ipxe') and (${firmwareTest}) and member('KNOWN')`;
    // Firmware that boots over HTTP accepts only offers with this vendor class (UEFI specification 24.7.3.1).
    const vendorOption = { name: 'vendor-class-identifier', data: 'HTTPClient', 'always-send': true };
    const commonFields = { ...nextServer, ...(isHttp ? { 'option-data': [vendorOption] } : {}) };
    const ipxeClass = {
      name,
      test: `${test} and not member('${SECURE_BOOT_CLASS}')`,
      ...commonFields,
      'boot-file-name': program,
    };
    const secureBootClass = {
      name: `${name}-${SECURE_BOOT_CLASS}`,
      test: `${test} and member('${SECURE_BOOT_CLASS}')`,
      ...commonFields,
    };
    return signedProgram === null ? [ipxeClass] : [ipxeClass, { ...secureBootClass, 'boot-file-name': signedProgram }];
  });
  const ipxe = {
    name: 'ipxe',
    test: ipxeTest,
    ...nextServer,
    'boot-file-name': script,
    'option-data': [NO_PXEDHCP_OPTION],
  };
  return [ipxe, { name: SECURE_BOOT_CLASS }, ...classes];
}

function buildSubnet(settings: DhcpSettings, { cidr, gateway, nodes }: DhcpSubnet, id: number) {
  const options = [
    ['routers', gateway ?? ''],
    ['domain-name', settings.clusterDomain],
    ['domain-search', settings.clusterDomain],
    ['domain-name-servers', settings.nameServers.join(', ')],
    ['ntp-servers', settings.timeServers.join(', ')],
  ] as const;
  return {
    id,
    subnet: cidr,
    'option-data': options.filter(([, data]) => data !== '').map(([name, data]) => ({ name, data })),
    reservations: nodes.map(({ mac, address, fqdn, secureBoot }) => ({
      'hw-address': mac,
      'ip-address': address,
      hostname: fqdn,
      'option-data': [{ name: 'host-name', data: fqdn, 'always-send': true }],
      ...(secureBoot && settings.boot ? { 'client-classes': [SECURE_BOOT_CLASS] } : {}),
    })),
  };
}

import template from '../../templates/install.sh.eta';
import type { Design, ServiceHost } from '../design/model.ts';
import { serviceHostFqdn, serviceHosts } from '../design/names.ts';
import { unique } from './addresses.ts';
import { BIOS_BOOT_FILE, UEFI_BOOT_FILE } from './dhcp-plan.ts';
import type { Draft } from './draft.ts';
import type { FileKind } from './files.ts';
import { osFacts } from './host-os.ts';
import { WORK_DIR } from './layout.ts';
import { render } from './render.ts';

/** What a host serves: what to install, to start and to open for it. */
interface Role {
  readonly packages: readonly string[];
  readonly unit: string | null;
  /** As firewall-cmd takes it after `--add-`. */
  readonly firewall: readonly string[];
}

/**
 * `install.sh` for every service host: it lies two directories below the copy of the host's files, and puts them in place.
 * @param drafts all other files, of all hosts
 */
export function hostScripts(design: Design, drafts: readonly Draft[]): Draft[] {
  return serviceHosts(design).map((host) => {
    const own = drafts.filter((draft) => draft.host?.name === host.name);
    return {
      host,
      path: `${WORK_DIR}/install.sh`,
      kind: 'host-script',
      mode: '0755',
      content: render(template, scriptData(design, host, own)),
    };
  });
}

function scriptData(design: Design, host: ServiceHost, own: readonly Draft[]) {
  const { tftp } = osFacts(host.os);
  const kinds = new Set(own.map(({ kind }) => kind));
  const servesTftp = isTftpServer(design, host);
  const roles = [...kinds].flatMap((kind) => roleOf(design, host, kind) ?? []);
  if (servesTftp) roles.push({ packages: tftp.packages, unit: tftp.unit, firewall: ['service=tftp'] });
  return {
    fqdn: serviceHostFqdn(design, host),
    isDebian: host.os === 'debian',
    packages: unique(roles.flatMap(({ packages }) => packages)),
    units: unique(roles.flatMap(({ unit }) => (unit === null ? [] : [unit]))),
    firewall: unique(roles.flatMap(({ firewall }) => firewall)),
    files: own.map(({ path, mode = '0644' }) => ({ path, mode })),
    checks: uniqueCommands(own.map(({ check }) => check)),
    reloads: uniqueCommands(own.map(({ reload }) => reload)),
    isBalancer: kinds.has('haproxy'),
    keepalived: kinds.has('keepalived') ? { address: host.ip[0] ?? '' } : null,
    tftp: servesTftp ? { ...tftp, biosName: BIOS_BOOT_FILE, uefiName: UEFI_BOOT_FILE } : null,
  };
}

function isTftpServer(design: Design, host: ServiceHost): boolean {
  const { boot, dhcp, bastion } = design.services;
  return host.name === bastion.name && boot.kind === 'ipxe' && dhcp.kind !== 'none';
}

function roleOf(design: Design, host: ServiceHost, kind: FileKind): Role | null {
  const facts = osFacts(host.os);
  switch (kind) {
    case 'bind-conf':
      return { ...facts.named, firewall: ['port=53/udp', 'port=53/tcp'] };
    case 'isc-dhcpd':
      return { ...facts.dhcpd, firewall: ['port=67/udp'] };
    case 'kea-dhcp4':
      return { ...facts.kea, firewall: ['port=67/udp'] };
    case 'haproxy': {
      const ports = [6443, 22623, 443, 80];
      return { ...facts.haproxy, unit: 'haproxy', firewall: ports.map((port) => `port=${port}/tcp`) };
    }
    case 'keepalived':
      return { packages: ['keepalived'], unit: 'keepalived', firewall: ['protocol=vrrp'] };
    case 'ipxe':
      return { packages: [], unit: null, firewall: [`port=${design.services.boot.httpPort}/tcp`] };
    default:
      return null;
  }
}

function uniqueCommands(commands: readonly (readonly string[] | undefined)[]): (readonly string[])[] {
  const given = commands.flatMap((command) => (command ? [command] : []));
  return [...new Map(given.map((command) => [command.join('\0'), command])).values()];
}

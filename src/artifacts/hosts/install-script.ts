import template from '../../../templates/install.sh.eta';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHostFqdn, serviceHosts } from '../../design/names.ts';
import { bootCopies, bootProgramPackages } from '../boot/programs.ts';
import { INTERFACE_PATH } from '../load-balancer/keepalived.ts';
import { unique } from '../network/addresses.ts';
import { isTftpServer } from '../network/openings.ts';
import type { Draft } from '../shared/draft.ts';
import type { FileKind } from '../shared/files.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { osFacts } from './os.ts';
import { runsChrony } from './time.ts';

const PATH = `${WORK_DIR}/install.sh`;

/** What a kind of file needs on its host: packages to install, and the service that reads it. */
interface Role {
  readonly packages: readonly string[];
  readonly unit: string | null;
}

/** A command to be run when any of these files changed. */
interface Reload {
  readonly command: readonly string[];
  readonly paths: readonly string[];
}

/**
 * `install.sh` for every service host: it lies two directories below the copy of the host's files, and puts them in place.
 * @param drafts all other files, of all hosts
 */
export function hostScripts(design: Design, drafts: readonly Draft[]): Draft[] {
  return serviceHosts(design).map((host) => {
    const own = drafts.filter((draft) => draft.host?.name === host.name);
    const content = render(template, scriptData(design, host, own));
    return { host, path: PATH, kind: 'host-script', mode: '0755', content };
  });
}

function scriptData(design: Design, host: ServiceHost, own: readonly Draft[]) {
  const { tftp } = osFacts(host.os);
  const kinds = new Set(own.map(({ kind }) => kind));
  const servesTftp = isTftpServer(design, host);
  const roles = [...kinds].flatMap((kind) => roleOf(design, host, kind) ?? []);
  if (servesTftp) roles.push({ ...tftp, packages: [...tftp.packages, ...bootProgramPackages(design)] });
  return {
    fqdn: serviceHostFqdn(design, host),
    isDebian: host.os === 'debian',
    packages: unique(roles.flatMap(({ packages }) => packages)),
    units: unique(roles.flatMap(({ unit }) => (unit === null ? [] : [unit]))),
    files: [...own.map(({ path, mode = '0644' }) => ({ path, mode })), { path: PATH, mode: '0755' }],
    copies: servesTftp ? bootCopies(design) : [],
    checks: uniqueCommands(own.flatMap(({ check }) => (check ? [check] : []))),
    reloads: reloadsOf(own),
    beside: own.filter(({ kind }) => kind === 'selinux' || kind === 'firewall').map(({ path }) => path),
    keepalived: kinds.has('keepalived') ? { address: host.ip[0] ?? '', interfacePath: INTERFACE_PATH } : null,
  };
}

/** What a host does because a file of this kind lies there; null where the file asks for no program of its own. */
function roleOf(design: Design, host: ServiceHost, kind: FileKind): Role | null {
  const facts = osFacts(host.os);
  switch (kind) {
    case 'bind-conf':
      return facts.named;
    case 'isc-dhcpd':
      return facts.dhcpd;
    case 'kea-dhcp4':
      return facts.kea;
    case 'haproxy':
      return { ...facts.haproxy, unit: 'haproxy' };
    case 'chrony':
      return runsChrony(design, host) ? facts.chrony : null;
    case 'keepalived':
      return { packages: ['keepalived'], unit: 'keepalived' };
    case 'selinux':
      // semanage
      return { packages: ['policycoreutils-python-utils'], unit: null };
    case 'bind-zone':
    case 'dns-nsupdate':
    case 'dns-records':
    case 'ipxe':
    case 'grub':
    case 'tftp':
    case 'nginx':
    case 'coreos-installer':
    case 'install-config':
    case 'chrony-machineconfig':
    case 'firewall':
    case 'host-script':
    case 'env':
    case 'infra-manifest':
    case 'network-notes':
      return null;
  }
}

function uniqueCommands(commands: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(commands.map((command) => [command.join(' '), command])).values()];
}

function reloadsOf(own: readonly Draft[]): Reload[] {
  const commands = uniqueCommands(own.flatMap(({ reload }) => (reload ? [reload] : [])));
  return commands.map((command) => ({
    command,
    paths: own.filter(({ reload }) => reload?.join(' ') === command.join(' ')).map(({ path }) => path),
  }));
}

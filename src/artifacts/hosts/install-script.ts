import hostRunTemplate from '../../../templates/host-run.sh.eta';
import installTemplate from '../../../templates/install.sh.eta';
import loadedAtTemplate from '../../../templates/loaded-at.sh.eta';
import { getServiceHostFqdn, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { listBootFileCopies, listBootProgramPackages } from '../boot/programs.ts';
import { INTERFACE_PATH, keepalived } from '../load-balancer.ts';
import { removeDuplicates } from '../network/addresses.ts';
import { firewall, isTftpServer } from '../network/firewall.ts';
import { type FileDraft, type FileGenerator, type FileKindDefinition, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { getOsProfile } from './os.ts';
import { selinux } from './selinux.ts';

const PATH = `${WORK_DIR}/install.sh`;

/** The file kind of `install.sh`, which is generated last, from all other files. */
export const installScript: FileKindDefinition<'host-script'> = { kind: 'host-script', host: 'every', paths: [PATH] };

/** A draft with the generator that created it. */
type GeneratedDraft = FileDraft & { readonly generator: FileGenerator };

/** A command to be run when any of these files changed. */
export interface Reload {
  readonly command: readonly string[];
  readonly paths: readonly string[];
}

/**
 * Renders `install.sh` for every service host. The script is two directories below the copy of the host's files, which
 * it installs.
 * @param drafts all other files, of all hosts
 */
export function renderInstallScripts(design: Design, drafts: readonly GeneratedDraft[]): FileDraft[] {
  return deriveHostSetups(design, drafts).map(({ host, ...setup }) => {
    const reloads = setup.reloads.map((reload) => ({ ...reload, service: getReloadedService(reload) }));
    const hasServices = reloads.some(({ service }) => service !== null);
    const text = renderTemplate(installTemplate, { ...setup, reloads, hasServices, isDebian: host.os === 'debian' });
    // Inserts the function after rendering: a placeholder must not hold shell code (render.ts).
    const content = text.replace('@loaded_at@', renderLoadedAtFunction);
    return { host, path: PATH, mode: '0755', content };
  });
}

/**
 * Renders the shell function `loaded_at`, which prints when a running program last read a file. It needs a POSIX shell
 * that has `local`.
 */
export function renderLoadedAtFunction(): string {
  return renderTemplate(loadedAtTemplate, {}).trimEnd();
}

/** Names of the processes of units, as in /proc/PID/comm. */
const PROCESS_NAMES: Readonly<Partial<Record<string, string>>> = {
  named: 'named',
  haproxy: 'haproxy',
  keepalived: 'keepalived',
  nginx: 'nginx',
  dhcpd: 'dhcpd',
  'isc-dhcp-server': 'dhcpd',
  'kea-dhcp4': 'kea-dhcp4',
  'kea-dhcp4-server': 'kea-dhcp4',
};

/** A unit whose configuration files are generated, and the name of its processes. */
export interface ReloadedService {
  readonly unit: string;
  readonly process: string;
  /** Makes it load every file again: a reload of named skips the files that are older than its last reload. */
  readonly rereadCommand: readonly string[];
}

/**
 * Returns the service that a command reloads or restarts; null if there is none, or the name of its processes is
 * unknown.
 */
export function getReloadedService({ command }: Pick<Reload, 'command'>): ReloadedService | null {
  const unit = command[0] === 'systemctl' ? (command.at(-1) ?? '') : '';
  const processName = PROCESS_NAMES[unit];
  if (processName === undefined) return null;
  return {
    unit,
    process: processName,
    rereadCommand: processName === 'named' ? ['systemctl', 'restart', unit] : command,
  };
}

/** The data from which `install.sh` and the Ansible project of a service host are generated. */
export interface HostSetup {
  readonly host: ServiceHost;
  readonly fqdn: string;
  readonly packages: readonly string[];
  readonly units: readonly string[];
  readonly files: readonly { readonly path: string; readonly mode: string }[];
  /** Boot programs, copied from the paths of their packages. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  readonly checks: readonly (readonly string[])[];
  readonly reloads: readonly Reload[];
  /** Scripts for the firewall and SELinux: `--plan` prints what they would set. */
  readonly securityScripts: readonly string[];
  /** The file that names the interface with `address`, for keepalived; null without keepalived. */
  readonly keepalived: { readonly address: string; readonly interfacePath: string } | null;
}

/**
 * Derives the setup of each service host.
 * @param drafts all files but `install.sh`, of all hosts
 */
export function deriveHostSetups(design: Design, drafts: readonly GeneratedDraft[]): HostSetup[] {
  return listServiceHosts(design).map((host) =>
    deriveSetup(
      design,
      host,
      drafts.filter((draft) => draft.host?.name === host.name),
    ),
  );
}

function deriveSetup(design: Design, host: ServiceHost, hostDrafts: readonly GeneratedDraft[]): HostSetup {
  const profile = getOsProfile(host.os);
  const generators = new Set(hostDrafts.map(({ generator }) => generator));
  const servesTftp = isTftpServer(design, host);
  const requirements = [...generators].flatMap(({ getRequirements }) => getRequirements?.(profile, design, host) ?? []);
  if (servesTftp)
    requirements.push({ ...profile.tftp, packages: [...profile.tftp.packages, ...listBootProgramPackages(design)] });
  return {
    host,
    fqdn: getServiceHostFqdn(design, host),
    packages: removeDuplicates(requirements.flatMap(({ packages }) => packages)),
    units: removeDuplicates(requirements.flatMap(({ unit }) => (unit === null ? [] : [unit]))),
    files: [...hostDrafts.map(({ path, mode = '0644' }) => ({ path, mode })), { path: PATH, mode: '0755' }],
    copies: servesTftp ? listBootFileCopies(design) : [],
    checks: removeDuplicateCommands(hostDrafts.flatMap(({ check }) => (check ? [check] : []))),
    reloads: collectReloads(hostDrafts),
    securityScripts: hostDrafts
      .filter(({ generator }) => generator === selinux || generator === firewall)
      .map(({ path }) => path),
    keepalived: generators.has(keepalived) ? { address: host.ip[0], interfacePath: INTERFACE_PATH } : null,
  };
}

function removeDuplicateCommands(commands: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(commands.map((command) => [command.join(' '), command])).values()];
}

function collectReloads(hostDrafts: readonly FileDraft[]): Reload[] {
  const commands = removeDuplicateCommands(hostDrafts.flatMap(({ reload }) => (reload ? [reload] : [])));
  return commands.map((command) => ({
    command,
    paths: hostDrafts.filter(({ reload }) => reload?.join(' ') === command.join(' ')).map(({ path }) => path),
  }));
}

/**
 * Renders the script that runs a host's `install.sh` so that it survives the loss of the connection. The script is sent
 * as `host-run.sh` together with the files, which are below `files/` in the same directory.
 */
export function renderRunnerScript(): string {
  const scripts = WORK_DIR.replace(/^\//, '');
  return renderTemplate(hostRunTemplate, { scripts, script: `${scripts}/install.sh` });
}

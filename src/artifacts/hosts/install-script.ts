import template from '../../../templates/install.sh.eta';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHostFqdn, serviceHosts } from '../../design/names.ts';
import { bootCopies, bootProgramPackages } from '../boot/programs.ts';
import { INTERFACE_PATH, keepalived } from '../load-balancer/keepalived.ts';
import { unique } from '../network/addresses.ts';
import { firewall } from '../network/firewall.ts';
import { isTftpServer } from '../network/openings.ts';
import type { Draft, FileKindFacts, Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { osFacts } from './os.ts';
import { selinux } from './selinux.ts';

const PATH = `${WORK_DIR}/install.sh`;

/** Where `install.sh` goes. It is made last, from all other files. */
export const hostScript: FileKindFacts<'host-script'> = { kind: 'host-script', host: 'every', paths: [PATH] };

/** A draft, and what made it. */
export type MadeDraft = Draft & { readonly by: Generator };

/** A command to be run when any of these files changed. */
export interface Reload {
  readonly command: readonly string[];
  readonly paths: readonly string[];
}

/**
 * `install.sh` for every service host: it lies two directories below the copy of the host's files, and puts them in place.
 * @param drafts all other files, of all hosts
 */
export function hostScripts(design: Design, drafts: readonly MadeDraft[]): Draft[] {
  return hostSetups(design, drafts).map(({ host, ...data }) => {
    const content = render(template, { ...data, isDebian: host.os === 'debian' });
    return { host, path: PATH, mode: '0755', content };
  });
}

/** What setting up a host takes, in the order of its fields. */
export interface HostSetup {
  readonly host: ServiceHost;
  readonly fqdn: string;
  readonly packages: readonly string[];
  readonly units: readonly string[];
  readonly files: readonly { readonly path: string; readonly mode: string }[];
  /** Boot programs, from where their packages put them. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  readonly checks: readonly (readonly string[])[];
  readonly reloads: readonly Reload[];
  /** Scripts for the firewall and SELinux: `--plan` says what they would set. */
  readonly beside: readonly string[];
  /** keepalived needs the interface of this address, by name, in this file; null without keepalived. */
  readonly keepalived: { readonly address: string; readonly interfacePath: string } | null;
}

/** What setting up each service host takes. @param drafts all files but `install.sh`, of all hosts */
export function hostSetups(design: Design, drafts: readonly MadeDraft[]): HostSetup[] {
  return serviceHosts(design).map((host) =>
    setupOf(
      design,
      host,
      drafts.filter((draft) => draft.host?.name === host.name),
    ),
  );
}

function setupOf(design: Design, host: ServiceHost, own: readonly MadeDraft[]): HostSetup {
  const facts = osFacts(host.os);
  const makers = new Set(own.map(({ by }) => by));
  const servesTftp = isTftpServer(design, host);
  const roles = [...makers].flatMap(({ role }) => role?.(facts, design, host) ?? []);
  if (servesTftp) roles.push({ ...facts.tftp, packages: [...facts.tftp.packages, ...bootProgramPackages(design)] });
  return {
    host,
    fqdn: serviceHostFqdn(design, host),
    packages: unique(roles.flatMap(({ packages }) => packages)),
    units: unique(roles.flatMap(({ unit }) => (unit === null ? [] : [unit]))),
    files: [...own.map(({ path, mode = '0644' }) => ({ path, mode })), { path: PATH, mode: '0755' }],
    copies: servesTftp ? bootCopies(design) : [],
    checks: uniqueCommands(own.flatMap(({ check }) => (check ? [check] : []))),
    reloads: reloadsOf(own),
    beside: own.filter(({ by }) => by === selinux || by === firewall).map(({ path }) => path),
    keepalived: makers.has(keepalived) ? { address: host.ip[0], interfacePath: INTERFACE_PATH } : null,
  };
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

import { join } from 'node:path';
import { WORK_DIR } from '../../artifacts/shared/generator.ts';
import { getNodeFqdn, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { listHostsOfCommand, simulateInstallation } from '../causes/locations.ts';
import type { Finding } from '../check.ts';
import { formatHostCommand } from '../site/site.ts';
import type { Evidence } from './evidence.ts';
import type { Diagnosis } from './index.ts';

/** Programs whose commands are about the machine that they run on. */
const HOST_PROGRAM = /^(?:journalctl|systemctl|rndc|named-checkconf|setsebool|ss|ls) /;

/** The hosts of the design, and how they are reached from here. */
type HostAccess = Pick<Evidence, 'localAddresses' | 'simulatedDir'> & { readonly design: Design };
type Texts = Pick<Diagnosis, 'remedy' | 'confirmCommand' | 'subjects' | 'evidence'>;

/**
 * Adds to each command about a service the host that it runs on: those that the diagnosis names, else all that run the
 * service. Nothing is added for this machine, and for a service that runs on no host of the design. A remedy that puts
 * files in place gets the command that does it on the hosts that the diagnosis names.
 * @param hasChangedFile a file there differs from the generated one: the command comes first
 */
export function addHostsToCommands<T extends Texts>(
  { design, localAddresses = new Set() }: HostAccess,
  diagnosis: T,
  hasChangedFile = false,
): T {
  const runOn = (host: ServiceHost, command: string) =>
    formatHostCommand({ localAddresses }, host, command, quoteForSsh(command));
  const addHosts = (command: string): readonly string[] => {
    const [, name, hostCommand] = /^ssh ([\w.-]+) (?![-'"])(.+)$/s.exec(command) ?? [];
    if (hostCommand !== undefined) {
      const host = listServiceHosts(design).find((candidate) => candidate.name === name);
      return [host === undefined ? `ssh ${name} ${quoteForSsh(hostCommand)}` : runOn(host, hostCommand)];
    }
    const hosts = HOST_PROGRAM.test(command) ? selectNamedHosts(listHostsOfCommand(design, command), diagnosis) : [];
    const rootCommand = command.replaceAll(/(?<=^|; )/g, 'sudo ');
    return hosts.length === 0 ? [command] : hosts.map((host) => runOn(host, rootCommand));
  };
  const remedy = diagnosis.remedy.replaceAll(/`([^`]+)`/g, (_, command: string) =>
    addHosts(command)
      .map((hostCommand) => `\`${hostCommand}\``)
      .join(' '),
  );
  const hosts = listNamedHosts(listServiceHosts(design), diagnosis).map(({ name }) => name);
  const needsFiles = /\bHosts step\b/.test(remedy) && !remedy.includes('`ssh ') && hosts.length > 0;
  const { installAgain } = catalogue().diagnosis.site.details;
  const installation = needsFiles ? installAgain(hosts, `${WORK_DIR}/install.sh`) : '';
  return {
    ...diagnosis,
    remedy: (hasChangedFile ? [installation, remedy] : [remedy, installation]).join(' ').trim(),
    confirmCommand: addHosts(diagnosis.confirmCommand)[0] ?? diagnosis.confirmCommand,
  };
}

/**
 * In a rehearsal, replaces the commands on service hosts and nodes, which have no shell there. Those on service hosts
 * become commands that set them up or verify them; those on nodes show the journal of the simulated machine.
 */
export function simulateHostCommands<T extends Texts>({ design, simulatedDir = null }: HostAccess, diagnosis: T): T {
  if (simulatedDir === null) return diagnosis;
  const replaceCommands = (commands: string, format: (command: string) => string) => {
    const targets = [...commands.matchAll(/\bssh (?:-t )?(\S+) /g)].map(([, target]) => target);
    const hosts = listServiceHosts(design).filter(({ name, ip }) =>
      [name, ...ip].some((word) => targets.includes(word)),
    );
    const action = /\brndc |\bsetsebool |\bre(?:load|start) /.test(commands) ? 'apply' : 'verify';
    // Files and services can be verified; the path between two machines cannot.
    return hosts.length === 0 || commands.includes(' ping ')
      ? commands
      : format(
          formatCommandLine('hosts', action, ...hosts.flatMap(({ name }) => ['--host', name]), '--dir', simulatedDir),
        );
  };
  // A remedy that names the install script and no host is about the bastion.
  const namedHosts = listNamedHosts(listServiceHosts(design), diagnosis);
  const hosts = namedHosts.length > 0 ? namedHosts : [design.services.bastion];
  const names = hosts.map(({ name }) => name);
  const simulate = (command: string) => simulateNodeCommand(design, simulatedDir, command);
  const remedy = simulateInstallation(diagnosis.remedy, names, simulatedDir).replaceAll(
    /`[^`]+`(?:,? `[^`]+`)*/g,
    (commands) => {
      const oldCommands = [...commands.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);
      const newCommands = oldCommands.map(simulate);
      if (newCommands.every((command, index) => command === oldCommands[index])) return commands;
      return [...new Set(newCommands)].map((command) => `\`${command}\``).join(' ');
    },
  );
  return {
    ...diagnosis,
    remedy: remedy.replaceAll(/`ssh [^`]+`(?: `ssh [^`]+`)*/g, (commands) =>
      replaceCommands(commands, (command) => `\`${command}\``),
    ),
    confirmCommand: replaceCommands(simulate(diagnosis.confirmCommand), (command) => command),
  };
}

/** Returns the command of a rehearsal in place of one that logs in to a node, or sends it large packets. */
function simulateNodeCommand(design: Design, dir: string, command: string): string {
  if (/\bping (?:-c \d+ )?-M /.test(command)) return formatCommandLine('check', '--only', 'packet-size', '--dir', dir);
  const [, target = ''] = /^ssh (?:-t )?core@(\S+) ./s.exec(command) ?? [];
  const node = design.nodes.find((candidate) =>
    [candidate.name, getNodeFqdn(design, candidate), ...candidate.ip].includes(target),
  );
  return node === undefined
    ? command
    : `tail -n 50 ${quoteShellArg(join(dir, '.upi-wizard/site/journals', `${node.name}.log`))}`;
}

/**
 * Names in the remedy of a failed service the hosts that its commands run on, and in a rehearsal the command that sets
 * them up.
 * @param server address of the host, or of an endpoint
 */
export function addHostsToServiceRemedy(access: HostAccess, finding: Finding, server: string): Finding {
  const texts = { ...finding, confirmCommand: '', subjects: [server], evidence: [] };
  const { simulatedDir = null } = access;
  const hosts = selectNamedHosts(listHostsOfCommand(access.design, finding.remedy), texts).map(({ name }) => name);
  const remedy = simulatedDir === null ? finding.remedy : simulateInstallation(finding.remedy, hosts, simulatedDir);
  return { ...finding, remedy: simulateHostCommands(access, addHostsToCommands(access, { ...texts, remedy })).remedy };
}

/** In a rehearsal, replaces the commands of a finding that would run on a service host or a node. */
export function simulateFindingCommands(access: HostAccess, finding: Finding): Finding {
  const { command, remedy } = finding;
  const texts = { remedy, confirmCommand: command ?? '', subjects: [], evidence: [] };
  const simulated = simulateHostCommands(access, texts);
  return {
    ...finding,
    remedy: simulated.remedy,
    ...(command === undefined ? {} : { command: simulated.confirmCommand }),
  };
}

/** Lists the hosts that the texts name, by name or address. */
function listNamedHosts(hosts: readonly ServiceHost[], { subjects, evidence }: Texts): readonly ServiceHost[] {
  const words = new Set([...subjects, ...evidence].flatMap((text) => text.split(/[\s@,;]+/)).map(trimColon));
  return hosts.filter(({ name, ip }) => words.has(name) || ip.some((address) => words.has(address)));
}

function selectNamedHosts(hosts: readonly ServiceHost[], texts: Texts): readonly ServiceHost[] {
  const namedHosts = listNamedHosts(hosts, texts);
  return namedHosts.length > 0 ? namedHosts : hosts;
}

const trimColon = (word: string) => word.replace(/:$/, '');

/** Quotes a command for the shell on the other host, if that shell would read it differently. */
function quoteForSsh(command: string): string {
  if (/^[\w@%+=:,./ -]+$/.test(command)) return command;
  return /["$`\\!]/.test(command) ? quoteShellArg(command) : `"${command}"`;
}

import { stringify } from 'yaml';
import answersDefaults from '../../templates/ansible/answers-defaults.yml.eta';
import answersTasks from '../../templates/ansible/answers-tasks.yml.eta';
import hostDefaults from '../../templates/ansible/host-defaults.yml.eta';
import hostFiles from '../../templates/ansible/host-files.yml.eta';
import hostTasks from '../../templates/ansible/host-tasks.yml.eta';
import site from '../../templates/ansible/site.yml.eta';
import type { Design, ServiceHost } from '../design/model.ts';
import { listAddressRecords, listPointerRecords } from './dns/records.ts';
import type { HostSetup, Reload } from './hosts/install-script.ts';
import { removeDuplicates } from './network/addresses.ts';
import { renderTemplate } from './shared/render.ts';

/**
 * Builds the variables of the role `service_answers`. They are the DNS records that a name server must answer, and the
 * addresses and ports on which a load balancer must listen.
 */
function buildServiceAnswerVars(design: Design, host: ServiceHost) {
  const { dns, loadBalancer } = design.services;
  const includesHost = (servers: readonly ServiceHost[]) => servers.some(({ name }) => name === host.name);
  return {
    service_answers_address: host.ip[0],
    service_answers_names: includesHost(dns.servers) ? listExpectedRecords(design) : [],
    service_answers_listens: includesHost(loadBalancer.servers) ? listExpectedPorts(design) : [],
  };
}

interface ExpectedRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'PTR';
  readonly answers: readonly string[];
}

/** Lists every record of the zones with all its expected answers; a wildcard is tested by a name that it covers. */
function listExpectedRecords(design: Design): ExpectedRecord[] {
  const forwardRecords = listAddressRecords(design).flatMap(({ records }) => records);
  const queries = [
    ...forwardRecords.map(({ name, type, address }) => ({ name: name.replace(/^\*/, 'test'), type, answer: address })),
    ...listPointerRecords(design).map(({ owner, name }) => ({ name: owner, type: 'PTR' as const, answer: `${name}.` })),
  ];
  const keys = removeDuplicates(queries.map(({ name, type }) => `${type} ${name}`));
  return keys.flatMap((key) => {
    const matchingQueries = queries.filter(({ name, type }) => `${type} ${name}` === key);
    const [first] = matchingQueries;
    return first === undefined
      ? []
      : [
          {
            name: first.name,
            type: first.type,
            answers: removeDuplicates(matchingQueries.map(({ answer }) => answer)),
          },
        ];
  });
}

/** Lists the endpoint addresses and ports on which the load balancers must listen, each pair once. */
function listExpectedPorts({ endpoints, topology }: Design): { host: string; port: number }[] {
  // A single node has no load balancer: its own ports open when it is installed.
  if (topology === 'single-node') return [];
  const { api, apiInt, ingress } = endpoints;
  const ports: [readonly string[], readonly number[]][] = [
    [api, [6443]],
    [apiInt, [6443, 22623]],
    [ingress, [80, 443]],
  ];
  const hostPorts = ports.flatMap(([hosts, numbers]) =>
    hosts.flatMap((host) => numbers.map((port) => `${host} ${port}`)),
  );
  return removeDuplicates(hostPorts).map((hostPort) => {
    const [host = '', port = ''] = hostPort.split(' ');
    return { host, port: Number(port) };
  });
}

// Ansible reads YAML 1.1, in which `yes` and `2024-01-01` are not strings.
const YAML_OPTIONS = { lineWidth: 0, compat: 'yaml-1.1' } as const;

/** A file of the Ansible project; `file` is relative to the directory of the project. */
interface ProjectFile {
  readonly file: string;
  readonly content: string;
  readonly mode: string;
}

/**
 * Builds an inventory, a playbook and two roles that set up the service hosts as their `install.sh` does: the same
 * packages, files, checks, firewall, SELinux and services, in the same order.
 * @param setups in the order in which the hosts are set up
 * @param files the generated files of the hosts, with their paths below the output directory (`ns1/etc/named.conf`)
 */
export function buildAnsibleProject(
  design: Design,
  setups: readonly HostSetup[],
  files: readonly ProjectFile[],
): readonly ProjectFile[] {
  const createFile = (file: string, content: string): ProjectFile => ({ file, content, mode: '0644' });
  const createYamlFile = (file: string, value: unknown) => createFile(file, `---\n${stringify(value, YAML_OPTIONS)}`);
  return [
    createYamlFile('inventory.yml', buildInventory(design, setups)),
    createFile('site.yml', renderTemplate(site, { cluster: `${design.cluster.name}.${design.cluster.baseDomain}` })),
    // ansible-lint skips the configuration files of the services: the programs that read them check them.
    createYamlFile('.ansible-lint', { exclude_paths: ['files/'] }),
    createFile('roles/service_host/tasks/main.yml', hostTasks),
    createFile('roles/service_host/tasks/files.yml', hostFiles),
    createFile('roles/service_host/defaults/main.yml', hostDefaults),
    createFile('roles/service_answers/tasks/main.yml', answersTasks),
    createFile('roles/service_answers/defaults/main.yml', answersDefaults),
    ...setups.map((setup) => createYamlFile(`host_vars/${setup.host.name}.yml`, buildHostVars(design, setup))),
    ...files.map((file) => ({ ...file, file: `files/${file.file}` })),
  ];
}

/**
 * Builds the inventory. The playbook runs on the bastion and reaches the other hosts over SSH. Groups follow the
 * services of the hosts, for `--limit`; their names have an underscore, which no host name has.
 */
function buildInventory({ services }: Design, setups: readonly HostSetup[]) {
  const hosts = setups.map(({ host }) => host);
  const { bastion, dns, dhcp, loadBalancer } = services;
  const createGroup = (names: readonly string[]) => ({
    hosts: Object.fromEntries(hosts.filter(({ name }) => names.includes(name)).map(({ name }) => [name, {}])),
  });
  const getConnectionVars = (host: ServiceHost) =>
    host.name === bastion.name ? { ansible_connection: 'local' } : { ansible_host: host.ip[0] };
  return {
    all: {
      children: {
        service_hosts: { hosts: Object.fromEntries(hosts.map((host) => [host.name, getConnectionVars(host)])) },
        name_servers: createGroup(dns.servers.map(({ name }) => name)),
        dhcp_servers: createGroup(dhcp.server === null ? [] : [dhcp.server]),
        load_balancers: createGroup(loadBalancer.servers.map(({ name }) => name)),
        bastion_hosts: createGroup([bastion.name]),
      },
    },
  };
}

function buildHostVars(design: Design, setup: HostSetup) {
  const { host, packages, units, files, copies, checks, reloads, securityScripts, keepalived } = setup;
  const interfaceFiles = keepalived === null ? [] : [{ address: keepalived.address, path: keepalived.interfacePath }];
  const targetPaths = [
    ...files.map(({ path }) => path),
    ...copies.map(({ to }) => to),
    ...interfaceFiles.map(({ path }) => path),
  ];
  const keepalivedRestarts = interfaceFiles.map(({ path }) => ({
    unit: 'keepalived',
    state: 'restarted',
    paths: [path],
  }));
  return {
    service_host_packages: packages,
    service_host_package_manager: host.os === 'debian' ? 'apt' : 'dnf',
    service_host_units: units,
    service_host_directories: removeDuplicates(targetPaths.map((path) => path.slice(0, path.lastIndexOf('/')))).sort(),
    service_host_paths: targetPaths,
    service_host_interface: interfaceFiles,
    service_host_files: files,
    service_host_copies: copies,
    service_host_checks: checks,
    service_host_beside: securityScripts,
    service_host_unit_files: reloads.flatMap(({ command, paths }) => (isDaemonReload(command) ? paths : [])),
    service_host_commands: reloads.flatMap(({ command, paths }) =>
      command[0] === 'systemctl' ? [] : [{ argv: command, paths }],
    ),
    service_host_reloads: [...keepalivedRestarts, ...reloads.flatMap(toUnitStates)],
    ...buildServiceAnswerVars(design, host),
  };
}

function isDaemonReload([program, verb]: readonly string[]): boolean {
  return program === 'systemctl' && verb === 'daemon-reload';
}

/**
 * Translates a reload command into a state of Ansible's systemd module: `systemctl reload-or-restart named` becomes
 * `reloaded`. Empty for commands without a unit.
 */
function toUnitStates({ command, paths }: Reload): { unit: string; state: string; paths: readonly string[] }[] {
  const [program, verb, unit] = command;
  if (program !== 'systemctl' || unit === undefined) return [];
  return [{ unit, state: verb === 'restart' ? 'restarted' : 'reloaded', paths }];
}

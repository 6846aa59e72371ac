import { SHORTCUTS } from '../../../shortcuts.ts';
import { plural } from '../../ui.ts';

/** Texts of the page Review, which shows the whole design. */
export const reviewPage = {
  title: 'Review',
  intro: 'The whole design. All generated files follow from it.',
  help: [
    'Read it as a whole before files are generated from it. Names, networks and MAC addresses are hard to change after the machines have started.',
    `Problems come first, grouped by page. Up and Down select one, and Enter opens its answer; once it is correct, Enter on its page returns here. Correct every error before you generate files. A warning may be right for your site: read it, and continue if it is. With warnings alone Enter continues, and ${SHORTCUTS.open} opens the selected one.`,
    `If you had reached a later step, ${SHORTCUTS.resume} returns there. The wizard checks each step on the way and stops at the first one that the changed design makes necessary again.`,
    'PgUp and PgDn move through the design below. "-" stands for a value that is not known yet. `upi-wizard design diagram FILE --svg` draws the networks of a design file as a picture.',
  ],
  chooseProblem: 'Enter opens the selected one.',
  chooseWarning: `Enter continues; ${SHORTCUTS.open} opens the selected one.`,
  lastPage: 'This is the last page of the design. Enter continues.',
  lastPageWithErrors: 'This is the last page of the design. Enter opens the selected problem.',
  noProblems: 'No problems. Enter generates the files.',
  noProblemsReturn: (step: string) => `No problems. Enter returns to ${step}.`,
  noProblemsContinue: (step: string) => `No problems. ${SHORTCUTS.resume} continues to ${step}.`,
  count: (errors: number, warnings: number, exampleMacs = 0) =>
    [
      ...(errors > 0 ? [plural(errors, 'error')] : []),
      ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
      ...(exampleMacs > 0 ? [`${plural(exampleMacs, 'MAC address', 'MAC addresses')} of the example`] : []),
    ].join(', '),
  exampleMacs: (count: number) =>
    count === 1
      ? '1 MAC address is still the example’s: that machine would never boot'
      : `${count} MAC addresses are still the example’s: those machines would never boot`,
  fixExampleMacs: (names: string) => `Enter those of your machines: ${names}.`,
  /** Heading of the answers about the site that are still those of the example. */
  exampleTitle: 'Still from the example. Are these yours?',
  exampleVerdict: 'All names, IPs and MACs are the example’s.',
  exampleSite: {
    question: 'Is this the site that you want to install?',
    details: [
      'Every name, network and MAC address of this design is still that of the built-in example. Machines with other MAC addresses get no boot files.',
      'To try the wizard without machines, start a rehearsal on Welcome.',
    ],
    yesLabel: 'it is: generate files',
    noLabel: 'back to the design',
  },
  exampleAnswer: (label: string, text: string) => `${label}: ${text}`,
  exampleNodes: (names: string) => `MAC addresses of ${names}`,
  error: 'Error  ',
  warning: 'Warning',
  pages: { cluster: 'Cluster', networks: 'Networks', nodes: 'Nodes', services: 'Services', credentials: 'Credentials' },
  /** The page and the field where an answer is changed. */
  fieldLocation: (page: string, label: string) => `${page} > ${label}`,
  unknown: '-',
  diagram: {
    company: 'company',
    anyCompany: 'company network',
    withDns: (company: string, servers: string) => `${company}, your DNS ${servers}`,
    router: 'router',
    machine: 'machine network',
    nowhere: 'in none of these networks',
    bastion: (port: string) => `boot files :${port}`,
    dns: (position: number) => (position === 0 ? 'DNS' : 'DNS (secondary)'),
    dhcp: 'DHCP',
    loadBalancer: 'load balancer',
    insideCluster: 'inside the cluster only',
    pods: 'pods',
    services: 'services',
    perNode: (cidr: string, prefix: number, capacity: string) =>
      `${cidr} /${prefix}${capacity === '' ? '' : `: ${capacity}`}`,
    roles: {
      bootstrap: 'bootstrap',
      'control-plane': 'control plane',
      arbiter: 'arbiter',
      compute: 'compute',
      infra: 'infra',
      storage: 'storage',
    },
    endpoint: {
      on: (hosts: string) => `on ${hosts}`,
      keepalived: (hosts: string) => `on ${hosts} (keepalived)`,
      external: 'your load balancer',
      node: (name: string) => `node ${name}`,
    },
  },
  settings: {
    cluster: (parts: {
      readonly domain: string;
      /** Product and minor version, such as OpenShift 4.18. */
      readonly release: string;
      readonly architecture: string;
      /** The RHCOS stream (`osImageStream`); null: the default of the version. */
      readonly stream: string | null;
      readonly topology: string;
      readonly isFips: boolean;
    }) =>
      `${parts.domain}, ${parts.release} ${parts.architecture}${parts.stream === null ? '' : ` ${parts.stream}`}, ${parts.topology}${parts.isFips ? ', FIPS' : ''}`,
    volume: (storage: string, storageClass: string, gib: number) => `${storage}, ${storageClass}, ${gib} GiB`,
    nodes: 'Nodes',
    services: 'Services and settings',
    dns: 'DNS',
    forwarders: (kind: string, list: string) => `${kind}, forwards to ${list}`,
    dhcp: 'DHCP',
    onHost: (kind: string, name: string) => `${kind} on ${name}`,
    loadBalancer: 'Load balancer',
    boot: 'Boot',
    httpPort: (kind: string, port: number) => `${kind}, HTTP port ${port}`,
    time: 'Time servers',
    networkType: 'Network type',
    proxy: 'Proxy',
    noProxy: 'No proxy for',
    bundle: 'CA bundle',
    mirrors: 'Mirrors',
    pullSecret: 'Pull secret',
    notNeeded: 'none: OKD needs none',
    sshKey: 'SSH key',
    fencing: 'Fencing credentials',
    taint: 'Infra taint',
    routers: 'Routers',
    registry: 'Registry',
    monitoring: 'Monitoring',
    noVolumes: 'no volumes',
    defaultClass: 'default class',
  },
};

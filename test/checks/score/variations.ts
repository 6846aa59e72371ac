import { renderExampleDesign } from '../../../src/design/example.ts';
import type { Design } from '../../../src/design/model.ts';
import { parseDesign } from '../../../src/design/parse.ts';

/** How far the user goes, and when the diagnosis runs. */
export type Schedule =
  /** To the end, with diagnoses on the way. */
  | 'whole'
  /** Until the control plane is about to join, with a diagnosis every few minutes while everything is half done. */
  | 'middle'
  /** The bootstrap is complete, and the installation pauses for two hours. */
  | 'left'
  /** The bootstrap alone is powered on, and the control plane half an hour later. */
  | 'late'
  /**
   * Powered on shortly before the certificates in the ignition files expire, which they do before the last nodes have
   * joined.
   */
  | 'old';

/** A site without faults. */
export interface Variation {
  readonly name: string;
  readonly design: () => Design;
  readonly seed: number;
  readonly schedule: Schedule;
}

type ExampleOptions = Parameters<typeof renderExampleDesign>[0];
type TextEdit = (text: string) => string;

/**
 * Parses the example design after edits.
 * @throws Error when an edit changes nothing or the design is invalid
 */
function parseEditedExample(options: ExampleOptions, ...edits: readonly TextEdit[]): Design {
  const text = edits.reduce((before, edit) => {
    const after = edit(before);
    if (after === before) throw new Error('an edit changes nothing');
    return after;
  }, renderExampleDesign(options));
  const { design, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design === null || errors.length > 0) throw new Error(errors.map(({ message }) => message).join(' '));
  return design;
}

const replaceText =
  (from: string | RegExp, to: string): TextEdit =>
  (text) =>
    text.replaceAll(from instanceof RegExp ? new RegExp(from.source, 'gm') : from, to);

/** Replaces the three compute nodes of the example by `count` others and removes the infra nodes. */
const withComputeNodes =
  (count: number): TextEdit =>
  (text) => {
    const nodes = text.split(/^(?= {2}- name: )/m);
    const tail = /\n\nservices:[\s\S]*$/.exec(nodes.at(-1) ?? '')?.[0] ?? '';
    const otherNodes = nodes.filter((each) => !/role: (?:compute|infra)/.test(each));
    const template = nodes.find((each) => each.startsWith('  - name: w1')) ?? '';
    const computeNodes = Array.from({ length: count }, (_, index) =>
      template
        .replace('name: w1', `name: w${index + 1}`)
        .replace(/ip: .*/, `ip: 172.16.0.${index + 31}`)
        .replace(/mac: .*/, `mac: "00:50:56:96:6b:${(index + 16).toString(16)}"`),
    );
    return `${[...otherNodes, ...computeNodes].join('').trimEnd()}${tail}`;
  };

const twoComputeNodes = withComputeNodes(2);
/** Creates the site of the example with two compute nodes. It has no infra nodes, so nothing moves. */
const createSmallSite = (...edits: readonly TextEdit[]) => parseEditedExample({}, twoComputeNodes, ...edits);

const loadBalancerEntry = (number: number) => `- { name: lb${number}, ip: 172.16.0.${112 + number}, os: rhel9 }`;

const createVariation = (
  name: string,
  design: () => Design,
  schedule: Schedule = 'whole',
): Omit<Variation, 'seed'> => ({
  name,
  design,
  schedule,
});

const LIST = [
  createVariation('the example, nine nodes and three infra nodes', () => parseEditedExample({})),
  createVariation('4.6', () => parseEditedExample({ version: '4.6' }, twoComputeNodes)),
  createVariation('4.14', () => parseEditedExample({ version: '4.14' }, twoComputeNodes)),
  createVariation('4.20', () => parseEditedExample({ version: '4.20' }, twoComputeNodes)),
  createVariation('compact: the control plane is everything', () => parseEditedExample({ topology: 'compact' })),
  createVariation('every service on the bastion', () =>
    parseEditedExample({ serviceLayout: 'bastion' }, twoComputeNodes),
  ),
  createVariation('Kea', () => createSmallSite(replaceText('kind: isc-dhcpd', 'kind: kea'))),
  createVariation('service hosts with Debian', () => createSmallSite(replaceText('os: rhel9', 'os: debian'))),
  createVariation('two load balancers and keepalived', () =>
    createSmallSite(replaceText(/- \{ name: lb1,.*\}/, `${loadBalancerEntry(1)}\n      ${loadBalancerEntry(2)}`)),
  ),
  createVariation('two name servers', () =>
    createSmallSite(replaceText(/(- \{ name: ns1,.*\})/, '$1\n      - { name: ns2, ip: 172.16.0.103, os: rhel9 }')),
  ),
  createVariation('a proxy with noProxy', () =>
    createSmallSite(
      replaceText(
        'fips: false',
        'fips: false\nproxy:\n  httpProxy: http://192.168.124.5:3128\n  httpsProxy: http://192.168.124.5:3128\n  noProxy: .ocp45.example.localdomain,172.16.0.0/24\n',
      ),
    ),
  ),
  createVariation('a mirror registry', () =>
    createSmallSite(
      replaceText(
        'fips: false',
        'fips: false\nimageDigestSources:\n  - source: quay.io/openshift-release-dev/ocp-release\n    mirrors: [mirror.example.localdomain:5000/ocp/release]\n  - source: quay.io/openshift-release-dev/ocp-v4.0-art-dev\n    mirrors: [mirror.example.localdomain:5000/ocp/release]\n',
      ),
    ),
  ),
  createVariation('other names of cluster, domain and nodes', () =>
    createSmallSite(
      replaceText('name: ocp45', 'name: prod-7'),
      replaceText('baseDomain: example.localdomain', 'baseDomain: eu.shop.example.com'),
      replaceText(/name: m(\d)$/, 'name: control-$1'),
      replaceText(/name: bs$/, 'name: boot'),
    ),
  ),
  createVariation('another network', () => createSmallSite(replaceText('172.16.0.', '10.20.30.'))),
  createVariation('a load balancer that other people run', () =>
    createSmallSite(
      replaceText(/loadBalancer:\n {4}kind: haproxy.*\n {4}servers:\n.*/, 'loadBalancer:\n    kind: external'),
    ),
  ),
  createVariation('firmware BIOS and other disks', () =>
    createSmallSite(replaceText(/installDisk: .*/, 'installDisk: /dev/nvme0n1\n    firmware: bios')),
  ),
  createVariation('twenty nodes', () => parseEditedExample({}, withComputeNodes(17))),
  createVariation('asked in the middle of the bootstrap', () => createSmallSite(), 'middle'),
  createVariation(
    'asked in the middle, Kea, all on the bastion',
    () =>
      parseEditedExample({ serviceLayout: 'bastion' }, twoComputeNodes, replaceText('kind: isc-dhcpd', 'kind: kea')),
    'middle',
  ),
  createVariation('left for two hours after the bootstrap', () => createSmallSite(), 'left'),
  createVariation('the control plane powered on half an hour late', () => createSmallSite(), 'late'),
  createVariation('powered on 22 hours after the ignition files were made', () => createSmallSite(), 'old'),
  createVariation('arbiter: two control plane nodes, and the third member of etcd', () =>
    parseEditedExample({ topology: 'arbiter', version: '4.22' }),
  ),
  createVariation('a single node with a bootstrap node', () =>
    parseEditedExample({ topology: 'single-node-bootstrap', version: '4.20' }),
  ),
  createVariation('fencing: two control plane nodes alone, and etcd that Pacemaker runs', () =>
    parseEditedExample({ topology: 'fencing', version: '4.22' }),
  ),
];

/** Two sites on which faults are planted: services on dedicated hosts, and all on the bastion with other programs. */
export const FAULT_SITES: readonly { readonly name: string; readonly seed: number; readonly design: () => Design }[] = [
  { name: 'hosts', seed: 1, design: () => createSmallSite() },
  {
    name: 'bastion',
    seed: 2,
    design: () =>
      parseEditedExample(
        { serviceLayout: 'bastion', version: '4.20' },
        twoComputeNodes,
        replaceText('kind: isc-dhcpd', 'kind: kea'),
      ),
  },
];

/** Sites without faults, each with its own seed. */
export const VARIATIONS: readonly Variation[] = LIST.map((each, index) => ({ ...each, seed: index + 11 }));

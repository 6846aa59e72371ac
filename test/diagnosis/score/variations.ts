import { exampleDesign } from '../../../src/design/example.ts';
import type { Design } from '../../../src/design/model.ts';
import { parseDesign } from '../../../src/design/parse.ts';

/** How far a person goes, and when they ask what is wrong. */
export type Pace =
  /** To the end, asking on the way. */
  | 'whole'
  /** Only until the control plane is about to join: asked every few minutes, when everything is half done. */
  | 'middle'
  /** The bootstrap is complete, and nobody goes on for two hours. */
  | 'left'
  /** The bootstrap alone is powered on, and the control plane half an hour later. */
  | 'late'
  /** Powered on when the certificates in the ignition files are about to end, which they do before the last nodes have joined. */
  | 'old';

/** A site on which nothing is wrong. */
export interface Variation {
  readonly name: string;
  readonly design: () => Design;
  readonly seed: number;
  readonly pace: Pace;
}

type Options = Parameters<typeof exampleDesign>[0];
type Edit = (text: string) => string;

/** The example with edits. @throws Error where the text to change is not there, or the design is wrong */
function edited(options: Options, ...edits: readonly Edit[]): Design {
  const text = edits.reduce((before, edit) => {
    const after = edit(before);
    if (after === before) throw new Error('an edit changes nothing');
    return after;
  }, exampleDesign(options));
  const { design, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design === null || errors.length > 0) throw new Error(errors.map(({ message }) => message).join(' '));
  return design;
}

const put =
  (from: string | RegExp, to: string): Edit =>
  (text) =>
    text.replaceAll(from instanceof RegExp ? new RegExp(from.source, 'gm') : from, to);

/** Other compute nodes than the three of the example, and no infra nodes. */
const computes =
  (count: number): Edit =>
  (text) => {
    const nodes = text.split(/^(?= {2}- name: )/m);
    const tail = /\n\nservices:[\s\S]*$/.exec(nodes.at(-1) ?? '')?.[0] ?? '';
    const kept = nodes.filter((each) => !/role: (?:compute|infra)/.test(each));
    const pattern = nodes.find((each) => each.startsWith('  - name: w1')) ?? '';
    const own = Array.from({ length: count }, (_, index) =>
      pattern
        .replace('name: w1', `name: w${index + 1}`)
        .replace(/ip: .*/, `ip: 172.16.0.${index + 31}`)
        .replace(/mac: .*/, `mac: "00:50:56:96:6b:${(index + 16).toString(16)}"`),
    );
    return `${[...kept, ...own].join('').trimEnd()}${tail}`;
  };

const few = computes(2);
/** Few nodes have no infra node to move anything to; the rest of the site is that of the example. */
const small = (...edits: readonly Edit[]) => edited({}, few, ...edits);

const balancer = (number: number) => `- { name: lb${number}, ip: 172.16.0.${112 + number}, os: rhel9 }`;

const varied = (name: string, design: () => Design, pace: Pace = 'whole'): Omit<Variation, 'seed'> => ({
  name,
  design,
  pace,
});

const LIST = [
  varied('the example, nine nodes and three infra nodes', () => edited({})),
  varied('4.6', () => edited({ version: '4.6' }, few)),
  varied('4.14', () => edited({ version: '4.14' }, few)),
  varied('4.20', () => edited({ version: '4.20' }, few)),
  varied('compact: the control plane is everything', () => edited({ topology: 'compact' })),
  varied('every service on the bastion', () => edited({ services: 'bastion' }, few)),
  varied('Kea', () => small(put('kind: isc-dhcpd', 'kind: kea'))),
  varied('service hosts with Debian', () => small(put('os: rhel9', 'os: debian'))),
  varied('two load balancers and keepalived', () =>
    small(put(/- \{ name: lb1,.*\}/, `${balancer(1)}\n      ${balancer(2)}`)),
  ),
  varied('two name servers', () =>
    small(put(/(- \{ name: ns1,.*\})/, '$1\n      - { name: ns2, ip: 172.16.0.103, os: rhel9 }')),
  ),
  varied('a proxy with noProxy', () =>
    small(
      put(
        'fips: false',
        'fips: false\nproxy:\n  httpProxy: http://192.168.124.5:3128\n  httpsProxy: http://192.168.124.5:3128\n  noProxy: .ocp45.example.localdomain,172.16.0.0/24\n',
      ),
    ),
  ),
  varied('a mirror registry', () =>
    small(
      put(
        'fips: false',
        'fips: false\nimageDigestSources:\n  - source: quay.io/openshift-release-dev/ocp-release\n    mirrors: [mirror.example.localdomain:5000/ocp/release]\n  - source: quay.io/openshift-release-dev/ocp-v4.0-art-dev\n    mirrors: [mirror.example.localdomain:5000/ocp/release]\n',
      ),
    ),
  ),
  varied('other names of cluster, domain and nodes', () =>
    small(
      put('name: ocp45', 'name: prod-7'),
      put('baseDomain: example.localdomain', 'baseDomain: eu.shop.example.com'),
      put(/name: m(\d)$/, 'name: control-$1'),
      put(/name: bs$/, 'name: boot'),
    ),
  ),
  varied('another network', () => small(put('172.16.0.', '10.20.30.'))),
  varied('a load balancer that other people run', () =>
    small(put(/loadBalancer:\n {4}kind: haproxy.*\n {4}servers:\n.*/, 'loadBalancer:\n    kind: external')),
  ),
  varied('firmware BIOS and other disks', () =>
    small(put(/installDisk: .*/, 'installDisk: /dev/nvme0n1\n    firmware: bios')),
  ),
  varied('twenty nodes', () => edited({}, computes(17))),
  varied('asked in the middle of the bootstrap', () => small(), 'middle'),
  varied(
    'asked in the middle, Kea, all on the bastion',
    () => edited({ services: 'bastion' }, few, put('kind: isc-dhcpd', 'kind: kea')),
    'middle',
  ),
  varied('left for two hours after the bootstrap', () => small(), 'left'),
  varied('the control plane powered on half an hour late', () => small(), 'late'),
  varied('powered on 22 hours after the ignition files were made', () => small(), 'old'),
];

/** Two sites on which faults are planted: services on hosts of their own, and all on the bastion with other programs. */
export const PLANTED_ON: readonly { readonly name: string; readonly seed: number; readonly design: () => Design }[] = [
  { name: 'hosts', seed: 1, design: () => small() },
  {
    name: 'bastion',
    seed: 2,
    design: () => edited({ services: 'bastion', version: '4.20' }, few, put('kind: isc-dhcpd', 'kind: kea')),
  },
];

/** Sites on which nothing is wrong, each with a seed of its own. */
export const VARIATIONS: readonly Variation[] = LIST.map((each, index) => ({ ...each, seed: index + 11 }));

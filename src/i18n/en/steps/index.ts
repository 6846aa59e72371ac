import { SHORTCUTS } from '../../shortcuts.ts';
import { bootWords } from './boot.ts';
import { bootstrapWords } from './bootstrap.ts';
import { certificatesWords } from './certificates.ts';
import { filesWords } from './files.ts';
import { infraWords } from './infra.ts';
import { operatorsWords } from './operators.ts';
import { prepareWords } from './prepare.ts';

/** The sentence below the title of each step. */
const intros = {
  generate:
    'Everything the service hosts and the nodes need, generated from the design and checked by the programs that read it.',
  hosts: 'The files are copied to their hosts in this order: each host needs the services of those before it.',
  prepare: 'openshift-install turns the configuration into ignition files, once; the bastion serves them to the nodes.',
  boot: 'Machines boot and install themselves: bootstrap and control plane first, the others later.',
  bootstrap: 'The bootstrap node runs a temporary control plane until the control plane nodes have taken over.',
  'bootstrap-removal': 'The bootstrap node has done its work: it leaves the load balancer, and can be powered off.',
  certificates:
    'The other nodes boot now. Each requests two certificates; only requests that fit the design are approved.',
  operators: 'The remaining cluster Operators are rolled out. Most of them wait for compute nodes and for the routers.',
  infra: 'Router, registry and monitoring move to the infra nodes; a taint then keeps applications off these nodes.',
  report: 'A record of the cluster and its installation, for its administrators.',
};

/** The label of Enter in the footer, and the sentence under the screen. */
const actions = {
  generate: { key: 'write', sentence: 'Enter writes the files and has them checked.' },
  hosts: { key: 'put in place', sentence: 'Enter puts the files in place and checks the services.' },
  prepare: { key: 'prepare', sentence: 'Enter creates what is missing here, and starts the boot server.' },
  boot: { key: 'power on', sentence: 'Enter powers the machines on, in this order.' },
  bootstrap: {
    key: 'watch',
    sentence:
      'Enter starts openshift-install, which watches the bootstrap until it is complete and continues when you leave.',
  },
  'bootstrap-removal': {
    key: 'remove',
    sentence: 'Enter removes the bootstrap node from the load balancer, after you confirm.',
  },
  certificates: {
    key: 'follow',
    sentence: `Enter, after you confirm, boots the nodes and approves requests that fit the design as they arrive, until all have joined. ${SHORTCUTS.approveOne} approves one request, ${SHORTCUTS.approveExpected} all that are expected now.`,
  },
  operators: {
    key: 'watch',
    sentence:
      'Enter starts openshift-install, which waits for the installation to complete and continues when you leave.',
  },
  infra: {
    key: 'move',
    sentence: `Enter applies the pending moves, ${SHORTCUTS.applyOne} only the selected one.`,
  },
  report: { key: 'write', sentence: 'Enter writes the report.' },
};

/** Text of the steps, which change hosts and the cluster. */
export const steps = {
  titles: {
    generate: 'Generate',
    hosts: 'Hosts',
    prepare: 'Prepare',
    boot: 'Boot',
    bootstrap: 'Bootstrap',
    'bootstrap-removal': 'Removal',
    certificates: 'Certificates',
    operators: 'Operators',
    infra: 'Infra nodes',
    report: 'Report',
  },
  intros,
  /** Replacements for a single-node cluster. */
  introsSingle: {
    boot: 'The node boots and installs itself; it is its own bootstrap.',
    bootstrap: 'The bootstrap runs in the live system of the node, which then writes its disk and restarts.',
    'bootstrap-removal': 'There is no bootstrap machine, and no load balancer to remove it from.',
    certificates: 'The bootstrap inside the node approves its requests; other nodes may join later.',
    operators: 'The remaining cluster Operators are rolled out on the one node.',
  } satisfies Partial<typeof intros>,
  actions,
  /** Replacements where you do the work by hand, and Enter confirms that it is done. */
  manualActions: {
    hosts: { key: 'check services', sentence: 'Set the hosts up in this order; then Enter checks their services.' },
    boot: { key: 'powered on', sentence: 'Power on the machines, then press Enter to watch their requests.' },
    'bootstrap-removal': {
      key: 'remove',
      sentence: 'Enter writes the new files, after you confirm; then run these commands.',
    },
    certificates: {
      key: 'follow',
      sentence: `Power the nodes on; Enter, after you confirm, approves requests that fit the design as they arrive, until all have joined. ${SHORTCUTS.approveOne} approves one request, ${SHORTCUTS.approveExpected} all that are expected now.`,
    },
  } satisfies Partial<typeof actions>,
  /** The usual duration of each wait. */
  usualDurations: {
    boot: '3–6 min from power-on to the ignition file',
    bootstrap: '20–40 min from power-on',
    certificates: '10–20 min from power-on until a node requests to join, a few more until it is Ready',
    operators: '30–60 min in all; the last ones need most of it',
    infra: 'up to 15 min for each move, less than 5 for most',
  } satisfies Partial<typeof intros>,
  /** Names a file together with its host. */
  hostFile: (host: string, path: string) => `${host}: ${path}`,
  /** Changes of each stage on the load balancer. */
  stages: {
    install: 'bootstrap and control plane serve 6443 and 22623, compute nodes 80 and 443',
    'bootstrap-removed': 'bootstrap leaves the pools of 6443 and 22623',
    'infra-added': 'infra nodes join the pools of 80 and 443',
    'infra-only': 'compute nodes leave the pools of 80 and 443',
  },
  commandsScript: {
    foreign: (file: string) => ({
      title: 'The commands were not written',
      cause: `${file} exists and is not a script of upi-wizard.`,
      remedy: `Rename that file, then press ${SHORTCUTS.write} again.`,
    }),
    written: (file: string) =>
      `Written to ${file}. Read it before you run it: it runs the commands one after the other.`,
  },
  ...bootWords,
  ...bootstrapWords,
  ...certificatesWords,
  ...filesWords,
  ...infraWords,
  ...operatorsWords,
  ...prepareWords,
};

import { MIN_DISK_GIB } from '../../field-words.ts';
import { SHORTCUTS } from '../../shortcuts.ts';

/** Text of the welcome screen. */
export const welcome = {
  headline: 'From nothing to a running OpenShift cluster on machines you prepare yourself (UPI),',
  subline: 'step by step. You can stop at any time and continue where you left off.',
  directory: (dir: string) => `Everything is stored in ${dir}`,
  fresh: 'New installation',
  freshRehearsal: 'Begin the rehearsal',
  freshHint: 'starts with a worked example that you change',
  ownDirectoryHint: 'in a directory of its own',
  openingStatus: 'opening',
  startingSite: 'Starting the simulated site…',
  resume: (screen: string) => `Resume at: ${screen}`,
  resumeHint: (cluster: string) => cluster,
  importExisting: 'Start from what you have',
  importExistingHint: 'install-config.yaml, vars.yaml, CSV, hosts file',
  rehearse: 'Rehearse first',
  rehearseHint: 'against a simulated site, in a few minutes',
  rehearseAgain: 'New rehearsal',
  rehearseAgainHint: 'in addition to the existing ones',
  restart: 'Start at the first page',
  restartHint: 'your answers stay',
  machine: 'Check this machine',
  machineHint: 'what it has, what it lacks',
  /** Another installation on this machine. */
  other: {
    open: (name: string) => `Open ${name}`,
    resume: (name: string) => `Resume ${name}`,
    hint: (place: string, date: string, dir: string) => `${date}, ${place}, ${dir}`,
    finished: 'finished',
    rehearsal: (place: string) => `rehearsal, ${place}`,
  },
  rehearsal: (speed: number) =>
    `This is a rehearsal: the site is simulated, ${speed === 1 ? 'in real time' : `and time runs ${speed} times as fast`}.`,
  advice: 'Over SSH, run upi-wizard in tmux or screen: it then survives a lost connection.',
  help: [
    'openshift-install and oc are the programs that install and query the cluster; their version is the version of the cluster. Prepare downloads them if this machine reaches mirror.openshift.com (OKD: github.com).',
    'The pull secret is a file from console.redhat.com/openshift/install/pull-secret: the nodes pull the OpenShift images with it. OKD needs none.',
    'DNS, DHCP and the load balancer run on service hosts that you provide, RHEL or Debian: one for each, or one for all. The wizard writes their files and a script that installs them.',
    `Nodes are machines that you power on: a bootstrap node for the first hour, three control plane nodes, and two or more that run the workloads. Compact clusters have four machines, single-node clusters one. Each needs 4 vCPU, 16 GiB of memory and ${MIN_DISK_GIB} GiB of disk (compute nodes 2 vCPU and 8 GiB of memory).`,
    'An installation takes about two hours: half an hour for the answers; the rest is waiting for machines. You can stop at any time.',
  ],
  /** The steps beside the page, on a wide terminal. */
  overview: {
    title: 'The steps of an installation, and how long they usually take',
    design: (pages: string) => `Your answers, with an example to change: ${pages}.`,
    designDuration: 'Half an hour.',
    designDurationFigure: '30 min',
    hosts: 'The files are copied to the service hosts, and the wizard checks that each service answers as designed.',
  },
  /** The requirements of an installation: six lines, each with its state on this machine in at most 26 cells. */
  requirements: {
    title: 'An installation needs:',
    checking: 'checking',
    tools: {
      need: 'openshift-install, oc',
      missing: 'missing: Prepare gets them',
      wrong: `not as designed: press ${SHORTCUTS.checkMachine}`,
      withoutOc: `no oc: ${SHORTCUTS.checkMachine} shows how to get it`,
      rehearsedWithoutOc: (version: string) => `${version}, needs no oc`,
    },
    credentials: {
      need: 'pull secret, SSH key',
      ok: 'here',
      noPullSecret: 'get it: console.redhat.com',
      noSshKey: 'no SSH key: Credentials creates one',
      neither: 'get both: console.redhat.com, ssh-keygen',
    },
    services: { need: 'DNS, DHCP, load balancer', text: 'on 3 hosts, or on this one', rehearsed: 'simulated' },
    machines: { need: 'machines for the nodes', text: '6 or more, with 8 to 32 GiB RAM', rehearsed: 'simulated' },
    machine: {
      need: 'this machine',
      ok: 'ok',
      wrong: (count: number) => `${count} problems: press ${SHORTCUTS.checkMachine}`,
    },
    time: {
      need: 'time',
      text: '2 hours, mostly waiting',
      rehearsed: (minutes: number) => `about ${minutes} min of waiting`,
    },
  },
};

import { booting, bootstrapping, member } from '../../../checks/rules/base-evidence.ts';
import { haproxy } from '../../../checks/rules/scene.ts';
import {
  bootkube,
  noApi,
  noNodes,
  pullFailure,
  unreachableMasters,
} from '../../../steps/diagnose/scenes/log-bundles.ts';
import { formatResources, nodeObject } from '../../../support/bundle-objects.ts';
import { containerId, formatJournal } from '../../../support/bundle-text.ts';
import { createLogBundle } from '../../../support/log-bundle.ts';
import {
  API_INT,
  BALANCER,
  BS,
  bundle,
  DOMAIN,
  design,
  type FieldCase,
  formatConsoleAttempts,
  formatPasted,
  site,
  text,
  times,
} from '../field-case.ts';

const POD_STATUS = times(
  20,
  '\tPod Status:openshift-kube-apiserver/kube-apiserver\tDoesNotExist',
  '\tPod Status:openshift-kube-scheduler/openshift-kube-scheduler\tDoesNotExist',
  '\tPod Status:openshift-cluster-version/cluster-version-operator\tPending',
);
/** The bootstrap serves, and its control plane does not come. */
export const packWaitingBootstrap = (more: Readonly<Record<string, string | null>>) =>
  bootkube('cb-bootstrap', ['wait-for-etcd'], ['Starting cluster-bootstrap...', 'API is up', ...POD_STATUS], {
    ...unreachableMasters('Connection refused'),
    ...noNodes,
    'resources/csr.json': '',
    ...more,
  });
const refused = formatConsoleAttempts({
  reply: `error: Get "URL": dial tcp ${BALANCER}:22623: connect: connection refused`,
  count: 30,
});
const unreachable = formatConsoleAttempts({
  reply: `error: Get "URL": dial tcp ${BALANCER}:22623: connect: network is unreachable`,
  first: 121,
});
const closed = formatConsoleAttempts({ reply: 'error: Get "URL": EOF', count: 40 });
const refusedWorkers = formatConsoleAttempts({
  role: 'worker',
  reply: 'result: Internal Server Error',
  count: 40,
});
const serverLog = (...lines: readonly string[]) => ({
  [`bootstrap/containers/machine-config-server-${containerId('m')}.log`]: [
    'I1122 11:00:00.000000       1 bootstrap.go:41] Version: v4.18.0-dirty',
    'I1122 11:00:00.000000       1 api.go:76] Launching server on :22623',
    ...lines,
    '',
  ].join('\n'),
});
const refusals = Array.from({ length: 30 }, (_, index) => [
  `I1122 11:${30 + index}:01.281248       1 api.go:117] Pool worker requested by address:"172.16.0.31:387${10 + index}" User-Agent:"Ignition/2.20.0" Accept-Header: "application/vnd.coreos.ignition+json;version=3.4.0, */*;q=0.1"`,
  `E1122 11:${30 + index}:01.281300       1 api.go:183] couldn't get config for req: {worker 0xc0003a0b80}, error: refusing to serve bootstrap configuration to pool "worker"`,
]).flat();

/** Cases while the bootstrap waits. */
export const BOOTSTRAP_FIELD_CASES: readonly FieldCase[] = [
  {
    id: 'F01',
    source: 'https://github.com/okd-project/okd/issues/294',
    symptom: 'a control plane node is refused at 22623; after ten minutes the network is unreachable',
    cause: 'HAProxy has no frontend for 22623; the lease ends after 600 s',
    expected: ['config-server-closed'],
    evidence: [
      text(...refused, ...unreachable),
      bundle(packWaitingBootstrap({ 'serial/m1.log': [...refused, ...unreachable, ''].join('\n') })),
      site({
        ...haproxy(/^listen machine-config[\s\S]*?(?=^\S)/m, ''),
        balancerMembers: bootstrapping.balancerMembers.filter(({ pool }) => pool !== 'machine-config'),
        ports: bootstrapping.ports.map((each) =>
          each.kind === 'api-int' && each.port === 22623 ? { ...each, state: 'refused' as const } : each,
        ),
        files: bootstrapping.files.map((file) =>
          file.kind === 'isc-dhcpd'
            ? { ...file, text: file.text.replace(/default-lease-time \d+/, 'default-lease-time 600') }
            : { ...file, text: file.text.replace(/^listen machine-config[\s\S]*?(?=^\S)/m, '') },
        ),
      }),
    ],
  },
  {
    id: 'F03',
    source: 'https://github.com/okd-project/okd/issues/695',
    symptom: 'control plane nodes do not get their configuration',
    cause: 'the load balancer leads 22623 to no server',
    expected: ['config-server-closed'],
    evidence: [
      text(...closed),
      bundle(packWaitingBootstrap({ ...serverLog(), 'serial/m1.log': `${closed.join('\n')}\n` })),
      site({
        ...bootstrapping,
        balancerMembers: bootstrapping.balancerMembers.map((each) =>
          each.pool === 'machine-config' ? member('machine-config', each.name, 'DOWN', 'L4CON') : each,
        ),
        ports: bootstrapping.ports.map((each) =>
          each.kind === 'api-int' && each.port === 22623 ? { ...each, state: 'closed-at-once' as const } : each,
        ),
      }),
    ],
  },
  {
    id: 'F05',
    source: 'https://github.com/okd-project/okd/issues/393',
    symptom: 'workers are refused at 22623',
    cause: 'the control plane nodes were never booted; the refusal is normal until they are up',
    expected: ['control-plane-absent'],
    evidence: [
      bundle(packWaitingBootstrap({ ...unreachableMasters('No route to host'), ...serverLog(...refusals) })),
      text(
        ...formatPasted(BS, 'bootkube.sh[2304]', ...POD_STATUS.slice(0, 12)),
        ...refusals.map((line) => `2026-11-22T11:30:00.281495982+00:00 stderr F ${line}`),
      ),
    ],
  },
  {
    id: 'F09',
    source: 'https://github.com/redhat-cop/ocp4-helpernode/issues/30',
    symptom: 'api-int is not found',
    cause: 'the nodes ask another name server than the one with the zone; look-ups before the network is up are normal',
    expected: ['resolver-elsewhere'],
    evidence: [
      bundle(
        packWaitingBootstrap({
          'serial/m1.log': [
            ...formatConsoleAttempts({
              first: 1,
              count: 4,
              reply: `error: Get "URL": dial tcp: lookup ${API_INT} on [::1]:53: read udp [::1]:53965->[::1]:53: read: connection refused`,
            }),
            '[    6.312019] dracut-initqueue[698]: dhcp: PREINIT enp1s0 up',
            ...formatConsoleAttempts({
              first: 5,
              count: 40,
              reply: `error: Get "URL": dial tcp: lookup ${API_INT} on 192.168.122.1:53: no such host`,
            }),
            '',
          ].join('\n'),
        }),
      ),
    ],
  },
  {
    id: 'F15',
    source: 'https://github.com/ocp-power-automation/ocp4-upi-powervm/issues/269',
    symptom: 'certificate not yet valid',
    cause: 'the clock of the machine differs from the time at which the certificates were made',
    expected: ['clock-skew'],
    evidence: [
      text(
        ...formatConsoleAttempts({
          reply:
            'error: Get "URL": x509: certificate has expired or is not yet valid: current time 2026-11-22T05:53:38Z is before 2026-11-22T10:23:36Z',
        }),
      ),
      bundle(
        packWaitingBootstrap({
          'serial/m1.log': formatConsoleAttempts({
            reply:
              'error: Get "URL": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T05:53:38Z is before 2026-11-22T10:23:36Z',
          }).join('\n'),
        }),
      ),
    ],
  },
  {
    id: 'F17',
    source: 'https://github.com/openshift/installer/issues/1955',
    symptom: 'x509: certificate has expired or is not yet valid',
    cause: 'the directory has the files of an earlier run',
    expected: ['ignition-stale'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap-0',
          'bootkube.sh[6353]',
          ...Array.from(
            { length: 12 },
            (_, index) =>
              `[#${1480 + index}] failed to fetch discovery: Get https://localhost:6443/api?timeout=32s: x509: certificate has expired or is not yet valid`,
          ),
        ),
      ),
      bundle(
        bootkube(
          'cb-bootstrap',
          ['wait-for-etcd'],
          times(
            20,
            'E1122 11:58:00.912650       1 reflector.go:251] failed to list *v1.Pod: Get "https://localhost:6443/api/v1/pods": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T11:58:00Z is after 2026-11-21T09:00:00Z',
          ),
          { ...unreachableMasters('Connection refused'), ...noApi },
        ),
      ),
      text(
        ...times(
          6,
          'DEBUG Still waiting for the Kubernetes API: Get "https://api.lab.example.com:6443/version?timeout=32s": x509: certificate has expired or is not yet valid: current time 2026-11-22T11:58:00Z is after 2026-11-21T09:00:00Z',
        ),
      ),
    ],
  },
  {
    id: 'F25',
    source: 'https://github.com/openshift/installer/issues/5689',
    symptom: 'the release image cannot be pulled in a network without internet',
    cause: 'the mirror is not reached',
    expected: ['registry-unreachable'],
    evidence: [
      bundle(
        pullFailure(
          'initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab12: (Mirrors also failed: [mirror.example.localdomain:5000/ocp4/openshift4@sha256:ab12: pinging container registry mirror.example.localdomain:5000: Get "https://mirror.example.localdomain:5000/v2/": dial tcp 172.16.0.60:5000: connect: no route to host]): quay.io/openshift-release-dev/ocp-release@sha256:ab12: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: connect: network is unreachable',
        ),
      ),
      text(
        ...formatPasted(
          'bootstrap.lab.example.com',
          'release-image-download.sh[1505]',
          ...times(
            4,
            'Error: Error initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab12: (Mirrors also failed: [bastion.lab.example.com:5000/ocp4/openshift4@sha256:ab12: error pinging docker registry bastion.lab.example.com:5000: Get "https://bastion.lab.example.com:5000/v2/": dial tcp 192.168.7.77:5000: i/o timeout]): quay.io/openshift-release-dev/ocp-release@sha256:ab12: error pinging docker registry quay.io: Get "https://quay.io/v2/": dial tcp 18.235.225.205:443: i/o timeout',
            'Pull failed. Retrying quay.io/openshift-release-dev/ocp-release@sha256:ab12...',
          ),
        ),
      ),
    ],
  },
  {
    id: 'F41',
    source: 'https://github.com/ryanhay/ocp4-metal-install/issues/30',
    symptom: 'a worker asks for its configuration more than 600 times',
    cause: 'the load balancer, or the control plane behind it, serves no configuration',
    expected: ['config-server-closed'],
    evidence: [
      text(...formatConsoleAttempts({ role: 'worker', first: 600, reply: 'error: Get "URL": EOF' })),
      text(
        ...formatConsoleAttempts({
          role: 'worker',
          first: 612,
          reply: `error: Get "URL": dial tcp ${BALANCER}:22623: connect: connection refused`,
        }),
      ),
      text(...formatConsoleAttempts({ role: 'worker', first: 600, reply: '' }).filter((line) => /attempt/.test(line))),
    ],
  },
  {
    id: 'F43',
    source: 'https://github.com/openshift/installer/issues/7304',
    symptom: 'the installation of a single node never ends, and its name contains "etcd"',
    cause: 'the script counts containers whose name has the name of the node (OCPBUGS-15852)',
    expected: ['hostname-etcd'],
    evidence: [
      text(...formatPasted('etcd-lab.example.com', 'bootkube.sh[2304]', ...times(30, 'Waiting for etcd to go down'))),
      bundle({
        ...bootkube(
          'wait-for-ceo',
          ['wait-for-etcd', 'cb-bootstrap'],
          ['Waiting for CEO to finish...', ...times(60, 'Waiting for etcd to go down')],
          {
            'bootstrap/network/hostname.txt': 'sno-etcd1.example.com\n',
            ...unreachableMasters('Connection refused'),
            ...noNodes,
          },
        ),
      }),
    ],
  },
  {
    id: 'F13',
    source: 'https://github.com/RedHatOfficial/ocp4-vsphere-upi-automation/issues/12',
    symptom: 'a node has another address than planned, and its name does not fit',
    cause: 'the DHCP server gave it another lease',
    expected: ['wrong-mac', 'node-address-unexpected'],
    evidence: [
      site({
        ...booting,
        machines: booting.machines.map((each) =>
          each.name === 'm2'
            ? {
                ...each,
                stage: 'off' as const,
                lastRequest: null,
                requests: [],
                poweredOnAt: booting.now - 15 * 60_000,
              }
            : each,
        ),
        unknownMacs: ['00:50:56:a8:11:22'],
        lines: [
          {
            source: 'dhcp',
            host: null,
            text: 'DHCPACK on 172.16.0.187 to 00:50:56:a8:11:22 via ens3',
            at: booting.now - 60_000,
          },
        ],
      }),
      {
        ...bundle(
          createLogBundle(design, {
            'resources/nodes.json': formatResources(nodeObject(design, 'm1'), {
              ...nodeObject(design, 'm2'),
              status: {
                ...nodeObject(design, 'm2').status,
                addresses: [
                  { type: 'InternalIP', address: '172.16.0.187' },
                  { type: 'Hostname', address: `m2.${DOMAIN}` },
                ],
              },
            }),
          }),
        ),
        needsDesign: true,
      },
    ],
  },
  {
    id: 'F07',
    source: 'https://github.com/okd-project/okd/issues/174',
    symptom:
      'a worker gets "Internal Server Error", which is normal until the control plane is up; later it does not join',
    cause: 'its requests wait for approval',
    expected: ['requests-wait'],
    evidence: [
      text(
        ...refusedWorkers,
        '$ oc get csr',
        'NAME        AGE     REQUESTOR                                                                   CONDITION',
        'csr-xvnjg   106m    system:node:okd4-control-plane-3                                            Approved,Issued',
        'csr-zbnl6   3h3m    system:node:okd4-control-plane-3                                            Approved,Issued',
        'csr-jzs2g   49m     system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   Pending',
        'csr-hx6jm   23m     system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   Pending',
        'csr-k7z8h   3h4m    system:node:okd4-control-plane-1                                            Approved,Issued',
      ),
      text(
        'NAME        AGE   SIGNERNAME                                    REQUESTOR                                                                   REQUESTEDDURATION   CONDITION',
        'csr-6xb2k   12m   kubernetes.io/kube-apiserver-client-kubelet   system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   <none>              Pending',
        'csr-8cs2w   27m   kubernetes.io/kube-apiserver-client-kubelet   system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   <none>              Pending',
      ),
    ],
  },
];

/** Journal of a unit of the bootstrap. */
export const bootstrapJournal = (unit: string, messages: readonly string[]) => formatJournal(BS, unit, messages);

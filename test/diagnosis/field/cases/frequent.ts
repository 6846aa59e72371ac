import { DOMAIN, type FieldCase, formatPasted, text, times } from '../field-case.ts';

const GITHUB = 'https://github.com';
const RENDERED = 'rendered-master-875b2cd14b3f0c5149589aff3d6e400d';

/** Failures that several threads each report, by the words of their programs. */
export const FREQUENT_FIELD_CASES: readonly FieldCase[] = [
  {
    id: 'okd#963',
    source: `${GITHUB}/okd-project/okd/issues/963`,
    symptom: 'machine-config does not initialize; so in okd#87, #449, #1013, #1085, #1128, installer#5086, MCO#2218',
    cause: 'the nodes booted with a rendered configuration that the cluster does not have',
    expected: ['pool-degraded'],
    evidence: [
      text(
        'NAME                 VERSION                          AVAILABLE   PROGRESSING   DEGRADED   SINCE   MESSAGE',
        `machine-config                                        False       True          True       72m     Unable to apply 4.9.0-0.okd-2021-11-28: error during syncRequiredMachineConfigPools: pool is degraded because nodes fail with "3 nodes are reporting degraded status on sync": "Node m1.${DOMAIN} is reporting: \\"machineconfig.machineconfiguration.openshift.io \\\\\\"${RENDERED}\\\\\\" not found\\""`,
      ),
      text(
        'I1119 12:52:27.999006   13433 node.go:45] Setting initial node config: rendered-master-41b12479bd5f494716d6320e18b6c89b',
        `E1119 12:52:28.016387   13433 writer.go:135] Marking Degraded due to: machineconfig.machineconfiguration.openshift.io "${RENDERED}" not found`,
      ),
    ],
  },
  {
    id: 'crc#218',
    source: `${GITHUB}/crc-org/crc/issues/218`,
    symptom: 'oc logs fails with "tls: internal error"; so in installer#1467, okd#174',
    cause: 'the requests for serving certificates wait for approval',
    expected: ['serving-requests-wait'],
    evidence: [
      text(
        '$ oc logs -n openshift-ingress router-default-6d8c9f5c7b-x2k4p',
        `Error from server: Get "https://w1.${DOMAIN}:10250/containerLogs/openshift-ingress/router-default-6d8c9f5c7b-x2k4p/router": remote error: tls: internal error`,
      ),
    ],
  },
  {
    id: 'origin#21821',
    source: `${GITHUB}/openshift/origin/issues/21821`,
    symptom: 'the kubelet has no serving certificate',
    cause: 'its requests wait for approval',
    expected: ['serving-requests-wait'],
    evidence: [
      text(
        ...formatPasted(
          'w1',
          'kubenswrapper[1600]',
          ...times(
            4,
            'I1122 11:10:45.941255    1600 log.go:194] http: TLS handshake error from 10.130.210.50:50594: no serving certificate available for the kubelet',
          ),
        ),
      ),
    ],
  },
  {
    id: 'installer#3711',
    source: `${GITHUB}/openshift/installer/issues/3711`,
    symptom: 'the kubelet of a worker is system:anonymous; so in okd#59, dev-scripts#597',
    cause: 'the requests of the workers wait for approval',
    expected: ['requests-wait'],
    evidence: [
      text(
        ...formatPasted(
          'w1',
          'hyperkube[1374]',
          ...times(
            3,
            `E0602 20:37:53.850717    1374 reflector.go:153] k8s.io/kubernetes/pkg/kubelet/kubelet.go:458: Failed to list *v1.Node: nodes "w1.${DOMAIN}" is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope`,
            `E0602 20:37:53.917188    1374 kubelet.go:2274] node "w1.${DOMAIN}" not found`,
          ),
        ),
      ),
      text(
        ...formatPasted(
          'w1',
          'kubenswrapper[1600]',
          ...times(
            3,
            `E1122 11:10:05.118200    1600 kubelet_node_status.go:92] "Unable to register node with API server" err="nodes is forbidden: User \\"system:anonymous\\" cannot create resource \\"nodes\\" in API group \\"\\" at the cluster scope" node="w1.${DOMAIN}"`,
          ),
        ),
      ),
    ],
  },
  {
    id: 'fcos#1540',
    source: `${GITHUB}/coreos/fedora-coreos-tracker/issues/1540`,
    symptom: 'the initramfs cannot be unpacked; so in fcos#388, #407',
    cause: 'the machine has too little memory',
    expected: ['machine-too-weak'],
    evidence: [
      text(
        '[    2.323233] Initramfs unpacking failed: write error',
        '[    3.930319] VFS: Unable to mount root fs on unknown-block(0,0)',
      ),
    ],
  },
  {
    id: 'fcos#1055',
    source: `${GITHUB}/coreos/fedora-coreos-tracker/issues/1055`,
    symptom: 'the root file system of the live system does not fit into memory',
    cause: 'the machine has too little memory',
    expected: ['machine-too-weak'],
    evidence: [
      text(
        '[   20.204417] coreos-livepxe-rootfs[600]: Fetching rootfs image from http://172.16.0.101:8080/images/rootfs.img...',
        '[   30.231890] coreos-livepxe-rootfs[602]: bsdtar: Write error: No space left on device',
        "[   30.231921] coreos-livepxe-rootfs[600]: Couldn't fetch, verify, and unpack image specified by coreos.live.rootfs_url=",
        '[   30.231933] coreos-livepxe-rootfs[600]: Check that the URL is correct and that the rootfs version matches the initramfs.',
      ),
      text(
        'Ran out of memory when unpacking initrd filesystem.  Ensure your system has',
        'at least 2 GiB RAM if booting with coreos.live.rootfs_url, or 4 GiB otherwise.',
      ),
    ],
  },
  {
    id: 'fcos#1423',
    source: `${GITHUB}/coreos/fedora-coreos-tracker/issues/1423`,
    symptom: 'the live system does not reach the server of its root file system',
    cause: 'as the message says: no network, or no server',
    expected: ['boot-server-silent'],
    evidence: [
      text(
        '[   20.204417] coreos-livepxe-rootfs[600]: Fetching rootfs image from http://172.16.0.101:8080/images/rootfs.img...',
        "[   24.231890] coreos-livepxe-rootfs[602]: curl: (7) Couldn't connect to server",
        "[   24.231921] coreos-livepxe-rootfs[600]: Couldn't establish connectivity with the server specified by:",
        '[   24.231933] coreos-livepxe-rootfs[600]: coreos.live.rootfs_url=http://172.16.0.101:8080/images/rootfs.img',
      ),
    ],
  },
  {
    id: 'coreos-livepxe-rootfs',
    source: `${GITHUB}/coreos/fedora-coreos-config`,
    symptom: 'the live system finds files of two builds',
    cause: 'as the message says',
    expected: ['rhcos-mixed'],
    evidence: [
      text(
        '[   20.204417] coreos-livepxe-rootfs[600]: Found initramfs version 418.94.202410090804-0 but rootfs version 417.94.202408081010-0.',
        '[   20.204512] coreos-livepxe-rootfs[600]: Please fix your PXE configuration.',
      ),
    ],
  },
  {
    id: 'crc#2731',
    source: `${GITHUB}/crc-org/crc/issues/2731`,
    symptom: 'HAProxy does not start: it cannot bind; so in kubernetes-the-hard-way#7',
    cause: 'the host lacks the address, or another program uses the port',
    expected: ['balancer-closed'],
    evidence: [
      text(
        ...formatPasted(
          'lb1',
          'haproxy[34178]',
          '[ALERT] 258/031035 (34178) : Starting frontend apps: cannot bind socket [192.168.2.101:443]',
        ),
        ...formatPasted('lb1', 'systemd[1]', 'haproxy.service: Main process exited, code=exited, status=1/FAILURE'),
      ),
      text(
        ...formatPasted(
          'lb1',
          'haproxy[1234]',
          '[ALERT]    (1234) : Binding [/etc/haproxy/haproxy.cfg:40] for frontend api: cannot bind socket (Cannot assign requested address) for [172.16.0.111:6443]',
        ),
      ),
    ],
  },
  {
    id: 'oc-mirror#262',
    source: `${GITHUB}/openshift/oc-mirror/issues/262`,
    symptom: 'a mirror registry answers in plain HTTP',
    cause: 'the registry has no TLS',
    expected: ['registry-untrusted'],
    evidence: [
      text(
        ...formatPasted(
          'bs',
          'release-image-download.sh[1500]',
          'Error: initializing source docker://mirror.example.localdomain:5000/ocp4/openshift4@sha256:0ff5adc1: pinging container registry mirror.example.localdomain:5000: Get "https://mirror.example.localdomain:5000/v2/": http: server gave HTTP response to HTTPS client',
          'Pull failed. Retrying mirror.example.localdomain:5000/ocp4/openshift4@sha256:0ff5adc1...',
        ),
      ),
    ],
  },
  {
    id: 'CNO#727',
    source: `${GITHUB}/openshift/cluster-network-operator/pull/727`,
    symptom: 'the network of a node does not start: it has no default gateway',
    cause: 'the node gets no default route',
    expected: ['gateway-wrong'],
    evidence: [
      text(
        ...formatPasted('m2', 'configure-ovs.sh[1898]', 'Default gateway interface found: null'),
        'F0730 21:08:03.130489   58258 ovnkube.go:130] failed to get default gateway interface',
      ),
    ],
  },
];

import { pullFailure } from '../../../steps/diagnose/scenes/log-bundles.ts';
import { API_INT, bundle, type FieldCase, formatConsoleAttempts, formatPasted, text, times } from '../field-case.ts';

const GITHUB = 'https://github.com';
const MIRROR = 'bastion.test.example.com:5000';
const RELEASE = 'quay.io/openshift-release-dev/ocp-release@sha256:0ff5adc1';

/** Further failures of public threads, by the words of their programs. */
export const FURTHER_FIELD_CASES: readonly FieldCase[] = [
  {
    id: 'okd#550',
    source: `${GITHUB}/okd-project/okd/issues/550`,
    symptom: 'requests come from localhost.localdomain',
    cause: 'the nodes get no name from DHCP',
    expected: ['hostname-localhost'],
    evidence: [
      text(
        '[systemd]',
        'Failed Units: 1',
        '  node-valid-hostname.service',
        '[core@localhost ~]$ journalctl -u node-valid-hostname.service',
        ...formatPasted('localhost', 'systemd[1]', 'Starting Ensure the node hostname is valid for the cluster...'),
        ...formatPasted('localhost', 'bash[1012]', 'waiting for non-localhost hostname to be assigned'),
      ),
    ],
  },
  {
    id: 'okd#416',
    source: `${GITHUB}/okd-project/okd/issues/416`,
    symptom: 'a node calls itself fedora',
    cause: 'Fedora CoreOS without a name calls itself so',
    expected: ['hostname-localhost'],
    evidence: [
      text(
        ...formatPasted(
          'fedora',
          'hyperkube[1789]',
          ...times(9, 'E1206 21:59:00.146953    1789 kubelet.go:2270] node "fedora" not found'),
        ),
      ),
    ],
  },
  {
    id: 'ironicbadger#23',
    source: `${GITHUB}/ironicbadger/ocp4/issues/23`,
    symptom: 'x509: current time is before',
    cause: 'the machines have no common time',
    expected: ['clock-skew'],
    evidence: [
      text(
        'DEBUG Still waiting for the Kubernetes API: Get "https://api.ocp4.openshift.lab.int:6443/version?timeout=32s": x509: certificate has expired or is not yet valid: current time 2026-05-14T00:00:21+08:00 is before 2026-05-14T05:45:12Z',
      ),
    ],
  },
  {
    id: 'installer#1792',
    source: `${GITHUB}/openshift/installer/issues/1792`,
    symptom: 'cluster-bootstrap finds expired certificates',
    cause: 'ignition files of an earlier run',
    expected: ['ignition-stale'],
    evidence: [
      text(
        ' Get https://api.okd.myDOMAIN.dev:6443/api/v1/pods: x509: certificate has expired or is not yet valid',
        ...formatPasted(
          'okd-boot-0',
          'bootkube.sh[6353]',
          ...times(
            3,
            '[#1489] failed to fetch discovery: Get https://localhost:6443/api?timeout=32s: x509: certificate has expired or is not yet valid',
          ),
        ),
      ),
    ],
  },
  {
    id: 'installer#3502',
    source: `${GITHUB}/openshift/installer/issues/3502`,
    symptom: 'a control plane node finds an expired certificate at 22623',
    cause: 'ignition files that are too old',
    expected: ['ignition-stale'],
    evidence: [
      text(...formatConsoleAttempts({ reply: 'error: Get URL: x509: certificate has expired or is not yet valid' })),
    ],
  },
  {
    id: 'okd#1918',
    source: `${GITHUB}/okd-project/okd/issues/1918`,
    symptom: 'cluster-bootstrap lists no pods: the certificate has expired',
    cause: 'the certificates of the ignition file are over',
    expected: ['ignition-stale'],
    evidence: [
      text(
        '20:08:50  cluster-bootstrap[96008]: API is up',
        ...times(
          4,
          '20:08:50  cluster-bootstrap[96008]: W0408 20:08:50.339870       1 reflector.go:533] github.com/openshift/cluster-bootstrap/pkg/start/status.go:127: failed to list *v1.Pod: Get "https://localhost:6443/api/v1/pods": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-04-08T20:08:50Z is after 2026-04-07T09:00:00Z',
        ),
      ),
    ],
  },
  {
    id: 'okd#165',
    source: `${GITHUB}/okd-project/okd/issues/165`,
    symptom: 'x509: certificate signed by unknown authority at 22623',
    cause: 'the frontend of 22623 leads to the API',
    expected: ['ignition-of-another-cluster', 'balancer-port-mixed'],
    evidence: [
      text(...formatConsoleAttempts({ reply: 'error: Get "URL": x509: certificate signed by unknown authority' })),
    ],
  },
  {
    id: 'okd-scos#27',
    source: `${GITHUB}/okd-project/okd-scos/issues/27`,
    symptom: 'bootkube does not find oc',
    cause: 'Fedora CoreOS boots a release of CentOS Stream CoreOS',
    expected: ['boot-image-not-of-release'],
    evidence: [
      text(
        ...formatPasted(
          'control-plane',
          'bootkube.sh[3666]',
          '/usr/local/bin/bootkube.sh: line 81: oc: command not found',
        ),
      ),
    ],
  },
  {
    id: 'okd#1509',
    source: `${GITHUB}/okd-project/okd/issues/1509`,
    symptom: 'rpm-ostree rebase: Invalid refspec',
    cause: 'the boot image is too old',
    expected: ['boot-image-not-of-release'],
    evidence: [
      text(
        '++ rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/openshift/okd-content@sha256:ae04fc72',
        'error: Invalid refspec ostree-unverified-registry:quay.io/openshift/okd-content@sha256:ae04fc72',
        '+ record_service_exit 1',
      ),
    ],
  },
  {
    id: 'okd#97',
    source: `${GITHUB}/okd-project/okd/issues/97`,
    symptom: 'the kubelet of a control plane node has no program; bootkube repeats its line about MachineConfig',
    cause: 'the boot image has no hyperkube; the line of bootkube is normal',
    expected: ['boot-image-not-of-release'],
    evidence: [
      text(
        ...formatPasted(
          'okd4-bootstrap',
          'bootkube.sh[749]',
          '[#3542] failed to create some manifests:',
          '"99_openshift-machineconfig_99-master-ssh.yaml": unable to get REST mapping for "99_openshift-machineconfig_99-master-ssh.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
        ),
        ...formatPasted(
          'okd4-master-0',
          'systemd[3351]',
          'kubelet.service: Failed to execute command: No such file or directory',
          'kubelet.service: Failed at step EXEC spawning /usr/bin/hyperkube: No such file or directory',
        ),
      ),
    ],
  },
  {
    id: 'coreos-installer#1463',
    source: `${GITHUB}/coreos/coreos-installer/issues/1463`,
    symptom: 'found busy partitions',
    cause: 'the system runs from the disk that is to be written',
    expected: ['disk-busy'],
    evidence: [
      text(
        'May 10 13:00:39  install-to-disk.sh[22377]: Executing coreos-installer with the following options: install -i /opt/openshift/master.ign /dev/sda',
        'May 10 13:00:40  install-to-disk.sh[22407]: Partitions in use on /dev/sda:',
        'May 10 13:00:40  install-to-disk.sh[22407]:     /dev/sda3 mounted on /boot',
        'May 10 13:00:40  install-to-disk.sh[22407]:     /dev/sda4 mounted on /sysroot',
        'May 10 13:00:40  install-to-disk.sh[22407]: Error: checking for exclusive access to /dev/sda',
        'May 10 13:00:40  install-to-disk.sh[22407]: Caused by:',
        'May 10 13:00:40  install-to-disk.sh[22407]:     found busy partitions',
        'May 10 13:00:40  systemd[1]: install-to-disk.service: Main process exited, code=exited, status=1/FAILURE',
      ),
    ],
  },
  {
    id: 'coreos-installer#803',
    source: `${GITHUB}/coreos/coreos-installer/issues/803`,
    symptom: 'coreos-installer finds /dev/vda in use',
    cause: 'the virtual machine started from /dev/vda',
    expected: ['disk-busy'],
    evidence: [
      text(
        'Partitions in use on /dev/vda:',
        '    /dev/vda3 mounted on /boot',
        'Error: checking for exclusive access to /dev/vda',
        '',
        'Caused by:',
        '    found busy partitions',
      ),
    ],
  },
  {
    id: 'coreos#152',
    source: `${GITHUB}/coreos/bugs/issues/152`,
    symptom: 'BLKRRPART: Device or resource busy',
    cause: 'LVM of an earlier system on the disk',
    expected: ['disk-busy'],
    evidence: [
      text('blockdev: ioctl error on BLKRRPART: Device or resource busy', 'Failed to reread partitions on /dev/sda'),
    ],
  },
  {
    id: 'okd#2231',
    source: `${GITHUB}/okd-project/okd/issues/2231`,
    symptom: 'the release of the CI is pulled and not found',
    cause: 'openshift-install was built without its release',
    expected: ['release-broken'],
    evidence: [
      text(
        ...formatPasted(
          'svokd4dbootstrap01.intra.example.com',
          'release-image-download.sh[1061]',
          'Pull failed. Retrying registry.ci.openshift.org/origin/release:4.17...',
          'Error: initializing source docker://registry.ci.openshift.org/origin/release:4.17: reading manifest 4.17 in registry.ci.openshift.org/origin/release: manifest unknown',
        ),
      ),
      bundle(
        pullFailure(
          'initializing source docker://registry.ci.openshift.org/origin/release:4.17: reading manifest 4.17 in registry.ci.openshift.org/origin/release: manifest unknown',
        ),
      ),
    ],
  },
  {
    id: 'okd#2293',
    source: `${GITHUB}/okd-project/okd/issues/2293`,
    symptom: 'bootkube: unknown flag',
    cause: 'an image of another version is in the release',
    expected: ['release-broken'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap',
          'bootkube.sh[5821]',
          'Rendering Kubernetes API server core manifests...',
          'Error: unknown flag: --operand-kubernetes-version',
        ),
      ),
    ],
  },
  {
    id: 'okd#507 (first)',
    source: `${GITHUB}/okd-project/okd/issues/507`,
    symptom: 'bootkube: Unknown name requested',
    cause: 'openshift-install and the release do not belong together',
    expected: ['release-broken'],
    evidence: [
      text(
        ...formatPasted(
          'bs',
          'bootkube.sh[2578131]',
          'F0210 10:21:54.875723       1 image.go:32] error: error: Unknown name requested, could not find kube-client-agent in UpdatePayload',
        ),
      ),
    ],
  },
  {
    id: 'helpernode#228',
    source: `${GITHUB}/redhat-cop/ocp4-helpernode/issues/228`,
    symptom: 'a control plane node asks itself for api-int for half an hour',
    cause: 'the address was set by hand without a name server',
    expected: ['dhcp-options-wrong'],
    evidence: [
      text(
        ...formatConsoleAttempts({
          first: 347,
          reply: `error: Get "URL": dial tcp: lookup ${API_INT} on [::1]:53: read udp [::1]:45552->[::1]:53: read: connection refused`,
        }),
      ),
    ],
  },
  {
    id: 'okd#440',
    source: `${GITHUB}/okd-project/okd/issues/440`,
    symptom: 'look-ups at [::1] on the bootstrap',
    cause: '/etc/resolv.conf leads to nothing',
    expected: ['dhcp-options-wrong'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap',
          'release-image-download.sh[931]',
          ...times(
            4,
            'Error: Error initializing source docker://quay.io/openshift/okd@sha256:01948f4c: error pinging docker registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on [::1]:53: read udp [::1]:60125->[::1]:53: read: connection refused',
          ),
        ),
      ),
    ],
  },
  {
    id: 'ocp-libvirt-upi#2',
    source: `${GITHUB}/rgouveia-redhat/ocp-libvirt-upi/issues/2`,
    symptom: 'the mirror wants a login',
    cause: 'the pull secret has none that it accepts',
    expected: ['pull-secret-rejected', 'pull-secret-without-registry'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap.test.example.com',
          'release-image-download.sh[1505]',
          `Error: Error initializing source docker://${RELEASE}: (Mirrors also failed: [${MIRROR}/ocp4/openshift4@sha256:0ff5adc1: Error reading manifest sha256:0ff5adc1 in ${MIRROR}/ocp4/openshift4: unauthorized: authentication required]): ${RELEASE}: error pinging docker registry quay.io: Get "https://quay.io/v2/": dial tcp 18.235.225.205:443: connect: connection refused`,
          `Pull failed. Retrying ${RELEASE}...`,
        ),
      ),
    ],
  },
  {
    id: 'okd#1873',
    source: `${GITHUB}/okd-project/okd/issues/1873`,
    symptom: 'the node image is not in the mirror; quay.io does not answer',
    cause: 'the mirror is incomplete',
    expected: ['release-missing'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap',
          'bootstrap-pivot.sh[2001]',
          'time="2026-01-29T13:08:44Z" level=warning msg="Failed, retrying in 1s ... (2/3). Error: initializing source docker://quay.io/openshift/okd-content@sha256:b3a9: (Mirrors also failed: [registry.bomar.example.com:5000/ocp4/okd@sha256:b3a9: reading manifest sha256:b3a9 in registry.bomar.example.com:5000/ocp4/okd: manifest unknown]): quay.io/openshift/okd-content@sha256:b3a9: pinging container registry quay.io: Get \\"https://quay.io/v2/\\": net/http: TLS handshake timeout"',
        ),
      ),
    ],
  },
  {
    id: 'helpernode#252',
    source: `${GITHUB}/redhat-cop/ocp4-helpernode/issues/252`,
    symptom: 'x509 at the mirror',
    cause: 'the nodes do not know the authority of the mirror',
    expected: ['registry-untrusted'],
    evidence: [
      text(
        ...formatPasted(
          'bootstrap',
          'release-image-download.sh[1505]',
          `Error: Error initializing source docker://${RELEASE}: (Mirrors also failed: [${MIRROR}/ocp4/openshift4@sha256:0ff5adc1: error pinging docker registry ${MIRROR}: Get "https://${MIRROR}/v2/": x509: certificate signed by unknown authority]): ${RELEASE}: error pinging docker registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 192.168.7.77:53: no such host`,
        ),
      ),
    ],
  },
  {
    id: 'docs#118944',
    source: `${GITHUB}/openshift/openshift-docs/pull/118944`,
    symptom: 'a node of 4.22 refuses its first image',
    cause: 'the mirror has no signatures',
    expected: ['signatures-missing'],
    evidence: [
      text(
        ...formatPasted(
          'm1',
          'podman[1702]',
          'Error: copying system image from manifest list: Source image rejected: A signature was required, but no signature exists',
        ),
        ...formatPasted('m1', 'systemd[1]', "machine-config-daemon-pull.service: Failed with result 'exit-code'."),
      ),
    ],
  },
  {
    id: 'oc-mirror#917',
    source: `${GITHUB}/openshift/oc-mirror/issues/917`,
    symptom: 'an update is not accepted',
    cause: 'the cluster does not find the signature of the release',
    expected: ['signatures-missing'],
    evidence: [
      text(
        '  - lastTransitionTime: "2026-09-04T05:23:39Z"',
        `    message: 'Retrieving payload failed version="4.16.10" image="mirror.example.com:50000/openshift-release-dev/ocp-release@sha256:793bac91"`,
        '      failure=The update cannot be verified: unable to verify sha256:793bac91',
        "      against keyrings: verifier-public-key-redhat'",
        '    reason: RetrievePayload',
      ),
    ],
  },
  {
    id: 'hetzner-ocp4#253',
    source: `${GITHUB}/RedHat-EMEA-SSA-Team/hetzner-ocp4/issues/253`,
    symptom: 'Fatal glibc error',
    cause: 'the virtual machine shows an old processor',
    expected: ['cpu-too-old'],
    evidence: [text('Fatal glibc error: CPU does not support x86-64-v2')],
  },
  {
    id: 'okd#1938',
    source: `${GITHUB}/okd-project/okd/issues/1938`,
    symptom: 'bad shim signature',
    cause: 'Secure Boot refuses the kernel of CentOS Stream CoreOS',
    expected: ['shim-signature-bad'],
    evidence: [
      text(
        'error: ../../grub-core/kern/efi/sb.c:182:bad shim signature.',
        'error: ../../grub-core/loader/i386/efi/linux.c:258:you need to load the kernel first.',
        'Press any key to continue...',
      ),
      text(
        'BdsDxe: failed to load Boot0002 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x2,0x3)/Pci(0x0,0x0): Access Denied -- rejected probably by Secure Boot',
      ),
    ],
  },
  {
    id: 'ocp4-metal-install#31',
    source: `${GITHUB}/ryanhay/ocp4-metal-install/issues/31`,
    symptom: 'HAProxy does not start',
    cause: 'its file ends in the middle of a line',
    expected: ['service-file-broken'],
    evidence: [
      text(
        'Jun 28 20:09:05 ocp-svc.ocp.lan systemd[1]: Starting HAProxy Load Balancer...',
        'Jun 28 20:09:05 ocp-svc.ocp.lan haproxy[2705]: [ALERT]    (2705) : parsing [/etc/haproxy/haproxy.cfg:92]: Missing LF on last line, file might have been truncated at position >',
        'Jun 28 20:09:05 ocp-svc.ocp.lan haproxy[2705]: [ALERT]    (2705) : Fatal errors found in configuration.',
      ),
    ],
  },
  {
    id: 'okd#1654',
    source: `${GITHUB}/okd-project/okd/issues/1654`,
    symptom: 'no router is scheduled',
    cause: 'no worker joined, and the control plane takes no other pods',
    expected: ['routers-without-nodes'],
    evidence: [
      text(
        'ERROR Cluster operator authentication Degraded is True with OAuthServerRouteEndpointAccessibleController_SyncError: OAuthServerRouteEndpointAccessibleControllerDegraded: Get "https://oauth-openshift.apps.lab.example.com/healthz": EOF',
        'ERROR Cluster operator ingress Degraded is True with IngressDegraded: The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: DeploymentReplicasMinAvailable=False (DeploymentMinimumReplicasNotMet: 0/2 of replicas are available, max unavailable is 1: Some pods are not scheduled: Pod "router-default-58d56594bb-g9bvt" cannot be scheduled: 0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }. Make sure you have sufficient worker nodes.)',
      ),
    ],
  },
  {
    id: 'okd4-single-node#9',
    source: `${GITHUB}/cgruver/okd4-single-node-cluster/issues/9`,
    symptom: 'coreos-installer cannot fetch the ignition file',
    cause: 'no web server answers at the address',
    expected: ['boot-server-silent'],
    evidence: [
      text(
        '[    9.697397] coreos-installer-service[862]: Error: parsing arguments',
        '[    9.698402] coreos-installer-service[862]: Caused by: downloading source Ignition config http://10.0.0.114/install/fcos/ignition/master.ign',
        "[    9.700067] coreos-installer-service[862]: Caused by: sending request for 'http://10.0.0.114/install/fcos/ignition/master.ign'",
        '[    9.701514] coreos-installer-service[862]: Caused by: error sending request for url (http://10.0.0.114/install/fcos/ignition/master.ign): error trying to connect: tcp connect error: Connection refused (os error 111)',
      ),
    ],
  },
  {
    id: 'MCO#2562',
    source: `${GITHUB}/openshift/machine-config-operator/issues/2562`,
    symptom: 'the bootstrap refuses the configuration of a worker',
    cause: 'the control plane is not up yet; the refusal is normal',
    expected: ['control-plane-absent'],
    evidence: [
      text(
        ...times(
          6,
          `2026-04-20T04:16:30.944697032+00:00 stderr F E0420 04:16:30.944574       1 reflector.go:138] k8s.io/client-go/informers/factory.go:134: Failed to watch *v1.Pod: failed to list *v1.Pod: Get "https://localhost:6443/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded&limit=500&resourceVersion=0": dial tcp [::1]:6443: connect: connection refused`,
          `2026-04-20T04:16:32.281495982+00:00 stderr F I0420 04:16:32.281248       1 api.go:117] Pool worker requested by address:"192.168.0.196:38722" User-Agent:"Ignition/2.9.0"`,
          `2026-04-20T04:16:32.281495982+00:00 stderr F E0420 04:16:32.281300       1 api.go:130] couldn't get config for req: {worker 0xc0003a0b80}, error: refusing to serve bootstrap configuration to pool "worker"`,
        ),
      ),
    ],
  },
  {
    id: 'helpernode#270',
    source: `${GITHUB}/redhat-cop/ocp4-helpernode/issues/270`,
    symptom: 'a worker asks itself for names in its first seconds, then gets "Internal Server Error"',
    cause: 'none: the network is not up yet, then the control plane',
    expected: [],
    evidence: [
      text(
        ...formatConsoleAttempts({
          role: 'worker',
          first: 3,
          count: 5,
          reply: `error: Get "URL": dial tcp: lookup ${API_INT} on [::1]:53: read udp [::1]:38495->[::1]:53: read: connection refused`,
        }),
        ...formatConsoleAttempts({ role: 'worker', first: 8, count: 40, reply: 'result: Internal Server Error' }),
      ),
    ],
  },
  {
    id: 'installer#4571',
    source: `${GITHUB}/openshift/installer/issues/4571`,
    symptom: 'no route to host at 6443 and 22623',
    cause: 'no machine has the address: the bootstrap did not get it',
    expected: ['config-server-closed'],
    evidence: [
      text(
        ...times(
          5,
          'DEBUG Still waiting for the Kubernetes API: Get "https://api.osc.eng.example.com:6443/version?timeout=32s": dial tcp 10.0.0.64:6443: connect: no route to host',
        ),
        ...formatConsoleAttempts({ reply: 'error: Get "URL": dial tcp 10.0.0.64:22623: connect: no route to host' }),
      ),
    ],
  },
  {
    id: 'installer#4643',
    source: `${GITHUB}/openshift/installer/issues/4643`,
    symptom: 'Service Unavailable at 6443',
    cause: 'HAProxy asks the members in HTTP, and without a path',
    expected: ['api-health-check-wrong'],
    evidence: [
      text(
        'FATAL failed waiting for Kubernetes API: Get "https://api.milan46.conlab.ocp:6443/version?timeout=32s": Service Unavailable',
        '[root@milan-proxy ~]# cat /etc/haproxy/haproxy.cfg',
        'defaults',
        ' log global',
        ' timeout client 1m',
        ' timeout server 1m',
        '',
        'frontend openshift-api-server',
        ' bind *:6443',
        ' default_backend openshift-api-server',
        ' mode tcp',
        ' option tcplog',
        '',
        'backend openshift-api-server',
        ' mode tcp',
        ' option httpchk',
        ' server bootstrap 10.157.66.240:6443 check',
        ' server master0 10.157.66.243:6443 check',
        '',
        'frontend machine-config-server',
        ' bind *:22623',
        ' default_backend machine-config-server',
        ' mode tcp',
        '',
        'backend machine-config-server',
        ' mode tcp',
        ' server bootstrap 10.157.66.240:22623 check',
        ' server master0 10.157.66.243:22623 check',
      ),
    ],
  },
  {
    id: 'okd#294 (file)',
    source: `${GITHUB}/okd-project/okd/issues/294`,
    symptom: 'the file of the load balancer, as it was pasted',
    cause: 'it has no frontend for 22623',
    expected: ['config-server-closed'],
    evidence: [
      text(
        'frontend okd4_k8s_api_fe',
        'bind :6443',
        'default_backend okd4_k8s_api_be',
        'mode tcp',
        'backend okd4_k8s_api_be',
        'mode tcp',
        'server okd4-bootstrap 192.168.1.200:6443 check',
        'server okd4-control-plane-1 192.168.1.201:6443 check',
      ),
    ],
  },
  {
    id: 'okd#165 (file)',
    source: `${GITHUB}/okd-project/okd/issues/165`,
    symptom: 'x509 at 22623, and the file of the load balancer',
    cause: 'the frontend of 22623 leads to the API',
    expected: ['balancer-port-mixed'],
    evidence: [
      text(
        ...formatConsoleAttempts({ reply: 'error: Get "URL": x509: certificate signed by unknown authority' }),
        'frontend kubeapi',
        '  bind *:6443',
        '  mode tcp',
        '  default_backend kubeapi',
        'frontend machineapi',
        '  bind *:22623',
        '  mode tcp',
        '  default_backend kubeapi',
        'backend kubeapi',
        '  mode tcp',
        '  server bootstrap 10.0.0.10:6443 check',
        '  server master0 10.0.0.11:6443 check',
      ),
    ],
  },
  {
    id: 'docs#71645',
    source: `${GITHUB}/openshift/openshift-docs/pull/71645`,
    symptom: 'the sample of a load balancer',
    cause: 'the members of 22623 have the port of the API',
    expected: ['balancer-port-mixed', 'balancer-member-unreachable'],
    evidence: [
      text(
        'listen api-server-6443',
        '  bind *:6443',
        '  mode tcp',
        '  server bootstrap bootstrap.ocp4.example.com:6443 check inter 1s backup',
        '  server master0 master0.ocp4.example.com:6443 check inter 1s',
        'listen machine-config-server-22623',
        '  bind *:22623',
        '  mode tcp',
        '  server bootstrap bootstrap.ocp4.example.com:6443 check inter 1s backup',
        '  server master0 master0.ocp4.example.com:6443 check inter 1s',
      ),
    ],
  },
  {
    id: 'okd#380',
    source: `${GITHUB}/okd-project/okd/issues/380`,
    symptom: 'the bootstrap asks itself for the proxy',
    cause: '/etc/resolv.conf is gone after the restart',
    expected: ['dhcp-options-wrong'],
    evidence: [
      text(
        ...times(
          4,
          'Dez 25 19:53:27 k8s-bootstrap-1-01 release-image-download.sh[535281]: Error: Error initializing source docker://quay.io/openshift/okd@sha256:0194: error pinging docker registry quay.io: Get "https://quay.io/v2/": proxyconnect tcp: dial tcp: lookup proxy-01.example.com on [::1]:53: read udp [::1]:38212->[::1]:53: read: connection refused',
        ),
      ),
    ],
  },
  {
    id: 'okd#373',
    source: `${GITHUB}/okd-project/okd/issues/373`,
    symptom: 'three nodes and many requests',
    cause: 'the requests of the workers wait for approval',
    expected: ['requests-wait'],
    evidence: [
      text(
        'NAME                      STATUS   ROLES    AGE    VERSION',
        'dev-c1v4-2pdf5-master-0   Ready    master   4h5m   v1.18.3',
        'dev-c1v4-2pdf5-master-1   Ready    master   4h5m   v1.18.3',
        'dev-c1v4-2pdf5-master-2   Ready    master   4h6m   v1.18.3',
        'NAME        AGE   SIGNERNAME                                    REQUESTOR                                                                   CONDITION',
        'csr-5rb7n   3h3m  kubernetes.io/kube-apiserver-client-kubelet   system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   Pending',
        'csr-hkcvq   2d    kubernetes.io/kube-apiserver-client-kubelet   system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   Pending',
      ),
    ],
  },
  {
    id: 'rpm-ostree#4547',
    source: `${GITHUB}/coreos/rpm-ostree/issues/4547`,
    symptom: 'a live system cannot be replaced',
    cause: 'Fedora CoreOS boots a release of another system',
    expected: ['boot-image-not-of-release'],
    evidence: [text('error: Remounting /sysroot read-write: Permission denied')],
  },
  {
    id: 'installer#5617',
    source: `${GITHUB}/openshift/installer/issues/5617`,
    symptom: 'workers do not accept the certificate at 22623 of the load balancer',
    cause: 'the load balancer ends TLS',
    expected: ['balancer-tls-ends'],
    evidence: [
      text(
        ...formatConsoleAttempts({
          role: 'worker',
          reply: 'error: Get "URL": x509: certificate is valid for localhost.localdomain, not api-int.yv.okd',
        }),
      ),
    ],
  },
];

/** The page `help design`: all keys of the design file. */
export const designHelp = {
  intro:
    'One file, in YAML or JSON, holds the design; every generated file follows from it. The wizard keeps it in .upi-wizard/ of the install directory; "design check", "generate" and "rehearse --answers" read it.',
  make: 'Create one with "upi-wizard design example" (with comments), "upi-wizard design import FILE…" or the wizard. "design import" reads install-config.yaml, vars.yaml of helpernode, a table of nodes (CSV or pasted from a spreadsheet), hosts of dhcpd or Kea, and a hosts file. It lists what is still missing. "upi-wizard design schema" prints a JSON Schema for editors; in VS Code the first line of the file is:',
  schemaLine: '# yaml-language-server: $schema=./design.schema.json',
  strict:
    'Relative paths are relative to the file, and ~ is your home directory. A key that is not in this list is an error, so a misspelled key is never ignored. A required key of a block is required only if the block is present. A value of another type is an error too: 4.10 without quotes is the number 4.1, so quote versions.',
  names:
    'DNS, DHCP and Kubernetes name a node <name>.<cluster.name>.<baseDomain> and a service host <name>.<baseDomain>. One forward zone, <baseDomain>, holds all names.',
  exampleTitle: 'A small design without errors',
  fencingTitle: 'The fencing credentials file, for the topology fencing (chmod 600)',
  keysTitle: 'Keys',
  required: 'Required.',
  defaultValue: (value: string) => `Default: ${value}.`,
  types: {
    text: 'Text.',
    address: 'An address, or a list of one IPv4 and one IPv6 address.',
    number: 'A whole number.',
    flag: 'true or false.',
    choice: (choices: string) => `One of: ${choices}.`,
  },
  /** `fallback`: what applies if an optional key is missing and the schema has no default value for it. */
  keys: {
    apiVersion: { meaning: 'The version of this format.' },
    kind: { meaning: 'The kind of this document.' },
    'openshift.version': {
      meaning:
        'From "4.5" to "5.0", also with the patch release: "4.18.11". OKD from 4.19 on, in full: "4.20.0-okd-scos.3".',
    },
    'openshift.architecture': { meaning: 'The architecture of the nodes.' },
    'openshift.osImageStream': {
      meaning: 'The RHCOS of all nodes, from 4.22 on: rhel-9 is RHCOS 9, rhel-10 is RHCOS 10.',
      fallback: 'rhel-9 in 4.x, rhel-10 in 5.0',
    },
    topology: {
      meaning:
        'standard: a control plane and compute nodes. compact: three nodes that do everything. arbiter: two such nodes, and a small third one for etcd. fencing: two nodes only; when one fails, the other powers it off through its BMC. single-node: one node that installs itself. single-node-bootstrap: one node, installed with a bootstrap node.',
      fallback: 'what fits the nodes',
    },
    'cluster.name': { meaning: 'With the base domain it forms the cluster domain: api.<name>.<baseDomain> and so on.' },
    'cluster.baseDomain': { meaning: 'The DNS domain that the cluster and the service hosts are in.' },
    'networks.machine[].cidr': { meaning: 'A network that nodes are on.' },
    'networks.machine[].gateway': { meaning: 'The router of the nodes.', fallback: 'none, with a warning' },
    'networks.cluster[].cidr': { meaning: 'The network of the pods.', fallback: '10.128.0.0/14' },
    'networks.cluster[].hostPrefix': {
      meaning: 'The prefix length of the subnet that each node gets.',
      fallback: '23 (IPv6: 64)',
    },
    'networks.service[]': { meaning: 'The network of the services.', fallback: '172.30.0.0/16' },
    'networks.type': { meaning: 'The network plugin: OVNKubernetes or OpenShiftSDN.', fallback: 'that of the version' },
    'networks.company[]': {
      meaning:
        'Networks that the company uses already. The machine, cluster and service networks must not overlap them.',
      fallback: 'none',
    },
    'networks.router': {
      meaning: 'The address of the router in the company network, for the return route to the machine network.',
      fallback: 'not known',
    },
    'endpoints.api': {
      meaning: 'The address of the API. keepalived holds it unless it is the address of a load balancer host itself.',
    },
    'endpoints.apiInt': { meaning: 'The address of the internal API, which the nodes use.' },
    'endpoints.ingress': { meaning: 'The address of the routes, *.apps.' },
    'nodes[].name': { meaning: 'A single DNS label.' },
    'nodes[].role': { meaning: 'The role of the node.' },
    'nodes[].ip': { meaning: 'The address of the node.' },
    'nodes[].mac': { meaning: 'The MAC address of the interface that the node boots from.' },
    'nodes[].vcpu': {
      meaning: 'Virtual CPUs.',
      fallback: 'by role: 4, compute and arbiter 2, storage 16; single-node 8',
    },
    'nodes[].memoryGiB': { meaning: 'Memory, in GiB.', fallback: 'by role: 16, compute 8, infra 32, storage 64' },
    'nodes[].diskGiB': { meaning: 'The size of the install disk, in GiB.' },
    'nodes[].installDisk': { meaning: 'The disk that the node is installed on.' },
    'nodes[].interface': { meaning: 'The interface that has the address.', fallback: 'the node finds it' },
    'nodes[].bond.name': { meaning: 'A bond that has the address, instead of an interface.' },
    'nodes[].bond.interfaces[]': { meaning: 'The interfaces of the bond.' },
    'nodes[].bond.mode': { meaning: 'The mode of the bond, as Linux calls it.' },
    'nodes[].vlan': { meaning: 'The VLAN on the interface or bond.', fallback: 'none' },
    'nodes[].firmware': { meaning: 'The firmware of the machine.' },
    'nodes[].secureBoot': { meaning: 'The machine starts signed programs only.' },
    'nodes[].kernelArguments[]': { meaning: 'Additional kernel arguments, one in each entry.', fallback: 'none' },
    'services.bastion.name': { meaning: 'The machine that upi-wizard runs on. A single DNS label.' },
    'services.bastion.ip': { meaning: 'The address of the bastion.' },
    'services.bastion.os': { meaning: 'The operating system of the bastion.' },
    'services.dns.kind': {
      meaning: 'bind: BIND on the servers below. external: DNS servers that another team runs.',
      fallback: 'bind with servers, else external',
    },
    'services.dns.servers[].name': { meaning: 'The first server is the primary, the others are secondaries.' },
    'services.dns.servers[].ip': { meaning: 'The address of the server.' },
    'services.dns.servers[].os': { meaning: 'The operating system of the server.' },
    'services.dns.forwarders[]': { meaning: 'The servers that resolve all other names.', fallback: 'none' },
    'services.dhcp.kind': {
      meaning: 'none: the nodes get their addresses from kernel arguments.',
      fallback: 'the DHCP server of the operating system of its host',
    },
    'services.dhcp.server': {
      meaning: 'The name of the service host that runs DHCP.',
      fallback: 'the first BIND server, else the bastion',
    },
    'services.loadBalancer.kind': {
      meaning: 'haproxy: HAProxy on the servers below. external: a load balancer that another team runs.',
      fallback: 'haproxy with servers, else external',
    },
    'services.loadBalancer.servers[].name': { meaning: 'A host that runs HAProxy.' },
    'services.loadBalancer.servers[].ip': { meaning: 'The address of the host.' },
    'services.loadBalancer.servers[].os': { meaning: 'The operating system of the host.' },
    'services.boot.kind': { meaning: 'How nodes boot: iPXE over the network, or the live ISO.' },
    'services.boot.httpPort': {
      meaning: 'The port on which the bastion serves images and ignition files.',
    },
    'services.time.servers[]': { meaning: 'NTP servers: addresses or hostnames.', fallback: 'none, with a warning' },
    'credentials.pullSecretFile': {
      meaning: 'The file with the pull secret. upi-wizard never copies its text into a design, a log or a screen.',
      fallback: 'none, with a warning; required before files can be generated. OKD needs none',
    },
    'credentials.sshKeyFile': {
      meaning: 'The file with the SSH public key for the user core of the nodes.',
      fallback: 'none, with a warning; required before files can be generated',
    },
    'credentials.fencingFile': {
      meaning:
        'The file with the BMC credentials, for the topology fencing alone. It is read when install-config.yaml is generated, and never copied into a design, a log or a screen.',
      fallback: 'none; required for the topology fencing',
    },
    fips: { meaning: 'The cluster runs in FIPS mode.' },
    'proxy.httpProxy': { meaning: 'The proxy of the nodes for http.', fallback: 'none' },
    'proxy.httpsProxy': { meaning: 'The proxy of the nodes for https.', fallback: 'none' },
    'proxy.noProxy': {
      meaning: 'Domains, addresses and networks without a proxy, separated by commas.',
      fallback: 'none',
    },
    additionalTrustBundleFile: { meaning: 'A PEM file of certificates that the nodes trust.', fallback: 'none' },
    additionalTrustBundlePolicy: {
      meaning: 'When the nodes trust the bundle: always, or only if a proxy is configured.',
      fallback: 'Always',
    },
    'imageDigestSources[].source': { meaning: 'An image repository that has mirrors.' },
    'imageDigestSources[].mirrors[]': { meaning: 'The mirrors of the repository.' },
    downloadsDir: {
      meaning: 'The directory with openshift-install, oc and the boot images, such as a USB stick.',
      fallback: 'they are fetched from the internet',
    },
    'infra.taint.key': { meaning: 'The key of the taint of infra nodes.' },
    'infra.taint.value': { meaning: 'The value of the taint.' },
    'infra.taint.noExecute': { meaning: 'The taint also evicts pods that run already.' },
    'infra.pool': { meaning: 'The infra nodes get a MachineConfigPool of their own.' },
    'infra.keepWorkerRole': { meaning: 'Infra nodes keep the role worker.' },
    'infra.routers[]': {
      meaning:
        'An IngressController that moves in addition to "default". One with a routeSelector or namespaceSelector is left alone.',
      fallback: 'default alone',
    },
    'infra.routerReplicas': { meaning: 'The number of routers on infra nodes.' },
    'infra.registry.storage': { meaning: 'The storage of the image registry.' },
    'infra.registry.storageClass': {
      meaning: 'The StorageClass of the volume of the registry.',
      fallback: 'that of the cluster',
    },
    'infra.registry.accessMode': { meaning: 'The access mode of the volume of the registry.' },
    'infra.registry.retain': {
      meaning:
        'The volume of the registry stays when its PersistentVolumeClaim is deleted: the StorageClass is copied as NAME-retain, with the reclaim policy Retain.',
    },
    'infra.registry.sizeGiB': { meaning: 'The size of the volume of the registry, in GiB.' },
    'infra.monitoring.storageClass': {
      meaning: 'The StorageClass of the volumes of monitoring. Without one, monitoring has no volumes.',
      fallback: 'none',
    },
    'infra.monitoring.prometheusGiB': { meaning: 'The size of the volumes of Prometheus, in GiB.' },
    'infra.monitoring.alertmanagerGiB': { meaning: 'The size of the volumes of Alertmanager, in GiB.' },
    'infra.also[]': {
      meaning:
        'Other workloads to move. Console and insights stay on the control plane: OpenShift has no setting for where they run.',
      fallback: 'nothing',
    },
    'infra.removeWorkersFromLoadBalancer': {
      meaning: 'At the end the load balancer sends web traffic to infra nodes only.',
    },
    'infra.machineSets.healthCheck': {
      meaning: 'On a cloud: a MachineHealthCheck replaces infra machines that are not Ready for five minutes.',
    },
    'infra.autoscaler.least': { meaning: 'On a cloud: the minimum number of workers, in all zones together.' },
    'infra.autoscaler.most': { meaning: 'On a cloud: the maximum number of workers, in all zones together.' },
    'infra.machineSets.count': {
      meaning: 'On a cloud: the number of infra machines that infra MachineSets create, in all zones.',
    },
    'infra.machineSets.size': {
      meaning: 'On a cloud: the size of infra machines (m6i.2xlarge; on vSphere and Nutanix 8x32, CPUs x GiB).',
      fallback: 'that of the workers',
    },
  },
};

/** The page `help rules`: titles of the rule families, and the rules that apply when the files are read. */
export const rulesHelp = {
  intro:
    '"upi-wizard design check" and every field of the wizard check a design against these rules. An error stops the installation; a warning is a risk that you may accept.',
  once: 'A problem that many nodes share is reported once, at the first of them.',
  severities: { error: 'error', warning: 'warning' },
  source: (source: string) => `Source: ${source}`,
  families: {
    spelling: 'How values are written',
    names: 'Names and domains',
    version: 'OpenShift version and network type',
    platform: 'Architecture and FIPS',
    networks: 'Networks',
    special: 'Reserved and public ranges',
    'pod-networks': 'Cluster and service networks',
    families: 'IPv4 and IPv6',
    membership: 'Gateways and routers, and which network an address is in',
    endpoints: 'API and ingress addresses',
    addresses: 'Addresses and MAC addresses',
    topology: 'Number of nodes',
    nodes: 'Node sizes, disks and firmware',
    links: 'Interfaces, bonds and VLANs',
    services: 'Service hosts',
    dhcp: 'DHCP',
    sources: 'Proxy, mirrors and files',
    'needed-names': 'Names that nodes need',
    infra: 'Infra nodes',
  },
  readingTitle: 'Reading the file',
  reading: {
    syntax: 'The file is one YAML or JSON document, not too large and not too deeply nested.',
    'duplicate-key': 'Each key appears only once.',
    documents: 'The file holds one document.',
    'unknown-key': 'The file contains only keys that the design has.',
    required: 'All required keys are present.',
    type: 'Each value has the type of its key.',
    choice: 'The value is one of those that the key allows.',
    range: 'The number is inside the range of its key.',
    length: 'The list has neither too few nor too many entries.',
    'version-not-text': 'The version is text in quotes.',
    'api-version': 'The file begins with apiVersion and kind of a design that this version reads.',
  },
  credentialsTitle: 'Credential files',
  credentials: {
    'pull-secret': 'The pull secret is JSON with valid entries in "auths".',
    'pull-secret-missing': 'The file with the pull secret exists.',
    'pull-secret-release': 'The pull secret has an entry for quay.io, the registry of the release images.',
    'pull-secret-registry':
      'The pull secret has an entry for each mirror; without mirrors, for the registries of operators and telemetry.',
    'ssh-key': 'Each line of the SSH key file is a public key.',
    'ssh-key-missing': 'The file with the SSH public key exists.',
    'ssh-key-private': 'The SSH key file holds no private key.',
    'ssh-key-fips': 'With FIPS the SSH key is an RSA or ECDSA key.',
    'ssh-key-weak': 'The SSH server of the nodes accepts the key.',
    'trust-bundle': 'The trust bundle holds PEM certificates and nothing else.',
    'trust-bundle-missing': 'The file with the trust bundle exists.',
    'fencing-missing': 'With the topology fencing, the fencing credentials file exists.',
    'fencing-mode': 'Only its owner can read the fencing credentials file.',
    'fencing-file': 'The fencing credentials file has the format of controlPlane.fencing in install-config.yaml.',
    'fencing-nodes': 'The file has one entry for each control plane node.',
    'fencing-address': 'The address of each BMC is the Redfish URL of a system, over https.',
    'fencing-password': 'User and password of a BMC have no characters with a special meaning in a shell.',
    'fencing-unverified': 'The nodes verify the certificate of each BMC.',
    'credential-unreadable': 'The current user can read the credential files.',
  },
};

import { field } from '../../../field-words.ts';

const HOSTS_HELP =
  'Each entry is the short name and the address with a space between them, and the system if it is not rhel9: "ns2 172.16.0.103, ns3 172.16.0.104 debian". For dual stack a second address follows the first.';

/**
 * Texts of the page Services: the services that nodes need before the cluster runs, and the settings of infra nodes.
 */
export const servicesPage = {
  title: 'Services',
  intro: 'What the nodes rely on before there is a cluster.',
  more: 'one machine, 2nd servers, infra nodes, volumes',
  layout: field(
    'Services run on',
    'hosts: each on a host of its own. bastion: name server, DHCP and load balancer all on the machine you are on.',
    'bastion: one install.sh sets up everything, for a small site or a trial. The API and ingress addresses are added to that machine. When that machine is down, so are all these services: a production cluster has two load balancers and two name servers.',
  ),
  bastionName: field(
    'Bastion name',
    'The machine you are on. It serves the boot files, and you run oc from it.',
    'Its short name, as printed by: `hostname -s` The full name is <name>.<base domain>: the bastion is in the base domain, not in the domain of the cluster.',
  ),
  bastionIp: field(
    'Bastion address',
    'On the machine network. Boot scripts use this address, never a name.',
    'It must be fixed, not from DHCP. This shows it: `ip -4 addr` The machines fetch boot files, images and Ignition from it over HTTP. If it is wrong, they start from the network and then wait for a file that never comes.',
  ),
  bastionOs: field(
    'Bastion system',
    'Determines package names, paths and the DHCP server (RHEL 10 has only Kea).',
    'This prints it: `cat /etc/os-release` Rocky, Alma, CentOS Stream and Oracle Linux count as RHEL of the same version; Ubuntu counts as debian.',
  ),
  dnsKind: field(
    'DNS',
    'bind: a name server is set up for you. external: you enter the records in your own.',
    'OpenShift resolves everything by name, forward and reverse; the records have to exist before the first machine starts. With bind, complete zones for BIND are generated and checked. With external, you get the list of records (and commands for nsupdate) for your DNS team. The wizard queries that server for each of them before you continue.',
  ),
  dnsName: field(
    'Name server',
    'Its short name; the full name is <name>.<base domain>.',
    'It may be the bastion itself: use the same name and address. It can also run DHCP.',
  ),
  dnsIp: field(
    'Name server address',
    'The nodes query this server for every name.',
    'On the machine network or reachable from it on port 53, UDP and TCP. The nodes receive it from DHCP or boot arguments. If it is wrong, the machines install themselves and then resolve no names: "lookup api-int...: no such host".',
  ),
  forwarders: field(
    'Forwarders',
    'Servers that resolve names outside the base domain, such as quay.io. Separated by commas.',
    'Your company’s name servers. On the bastion, this shows those in use now: `cat /etc/resolv.conf` Without them the nodes cannot resolve quay.io, and no image is downloaded. Leave it empty on a site without internet where the mirror registry is in the base domain. The list can be changed at any time. With external DNS this field lists further name servers of the nodes. Each must have every record, too.',
  ),
  dhcpKind: field(
    'DHCP',
    'Gives each node its fixed address and name, and tells it what to boot. none: addresses go into the boot arguments.',
    'isc-dhcpd: RHEL 8 and 9, Debian. kea: its successor, the only one on RHEL 10. none: where DHCP is not allowed or another team runs it. Every address is then in the boot arguments, and machines boot from an ISO image. The server answers only the MAC addresses of the design and leaves other machines alone. Two DHCP servers that both answer the same machine conflict.',
  ),
  dhcpServer: field(
    'DHCP server',
    'The name of the service host that runs it.',
    'One of the hosts of this page: the bastion, a name server or a load balancer, by its short name. It has to be in the machine network itself, because DHCP requests do not pass a router.',
  ),
  lbKind: field(
    'Load balancer',
    'haproxy: set up for you. external: you configure your own from the notes.',
    'It passes TCP connections on to the nodes that can answer: 6443 and 22623 to the control plane, 80 and 443 to the routers. It must not terminate TLS. Your own (F5, Citrix, NSX) works as well: the notes list the ports, pools and health checks, and when to change them. A single node needs none: choose external.',
  ),
  lbName: field(
    'Load balancer name',
    'Its short name; the full name is <name>.<base domain>.',
    'It may be the bastion itself: use the same name and address. In production, use a machine of its own, preferably two.',
  ),
  lbIp: field(
    'Load balancer address',
    'Its own address. The API and ingress addresses may be the same, or are added to this host.',
    'On the machine network. When the addresses on the Networks page differ from this one, keepalived adds them to this machine. With two load balancers, this lets one take over from the other.',
  ),
  bootKind: field(
    'Boot',
    'ipxe: from the network, nothing to do at the console. iso: you attach an ISO image to every machine.',
    ({ isAtLeast }) =>
      `ipxe: the machine gets its address from DHCP, loads iPXE over TFTP, and then kernel, image and ignition file over HTTP from the bastion. Its MAC address decides the role. Set the boot order to disk first, network second: an empty disk then boots from the network, and an installed one starts from its disk. Once a machine has fetched its ignition file, the boot server of upi-wizard always starts it from its disk; nginx does not. iso: where network boot or DHCP is not possible; ${
        isAtLeast('4.10')
          ? 'coreos-installer creates an image for each machine, with its arguments in it.'
          : 'you type the arguments at each console.'
      }`,
  ),
  httpPort: field(
    'Boot server port',
    'The bastion serves boot files over HTTP on this port.',
    '8080 leaves port 80 free for other programs. The firewall of the bastion has to let the machine network in; the generated files open it. Ignition files hold secrets, so the server runs only while machines are installed.',
  ),
  time: field(
    'Time servers',
    'All machines must agree on the time, or certificates are refused. Separated by commas.',
    'NTP servers that the nodes can reach: names or addresses. On the bastion, this shows those in use: `chronyc sources` A clock that is an hour off gives "x509: certificate has expired or is not yet valid", and virtual machines often start with the time of their host. Empty: the nodes use the public pool, which needs the internet.',
  ),
  registryStorage: field(
    'Registry storage',
    'pvc: a volume from your storage. emptyDir: lost with its pod, for trials only. none: the registry stays off.',
    'The internal registry keeps the images that are built in the cluster. On user-provisioned machines it starts disabled, because the installer does not know your storage; the installation does not need it. pvc needs storage that is available after the installation (NFS, OpenShift Data Foundation, a CSI driver). The choice can be changed later.',
  ),
  storageClass: field(
    'StorageClass',
    'For the registry’s volume. Leave empty for the cluster’s default.',
    'There is none before the cluster runs and its storage is set up. To list them after that: `oc get storageclass` The wizard checks again before it moves the registry.',
  ),
  dnsOs: field(
    'Name server system',
    'Determines package names and paths on the (first) name server.',
    'On that machine, this prints it: `cat /etc/os-release` Rocky, Alma, CentOS Stream and Oracle Linux count as RHEL of the same version; Ubuntu counts as debian.',
  ),
  dnsMore: field(
    'More name servers',
    'Secondaries that answer when the first one does not: "ns2 172.16.0.103", more separated by commas.',
    `${HOSTS_HELP} They fetch the zones from the first one on their own, and the nodes use all of them.`,
  ),
  lbOs: field(
    'Balancer system',
    'Determines package names and paths on the (first) load balancer.',
    'On that machine, this prints it: `cat /etc/os-release` Rocky, Alma, CentOS Stream and Oracle Linux count as RHEL of the same version; Ubuntu counts as debian.',
  ),
  lbMore: field(
    'More load balancers',
    'A second one takes over when the first fails: "lb2 172.16.0.113", more separated by commas.',
    `${HOSTS_HELP} keepalived moves the API and ingress addresses to one that works: they must be free addresses of the machine network, not a balancer’s own.`,
  ),
  registryAccess: field(
    'Registry access',
    'ReadWriteMany: several registry pods share the volume (NFS, CephFS). ReadWriteOnce: one pod only.',
    'Block storage can only be ReadWriteOnce; the registry then runs as a single pod and pauses while it is replaced. Your StorageClass decides what is possible.',
  ),
  registrySize: field(
    'Registry size (GiB)',
    'How large the volume of the registry is. 100 is a usual start.',
    'It can be enlarged later where the StorageClass allows it.',
  ),
  monitoringClass: field(
    'Monitoring storage',
    'The StorageClass for metrics and alerts. Empty: no volumes, and history is lost with each pod that is deleted.',
    'Block storage suits Prometheus best; NFS is not supported for it. Once storage is set up, this lists the StorageClasses: `oc get storageclass` The StorageClass can be set later: the pods then start with empty volumes.',
  ),
  prometheusSize: field(
    'Prometheus (GiB)',
    'The volume of each of the two Prometheus pods: 40 is usual for a small cluster.',
    'It fills faster with more pods and nodes; metrics are retained for 15 days unless you change that. Enlarge it before it is full.',
  ),
  alertmanagerSize: field(
    'Alertmanager (GiB)',
    'The volume of each of the two Alertmanager pods: 10 is plenty.',
    'It holds alerts and silences only.',
  ),
  infraMachines: field(
    'Infra machines',
    'On a cloud: how many infra machines the MachineSets create, in all zones together. Empty: none.',
    'For a cluster whose cloud creates the machines: AWS, Azure, GCP, vSphere, OpenStack, Nutanix, IBM Cloud. Each zone gets an infra MachineSet, cloned from the worker set there. Three, one in each zone, is usual; the cloud bills them. Leave it empty on machines of your own.',
  ),
  infraSize: field(
    'Infra machine size',
    'An instance type of the cloud: m6i.2xlarge; on vSphere and Nutanix 8x32 (CPUs x GiB). Empty: that of the workers.',
    'Routers, registry and monitoring together need about 4 CPUs and 16 GiB on each of three machines; monitoring of a large cluster needs more memory.',
  ),
  infraHealth: field(
    'Replace unhealthy',
    'Yes: a MachineHealthCheck replaces an infra machine whose node is not Ready for five minutes.',
    'It replaces one machine at a time, and none while another one is unhealthy. A replaced machine loses what is on its disks.',
  ),
  maxWorkers: field(
    'Workers at most',
    'On a cloud: the upper limit for the number of workers, in all zones together; the next answer is the lower limit. Empty: the number does not change.',
    'Within these limits, a ClusterAutoscaler adds machines while pods cannot be scheduled, and removes those that are not needed. A MachineAutoscaler for each worker MachineSet applies its part of them.',
  ),
  minWorkers: field(
    'Workers at least',
    'How many workers stay when the load is low.',
    'With 0 in a zone, its first pod waits until a machine has started. Some clouds need at least one machine in each set.',
  ),
  routerReplicas: field(
    'Router replicas',
    'How many router pods answer on ports 80 and 443; one for each infra node is usual.',
    'Each router uses ports 80 and 443 of its node, so there cannot be more routers than infra nodes. The installation starts with two. The number can be changed at any time.',
  ),
  taintKey: field(
    'Infra taint: key',
    'Keeps ordinary pods off the infra nodes. The usual key is node-role.kubernetes.io/infra.',
    'A taint is a mark that only pods with a matching toleration ignore. Everything that moves to the infra nodes gets that toleration. The taint is set last, so that no pod is without a node in the meantime.',
  ),
  taintValue: field(
    'Infra taint: value',
    'The usual value is reserved. It may be empty.',
    'Key and value together have to match the tolerations; those that the wizard sets do.',
  ),
  noExecute: field(
    'Infra taint: evict',
    'No: running pods stay until they end. Yes: pods without the toleration are evicted at once.',
    'Yes adds the effect NoExecute. Pods without the toleration are then evicted immediately, even if they were placed there on purpose.',
  ),
  pool: field(
    'Infra pool',
    'Yes: infra nodes get a MachineConfigPool of their own, so their settings and updates are separate.',
    'With a pool, updates restart infra nodes independently of the other workers, and they can have their own MachineConfigs. Without one they belong to the pool worker, for which they need the worker role.',
  ),
  keepWorker: field(
    'Keep worker role',
    'Yes: infra nodes keep the worker role beside infra.',
    'No removes the label node-role.kubernetes.io/worker. Workloads that select workers then avoid these nodes. Their only role is then infra, as this shows: `oc get nodes`',
  ),
  removeWorkers: field(
    'Web via infra only',
    'Yes: in the end the load balancer sends web traffic to the infra nodes alone.',
    'The load balancer is changed last, after the router pods have moved. No leaves the other workers in the pools as well; the health check keeps them out while no router runs there.',
  ),
};

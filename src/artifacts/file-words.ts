/**
 * Text of generated files outside their templates. It is English in every language of the wizard, so that the same
 * design gives the same bytes. Not every program that reads the files accepts letters beyond ASCII.
 */
export const fileWords = {
  /** Reasons for firewall openings and rows of the port matrix, in the characters that render.ts accepts. */
  openings: {
    everybody: 'everybody',
    nodes: 'every node',
    administrators: 'administrators',
    balancers: 'the other load balancers',
    dns: 'DNS, forward and reverse',
    dhcp: 'DHCP, clients have no address yet',
    tftp: 'TFTP, the boot program',
    http: 'HTTP, boot files and ignition (secrets)',
    api: 'Kubernetes API',
    machineConfig: 'machine configurations (secrets)',
    https: 'routes of applications, the console',
    http80: 'routes of applications',
    stats: 'status page of HAProxy',
    vrrp: 'VRRP, which load balancer has the addresses',
    time: 'NTP, the time',
  },
  /** Rows of the port matrix. No text has a vertical bar, which would end a table cell. */
  flows: {
    everyNode: 'every node',
    controlPlane: 'control plane',
    bootstrap: 'bootstrap',
    bmcs: 'BMCs of the control plane',
    apiNodes: 'control plane, bootstrap',
    bastion: 'bastion',
    api: 'API',
    ingress: 'routes',
    loadBalancer: 'load balancer',
    nameServer: 'name server',
    dhcpServer: 'DHCP server',
    dhcpRelay: (cidr: string) => `DHCP relay of ${cidr}`,
    timeServer: 'time server',
    internet: 'the internet',
    proxy: 'proxy',
    mirror: 'mirror registry',
    reasons: {
      icmp: 'tests whether nodes reach each other',
      router: 'health and metrics of routers',
      hostServices: 'services of the nodes, metrics',
      kubelet: 'kubelet and other parts of Kubernetes',
      overlay: (type: string) => `network of pods, ${type}`,
      ipsec: 'IPsec, where it is switched on',
      nodePorts: 'node ports',
      etcd: 'etcd',
      corosync: 'Corosync, which node is alive',
      pcs: 'pcs, settings of Pacemaker',
      redfish: 'Redfish, a node powers off the other one, ports as in the file with the logins',
      balancedApi: 'Kubernetes API, from the load balancer',
      balancedMachineConfig: 'machine configurations, from the load balancer',
      balancedRoutes: 'routes of applications, from the load balancer',
      dhcpAnswer: 'DHCP, answers',
      dhcpRelay: 'DHCP, the server is in another network: the router there has to relay',
      time: 'NTP, certificates need the time',
      administration: 'administration',
      downloads: 'installer, clients and images to boot from',
      ssh: 'administration, logs of a failed installation',
      bootstrapSsh: 'logs of a failed installation, through bootstrap',
      forward: 'names outside the cluster',
      images: 'images of the release (quay.io, registry.redhat.io), telemetry',
      imagesOkd: 'images of the release (quay.io)',
      outside: 'what the mirrors do not have, telemetry',
    },
  },
  /** Comments of infra.yaml. */
  infra: {
    head: (file: string) =>
      ` The infra moves of the design in one file, to be reviewed: what the wizard and "upi-wizard infra apply" set, in their order.
 They also wait for each rollout and check where the pods run; this file does not. To apply it by hand:

   1. the files of stage infra-added on the load balancers: infra nodes join ports 80 and 443 before the routers come
   2. oc diff --server-side --force-conflicts -f ${file}
   3. oc apply --server-side --force-conflicts -f ${file}
   4. when all routers run on infra nodes: the files of stage infra-only on the load balancers`,
  },
  selinux: {
    web: 'what nodes fetch over HTTP',
    tftp: 'what nodes fetch over TFTP',
  },
};

/**
 * Text of generated files outside their templates. It is English in every language of the wizard, so that the same
 * design gives the same bytes. Not every program that reads the files accepts letters beyond ASCII.
 */
export const fileWords = {
  /** Reasons for firewall openings and rows of the port matrix, in the characters that render.ts accepts. */
  openings: {
    anyClient: 'any client',
    nodes: 'every node',
    administrators: 'administrators',
    balancers: 'the other load balancers',
    dns: 'DNS, forward and reverse',
    dhcp: 'DHCP, clients have no address yet',
    tftp: 'TFTP, the boot program',
    http: 'HTTP, boot files and ignition (secrets)',
    api: 'Kubernetes API',
    machineConfig: 'machine configurations (secrets)',
    https: 'application routes, the console',
    http80: 'application routes',
    stats: 'status page of HAProxy',
    vrrp: 'VRRP, election of the load balancer that holds the addresses',
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
      hostServices: 'host services of the nodes, metrics',
      kubelet: 'kubelet and other Kubernetes components',
      overlay: (type: string) => `pod network, ${type}`,
      ipsec: 'IPsec, if enabled',
      nodePorts: 'node ports',
      etcd: 'etcd',
      corosync: 'Corosync, which nodes are alive',
      pcs: 'pcsd, configuration of Pacemaker',
      redfish: 'Redfish, to power off the other node, ports as in the fencing credentials',
      balancedApi: 'Kubernetes API, from the load balancer',
      balancedMachineConfig: 'machine configurations, from the load balancer',
      balancedRoutes: 'application routes, from the load balancer',
      dhcpAnswer: 'DHCP, answers',
      dhcpRelay: 'DHCP, relayed because the server is in another network',
      time: 'NTP, certificates need the right time',
      administration: 'administration',
      downloads: 'installer, clients and boot images',
      ssh: 'administration, logs of a failed installation',
      bootstrapSsh: 'logs of a failed installation, through bootstrap',
      forward: 'names outside the cluster',
      images: 'images of the release (quay.io, registry.redhat.io), telemetry',
      imagesOkd: 'images of the release (quay.io)',
      outside: 'images that the mirrors do not have, telemetry',
    },
  },
  /** Comments of infra.yaml. */
  infra: {
    head: (file: string) =>
      ` All infra moves of the design in one file, for review, in the order of the wizard and of "upi-wizard infra apply".
 The wizard also waits for each rollout and checks where the pods run. To apply the file by hand:

   1. install the files of stage infra-added on the load balancers: infra nodes join ports 80 and 443 before the routers move
   2. oc diff --server-side --force-conflicts -f ${file}
   3. oc apply --server-side --force-conflicts -f ${file}
   4. when all routers run on infra nodes, install the files of stage infra-only on the load balancers`,
  },
  selinux: {
    web: 'files that nodes fetch over HTTP',
    tftp: 'files that nodes fetch over TFTP',
  },
};

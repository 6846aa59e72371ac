/** Paths in the OpenShift documentation that several terms link to. */
const INSTALLING = 'installing_on_any_platform/installing-platform-agnostic';
const DNS_REQUIREMENTS = `${INSTALLING}#installation-dns-user-infra_installing-platform-agnostic`;

/** OpenShift terms in one or two sentences each, with the page of the OpenShift documentation that explains them. */
export const glossary = {
  title: 'Terms on this page',
  terms: {
    upi: {
      name: 'UPI',
      definition:
        'User-provisioned infrastructure: you provide machines, network, DNS and load balancer, and openshift-install creates only what the machines need to become a cluster.',
      link: INSTALLING,
    },
    bootstrap: {
      name: 'Bootstrap node',
      definition:
        'A temporary machine that runs the first API and etcd until the control plane nodes have taken over. It is removed afterwards.',
      link: 'architecture/architecture-installation',
    },
    controlPlane: {
      name: 'Control plane',
      definition:
        'The nodes that run the API, etcd and the controllers of the cluster: three, so that it survives the loss of one.',
      link: 'architecture/control-plane',
    },
    ignition: {
      name: 'Ignition file',
      definition:
        'The configuration that a machine reads at its first boot: files, units, users. Those of openshift-install contain private keys, and their certificates expire after 24 hours.',
      link: 'architecture/architecture-rhcos',
    },
    manifests: {
      name: 'Manifests',
      definition:
        'The Kubernetes objects that openshift-install creates from install-config.yaml. You can change them before it creates the ignition files.',
      link: INSTALLING,
    },
    installConfig: {
      name: 'install-config.yaml',
      definition:
        'The input of openshift-install: names, networks, pull secret, SSH key. The installer deletes the file after reading it.',
      link: INSTALLING,
    },
    rhcos: {
      name: 'RHCOS',
      definition:
        'Red Hat Enterprise Linux CoreOS, the operating system of the nodes; with OKD it is SCOS, CentOS Stream CoreOS. The cluster configures and updates it; it is not administered by logging in.',
      link: 'architecture/architecture-rhcos',
    },
    ipxe: {
      name: 'iPXE',
      definition:
        'Network boot firmware that reads a script over HTTP, which names the kernel, the disk and the ignition file of the machine.',
      link: INSTALLING,
    },
    pool: {
      name: 'MachineConfigPool',
      definition:
        'A group of nodes that get the same configuration, such as master, worker and infra. Its nodes are updated one after the other.',
      link: 'architecture/control-plane',
    },
    taint: {
      name: 'Taint',
      definition: 'A mark on a node that repels pods without a matching toleration.',
      link: 'nodes/controlling-pod-placement-onto-nodes-scheduling#nodes-scheduler-taints-tolerations',
    },
    toleration: {
      name: 'Toleration',
      definition:
        'A setting of a pod that lets it run on a node with a matching taint. Without it the pod stays Pending or runs elsewhere.',
      link: 'nodes/controlling-pod-placement-onto-nodes-scheduling#nodes-scheduler-taints-tolerations',
    },
    csr: {
      name: 'Certificate signing request (CSR)',
      definition:
        'The request of a node for a certificate: first a client certificate to join, then a serving certificate for its kubelet. It must be checked and approved.',
      link: `${INSTALLING}#installation-approve-csrs_installing-platform-agnostic`,
    },
    serving: {
      name: 'Serving certificate',
      definition:
        'The certificate that a kubelet presents to its clients. Without it oc logs, oc exec and the metrics of the node fail.',
      link: `${INSTALLING}#installation-approve-csrs_installing-platform-agnostic`,
    },
    operator: {
      name: 'Cluster Operator',
      definition:
        'A program in the cluster that installs and repairs one part of it, such as ingress or monitoring. The installation is complete when all of them are available.',
      link: 'operators/cluster-operators-ref',
    },
    ingress: {
      name: 'Ingress (router)',
      definition:
        'The HAProxy pods through which applications are reached from outside, on ports 80 and 443 of *.apps.',
      link: `${INSTALLING}#installation-load-balancing-user-infra_installing-platform-agnostic`,
    },
    endpoint: {
      name: 'Endpoint',
      definition:
        'An address under which a service is reached: api (6443) for users, api-int (6443 and 22623) for nodes, *.apps (80 and 443) for applications.',
      link: `${INSTALLING}#installation-load-balancing-user-infra_installing-platform-agnostic`,
    },
    vip: {
      name: 'Virtual IP (VIP)',
      definition: 'An address that is not tied to one machine: keepalived moves it to a working load balancer.',
      link: `${INSTALLING}#installation-load-balancing-user-infra_installing-platform-agnostic`,
    },
    ptr: {
      name: 'PTR record',
      definition:
        'The DNS record from an address to a name. A node without a name from DHCP gets its hostname from it.',
      link: DNS_REQUIREMENTS,
    },
    wildcard: {
      name: 'Wildcard record',
      definition:
        'The DNS record *.apps: every name below it resolves to the load balancer, so that applications need no records of their own.',
      link: DNS_REQUIREMENTS,
    },
    pullSecret: {
      name: 'Pull secret',
      definition:
        'Your credentials for the registries of Red Hat, from which the nodes download OpenShift. OKD needs none.',
      link: INSTALLING,
    },
    kubeconfig: {
      name: 'kubeconfig',
      definition:
        'A file with the address of the API and credentials. The installer’s grants administrator access for 10 years: keep it safe.',
      link: INSTALLING,
    },
  },
};

/** Meaning of log lines that look like a fault but are normal during an installation, by sign. */
export const normalSigns = {
  'workers-refused':
    'Port 22623 answers compute nodes with 500 ("refusing to serve") until a control plane node runs. They retry on their own.',
  'rest-mapping': 'bootkube repeats this until an operator has created the CRD of the kind, and then continues.',
  'unused-members':
    'The routers run on other nodes. The load balancer shows the members of 443 and 80 without a router as DOWN, and sends nothing to them.',
  'early-lookup': 'Ignition looks up names before the network is up: its first lookups go to localhost and fail.',
  'watch-closed': 'A watch ends when the API server that served it stops. The client starts another one.',
  'handshake-closed': 'A load balancer that only tests the port closes the connection at once.',
  'etcd-starting': 'etcd is not up yet: its clients retry until it is.',
  'api-starting': 'The API server of this machine is not up yet: its clients retry until it is.',
  'oc-missing': 'Fedora CoreOS has no oc: the script pulls the image with podman instead.',
  'node-unregistered': 'kubelet repeats this until its Node is registered in the API.',
  'approver-refuses':
    'On platform none the cluster does not approve the first requests of nodes: you approve them (Certificates step).',
} as const;

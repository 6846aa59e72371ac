/** Meaning of lines that look like a fault while an installation runs as it should, by sign. */
export const normalSigns = {
  'workers-refused':
    'Port 22623 answers compute nodes with 500 ("refusing to serve") until a control plane node runs. They ask again on their own.',
  'rest-mapping': 'bootkube repeats this until an operator has created the kind, and then goes on.',
  'unused-members':
    'Routers run on two nodes only. The load balancer shows the other members of 443 and 80 as DOWN, and sends nothing to them.',
  'early-lookup': 'Ignition asks before the network is up: its first look-ups go to the machine itself, and fail.',
  'watch-closed': 'A watch ends with the API server that served it. The program starts another one.',
  'handshake-closed': 'A load balancer that only tests the port closes the connection at once.',
  'etcd-starting': 'etcd is not up yet: its clients try again until it is.',
  'api-starting': 'The API server of this machine is not up yet: its clients try again until it is.',
  'oc-missing': 'Fedora CoreOS has no oc: the script pulls the image with podman instead.',
  'node-unregistered': 'kubelet repeats this until its Node is in the API.',
  'approver-refuses':
    'The cluster approves no first requests on platform none: the user approves them (Certificates step).',
} as const;

/** Why each infra move is made, in one sentence: on the screens, before you confirm, and in `help moves`. */
export const purposes = {
  'machine-sets': 'Infra workloads need machines of their own; here the cloud creates them.',
  autoscaler: 'The number of workers follows the load, so that you pay only for those that are needed.',
  label: 'Operators find the nodes that their pods may move to by this label.',
  pool: 'A pool of their own lets you configure and update the infra nodes apart from the workers.',
  'lb-add':
    'Users reach a router only on nodes that the load balancer knows, so they are added before the routers move.',
  dns: 'Every node runs a pod of cluster DNS; it must tolerate the taint, or pods on infra nodes could not resolve names.',
  storage: 'Storage nodes serve storage only, and pods on the infra nodes must be able to mount its volumes.',
  router:
    'Routers carry all traffic of users; on infra nodes they do not compete with applications, and need no subscription.',
  'registry-storage': 'The image registry does not start without storage, so it gets its storage before it moves.',
  registry:
    'The image registry is a service of the platform: it leaves the CPU and memory of the workers to applications.',
  monitoring:
    'Prometheus is the largest consumer of memory of the platform: on infra nodes it takes none from applications.',
  'user-workload':
    'The monitoring of your own projects runs beside that of the platform, with the same reserved capacity.',
  logging: 'The log store needs much disk and memory: on infra nodes it takes none from applications.',
  'network-diagnostics': 'The network checks stay off the workers.',
  taint: 'Without the taint, the scheduler would place applications on the infra nodes, too.',
  'lb-final': 'No router runs on the compute nodes any more, so the load balancer need not check them.',
};

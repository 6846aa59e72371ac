import { plural } from '../../ui.ts';

/** Messages of the rules about infra nodes and the workloads that move to them. */
export const infraRules = {
  taint: {
    title: 'The taint has a valid key and value',
    message: (text: string) => `"${text}" cannot be part of a taint`,
    fix: 'Use letters, digits, hyphens, underscores and dots, 63 characters at most; the key may start with domain/.',
  },
  storageClass: {
    title: 'StorageClasses have valid names',
    message: (text: string) => `"${text}" cannot be the name of a StorageClass`,
    fix: 'Leave it empty for the default, or use a name that exists in the cluster: `oc get storageclass`',
  },
  routerReplicas: {
    title: 'There are enough infra nodes for the routers',
    message: (replicas: number, nodes: number) =>
      `${plural(replicas, 'router')}, but ${plural(nodes, 'infra node')}: each router needs a node of its own`,
    fix: 'Lower the number of routers or add infra nodes.',
  },
  routers: {
    title: 'IngressControllers have valid names, and each is listed once',
    message: (text: string) => `"${text}" cannot be listed as an additional IngressController`,
    fix: 'Use the names from the cluster, each once and without "default": `oc get ingresscontroller -n openshift-ingress-operator`',
  },
  infraPool: {
    title: 'Infra nodes belong to a MachineConfigPool',
    message: 'Without a pool and without the worker role, infra nodes no longer get configuration or updates',
    fix: 'Give the infra nodes a pool of their own, or let them keep the worker role.',
  },
  registryStorage: {
    title: 'The registry keeps its images',
    message: 'With emptyDir all images are lost when the registry pod is deleted or moves to another node',
    fix: 'Choose pvc, or use emptyDir for a test cluster only.',
  },
};

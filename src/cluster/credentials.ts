// The only part of the Kubernetes client that is used, by name: the bundle then leaves out its two thousand models, which would
// be loaded with every look.
export { KubeConfig } from '@kubernetes/client-node';

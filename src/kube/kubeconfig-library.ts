// The only part of the Kubernetes client that we use, imported by name: the bundle then leaves out its two thousand
// models, which every probe would load.
export { KubeConfig } from '@kubernetes/client-node';
